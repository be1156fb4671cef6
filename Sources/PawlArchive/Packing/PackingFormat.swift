import PawlCore

/// The formats that can be created, chosen by the name of the archive.
package enum PackingFormat: CaseIterable, Hashable, Sendable {
    case zip
    case tar
    case tarGzip
    case tarBzip2
    case tarXz
    case tarZstandard

    var suffixes: [String] {
        switch self {
        case .zip: [".zip"]
        case .tar: [".tar"]
        case .tarGzip: [".tar.gz", ".tgz"]
        case .tarBzip2: [".tar.bz2", ".tbz2"]
        case .tarXz: [".tar.xz", ".txz"]
        case .tarZstandard: [".tar.zst", ".tzst"]
        }
    }

    /// The levels of the compressors zlib, bzip2 and liblzma; for zstd, only those that unpack without a raised memory
    /// limit. Nil for a format without compression.
    var levels: ClosedRange<Int>? {
        switch self {
        case .zip, .tarXz: 0...9
        case .tar: nil
        case .tarGzip, .tarBzip2: 1...9
        case .tarZstandard: 1...19
        }
    }

    /// - Parameter path: of the archive. Small and capital letters are one.
    package init(path: String) throws(ArchiveError) {
        let name = path.lowercased()
        for format in Self.allCases where format.suffixes.contains(where: { name.ends(with: $0) }) {
            self = format
            return
        }
        throw ArchiveError(
            .invalidArgument,
            "\(quoted(path)) does not name a format: the name of an archive ends in one of \(Self.accepted).",
            remedies: [.chooseTarget])
    }

    /// The accepted suffixes, for people.
    package static var accepted: String { allCases.flatMap(\.suffixes).joined(separator: ", ") }

    /// The ending as it stands in the name.
    func suffix(of name: String) -> Substring {
        let lowercased = name.lowercased()
        let length = suffixes.first { lowercased.ends(with: $0) }?.utf8.count ?? 0
        return Substring(name.utf8.suffix(length))
    }

    func check(level: Int?) throws(ArchiveError) {
        guard let level else { return }
        guard let levels else {
            throw ArchiveError(
                .invalidArgument, "An uncompressed tar has no compression level.",
                remedies: [.leaveLevelOut, .makeCompressedTar])
        }
        guard levels.contains(level) else {
            throw ArchiveError(
                .invalidArgument,
                "The compression level of \(suffixes[0]) is a number from \(levels.lowerBound) to \(levels.upperBound), not \(level)."
            )
        }
    }
}
