extension DigestList {
    /// The strongest digest that the list has for a file.
    ///
    /// An entry is of the file when its last component is the file's name. Of several, those are taken that share most
    /// components with the path, counted from its end: `dists/a/Packages` is found for a URL that ends so beside
    /// `dists/b/Packages`. A list that holds one digest without a name is of whatever file it is asked for.
    ///
    /// - Parameter paths: where the file is, by names separated by `/`: the path of a URL, the name it is to have. They
    ///   are tried in turn, and the first that names an entry decides.
    /// - Throws: ``DigestListError``, whose message says what the list has.
    public func digest(forFileAt paths: [String]) throws(DigestListError) -> Digest {
        if entries.count == 1, let only = entries.first, only.name == nil { return only.digest }
        for path in paths {
            if let digest = try digest(for: path) { return digest }
        }
        throw missing(paths.first ?? "")
    }

    /// - Throws: ``DigestListError`` when entries for different files fit equally well.
    private func digest(for path: String) throws(DigestListError) -> Digest? {
        let wanted = Self.components(path)
        guard !wanted.isEmpty else { return nil }
        var best: [Entry] = []
        var bestCount = 1
        for entry in entries {
            let count = Self.sharedCount(Self.components(entry.name ?? ""), wanted)
            guard count >= bestCount else { continue }
            if count > bestCount { (best, bestCount) = ([], count) }
            best.append(entry)
        }
        // The same name in the same directory is preferred to one beneath another.
        let exact = best.filter { Self.components($0.name ?? "").count == bestCount }
        return try strongest(of: exact.isEmpty ? best : exact)
    }

    private func strongest(of entries: [Entry]) throws(DigestListError) -> Digest? {
        for algorithm in DigestAlgorithm.allCases {
            let digests = entries.filter { $0.digest.algorithm == algorithm }
            guard let first = digests.first else { continue }
            guard digests.allSatisfy({ $0.digest == first.digest }) else {
                throw DigestListError(
                    message:
                        "The list has several files with this name: \(Self.enumeration(digests.compactMap(\.name)))."
                )
            }
            return first.digest
        }
        return nil
    }

    private func missing(_ path: String) -> DigestListError {
        let name = Self.components(path).last.map(String.init) ?? path
        guard !entries.isEmpty else {
            return DigestListError(
                message: unknownAlgorithmCount == 0
                    ? "This is not a checksum list in the format of sha256sum or BSD's sha256."
                    : "The list uses unsupported algorithms. Supported: sha-512, sha-256, sha-1 and md5.")
        }
        return DigestListError(
            message: "The list has no checksum for “\(name)”. It has: \(Self.enumeration(entries.compactMap(\.name))).")
    }

    /// Returns a list of some of the names, for a message.
    private static func enumeration(_ names: [String]) -> String {
        let shown = 8
        guard !names.isEmpty else { return "digests without a name" }
        let more = names.count - shown
        return names.prefix(shown).map { "“\(FileName.cut($0[...], toBytes: 120))”" }.joined(separator: ", ")
            + (more > 0 ? " and \(more) more" : "")
    }

    /// Returns the number of components that are the same at the end of both.
    private static func sharedCount(_ first: [Substring], _ second: [Substring]) -> Int {
        zip(first.reversed(), second.reversed()).prefix { $0 == $1 }.count
    }

    /// Returns the components of a path, without `.` and empty ones. Splits by bytes: to Swift, a slash and a mark
    /// after it are one character.
    private static func components(_ path: String) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init).filter { $0 != "." }
    }
}

/// The reason why a list of digests gives none for a file. The message names what the list has, as it stands there; the
/// program that shows it makes it safe.
public struct DigestListError: Error, Hashable, Sendable {
    public let message: String
}
