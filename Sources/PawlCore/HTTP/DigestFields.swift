/// The `Repr-Digest` and `Content-Digest` fields (RFC 9530 §2 and §3): dictionaries of structured fields (RFC 8941 §3.2).
package enum DigestFields {
    /// The digests of all known algorithms, strongest first.
    ///
    /// A field that is not a well-formed dictionary is ignored as a whole (RFC 8941 §4.2). A well-formed member of an unknown
    /// algorithm, or whose value cannot be a digest of its algorithm, is ignored by itself.
    ///
    /// - Parameter fieldValues: all field lines of one name; they make one dictionary (RFC 8941 §4.2).
    package static func parse(_ fieldValues: [String]) -> [Digest] {
        guard let members = StructuredDictionary.byteSequences(in: fieldValues.joined(separator: ", ")) else { return [] }
        return DigestAlgorithm.allCases.compactMap { algorithm in
            members[registeredName(of: algorithm)].flatMap { Digest(algorithm: algorithm, bytes: $0) }
        }
    }

    /// The key in the "Hash Algorithms for HTTP Digest Fields" registry. Only that: the free spellings are for people.
    private static func registeredName(of algorithm: DigestAlgorithm) -> String {
        algorithm == .sha1 ? "sha" : algorithm.rawValue
    }
}
