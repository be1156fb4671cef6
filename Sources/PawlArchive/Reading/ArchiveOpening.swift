/// Detects the format of a file, and opens the reader for it.
package enum ArchiveOpening {
    /// - Parameters:
    ///   - followsLinks: false refuses a symbolic link anywhere in the path.
    ///   - password: for what is encrypted. Never logged.
    ///   - flag: raised, opening and reading fail.
    package static func open(
        _ path: String, followsLinks: Bool = true, password: String?, until flag: StopFlag = .init()
    ) throws(ArchiveError) -> any MemberReader {
        let file = try ArchiveFile(path, followsLinks: followsLinks, until: flag)
        do throws(ArchiveError) {
            return try reader(of: file, password)
        } catch {
            guard [.truncated, .notAnArchive].contains(error.code), isPart(path) else { throw error }
            throw ArchiveError(
                .unsupported,
                "\(quoted(path)) is one part of an archive that was split. Join all parts in the order of their numbers, and unpack the result.",
                underlying: error.message)
        }
    }

    /// The names of 7-Zip's volumes, `a.7z.001`, and of PKZIP's, `a.z01`.
    private static func isPart(_ path: String) -> Bool {
        let suffix = Array(path.utf8.suffix(4))
        guard suffix.count == 4, suffix[0] == UInt8(ascii: ".") else { return false }
        let digits = [UInt8(ascii: "z"), UInt8(ascii: "Z")].contains(suffix[1]) ? suffix[2...] : suffix[1...]
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func reader(of file: ArchiveFile, _ password: String?) throws(ArchiveError) -> any MemberReader {
        let head = try file.bytes(0..<min(file.length, 512))
        // The beginning decides; the end only if the beginning is inconclusive: a tar may end with a zip archive that
        // it contains.
        if isZip(head[...]) || (!isOther(head) && ZipReader.isSelfExtracting(file)) {
            return try ZipReader.open(file, password: password)
        }
        return try LibArchiveReader(file)
    }

    /// A local header, the end record of an empty archive, or the marker of archives in parts (APPNOTE 8.5.3).
    private static func isZip(_ head: ArraySlice<UInt8>) -> Bool {
        [ZipSignature.localHeader, ZipSignature.end, ZipSignature.dataDescriptor, 0x3030_4B50].contains {
            head.isSignature($0, at: 0)
        }
    }

    /// Returns whether a file begins as 7z, as one of tar's filters, or as a tar itself.
    private static func isOther(_ head: [UInt8]) -> Bool {
        head.starts(with: [0x37, 0x7A, 0xBC, 0xAF]) || TarFilter(head) != nil
            || head.dropFirst(257).starts(with: Array("ustar".utf8))
    }
}
