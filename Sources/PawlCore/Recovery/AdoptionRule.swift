/// Whether another program's partial file may be continued: only if it is a prefix of the file.
package struct AdoptionRule: Sendable {
    /// The suffixes of the control files of other programs, and the programs. They fetch several parts at once into a
    /// file of full length.
    package static let controlSuffixes = [(aria2Suffix, "aria2c"), (".st", "axel"), (".lftp-pget-status", "lftp")]

    package static let aria2Suffix = ".aria2"

    /// The name of the file to be adopted.
    private let name: String
    private let hasDigest: Bool

    package init(_ name: String, hasDigest: Bool) {
        self.name = name
        self.hasDigest = hasDigest
    }

    package func unfinished(by program: String, controlFile: String) -> DownloadError {
        refusal(
            "“\(controlFile)” shows that \(program) has not finished “\(name)”: parts in its middle may be missing.",
            [.finishElsewhere, .chooseName])
    }

    /// A file system that compresses may keep a file of up to this size within its directory entry.
    private static let largestInline: Int64 = 4096

    /// Bytes that were never written read as zeros. No other program's file says which they are.
    ///
    /// - Parameters:
    ///   - occupied: how many bytes of the disk it takes.
    ///   - written: the first stretch that may hold written bytes.
    package func refusal(size: Int64, occupied: Int64, written: ByteRange?) -> DownloadError? {
        guard size > 0 else { return nil }
        let prefix = written.map { $0.start == 0 ? $0.end : 0 } ?? 0
        guard prefix >= size else {
            return refusal(
                "“\(name)” has gaps that were never written, the first at byte \(prefix), so it is not the beginning of the file.",
                [.finishElsewhere, .chooseName])
        }
        // Some file systems report no gaps and count only the blocks in use; others compress.
        guard occupied < size, size > Self.largestInline, !hasDigest else { return nil }
        return refusal(
            "“\(name)” takes up less space than its \(size) bytes, so parts of it may never have been written. If the file system compresses files, the expected checksum would show at the end whether all is there.",
            [.giveDigest, .chooseName])
    }

    /// Files from this size on are compared at places between their beginning and their end as well.
    private static let smallestSampledBetween: Int64 = 16 << 20

    /// The stretches of a file that are compared with the server's before its end is, each `length` bytes long at most.
    /// Another version often has the same end, as archives and images do.
    package static func samples(of size: Int64, length: Int64) -> [ByteRange] {
        let rest = size - length
        guard rest > 0, length > 0 else { return [] }
        let first = ByteRange(0..<min(length, rest))
        guard size >= smallestSampledBetween, rest > 4 * length else { return [first] }
        return [first] + (1...3).map { ByteRange($0 * (rest / 4)..<$0 * (rest / 4) + length) }
    }

    private static let blockSize = 4096

    /// Returns the number of bytes before the first block that is all zeros: a program that syncs nothing may have
    /// claimed what a power cut then took away.
    package static func written(_ bytes: [UInt8]) -> Int {
        var rest = bytes[...]
        while !rest.isEmpty, rest.prefix(blockSize).contains(where: { $0 != 0 }) { rest = rest.dropFirst(blockSize) }
        return bytes.count - rest.count
    }

    private func refusal(_ message: String, _ remedies: [DownloadError.Remedy]) -> DownloadError {
        DownloadError(.journal, message, remedies: remedies, recovery: .giveUp)
    }
}
