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

    /// 7z, a filter of tar's, or a tar itself.
    private static func isOther(_ head: [UInt8]) -> Bool {
        head.starts(with: [0x37, 0x7A, 0xBC, 0xAF]) || TarFilter(head) != nil
            || head.dropFirst(257).starts(with: Array("ustar".utf8))
    }
}
