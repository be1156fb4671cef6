/// The `Repr-Digest` and `Content-Digest` fields (RFC 9530 §2 and §3), dictionaries of structured fields (RFC 8941
/// §3.2), and the `Digest` field that came before them (RFC 3230 §4.3.2).
package enum DigestFields {
    /// The digests of all known algorithms, strongest first.
    ///
    /// A field that is not a well-formed dictionary is ignored as a whole (RFC 8941 §4.2). A well-formed member of an
    /// unknown algorithm, or whose value cannot be a digest of its algorithm, is ignored by itself.
    ///
    /// - Parameter fieldValues: all field lines of one name; they make one dictionary (RFC 8941 §4.2).
    package static func parse(_ fieldValues: [String]) -> [Digest] {
        guard let members = StructuredDictionary.byteSequences(in: fieldValues.joined(separator: ", ")) else {
            return []
        }
        return DigestAlgorithm.allCases.compactMap { algorithm in
            members[registeredName(of: algorithm)].flatMap { Digest(algorithm: algorithm, bytes: $0) }
        }
    }

    /// The digests in `Digest` fields, strongest first. They are of the whole file, also in answer to a range (RFC 3230
    /// §3), as those of `Repr-Digest` are.
    ///
    /// A member that cannot be read is ignored by itself, and so is an algorithm that is given two values.
    ///
    /// - Parameter fieldValues: all field lines of the name.
    package static func parseInstanceDigests(_ fieldValues: [String]) -> [Digest] {
        var found: [DigestAlgorithm: Set<Digest>] = [:]
        for member in fieldValues.joined(separator: ",").utf8.split(separator: UInt8(ascii: ",")) {
            let member = ASCII.trimmingBlanks(Array(member)[...])
            guard let equals = member.firstIndex(of: UInt8(ascii: "=")),
                // RFC 3230 §4.1.1: names are alike in any case. RFC 5843 registers those of SHA-2.
                let algorithm = instanceAlgorithm(String(decoding: member[..<equals], as: UTF8.self).lowercased()),
                let digest = instanceDigest(algorithm, member[(equals + 1)...])
            else { continue }
            found[algorithm, default: []].insert(digest)
        }
        return DigestAlgorithm.allCases.compactMap { algorithm in
            found[algorithm].flatMap { $0.count == 1 ? $0.first : nil }
        }
    }

    private static func instanceDigest(_ algorithm: DigestAlgorithm, _ value: ArraySlice<UInt8>) -> Digest? {
        guard let bytes = Base64.decode(value) else { return nil }
        // The example of RFC 6249 §1 encodes the hexadecimal digits instead of the bytes, and servers have copied it.
        // One is twice as long as the other, so neither can be taken for the other.
        return Digest(algorithm: algorithm, bytes: bytes) ?? Digest(algorithm: algorithm, hexadecimal: bytes)
    }

    private static func instanceAlgorithm(_ name: String) -> DigestAlgorithm? {
        switch name {
        case "sha-512": .sha512
        case "sha-256": .sha256
        case "sha": .sha1
        case "md5": .md5
        default: nil
        }
    }

    /// The key in the "Hash Algorithms for HTTP Digest Fields" registry. Only that: the free spellings are for people.
    private static func registeredName(of algorithm: DigestAlgorithm) -> String {
        algorithm == .sha1 ? "sha" : algorithm.rawValue
    }
}
