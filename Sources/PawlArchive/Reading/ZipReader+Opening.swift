extension ZipReader {
    /// A directory of so many bytes describes some millions of members, and is held in memory as a whole.
    static let largestDirectory: Int64 = 512 << 20

    /// Reads and checks everything that a zip archive says of itself, before anything is unpacked (FAULTS Z03, Z05 to
    /// Z09): the end records, the directory, each local header and data descriptor, and that nothing hides in between.
    static func open(_ source: any ZipSource, password: String?, threads: Int? = nil) throws(ArchiveError) -> ZipReader
    {
        let directory = try directory(of: source)
        return try ZipReader(ZipLayout(source, directory).check(), in: source, password: password, threads: threads)
    }

    static func directory(of source: any ZipSource) throws(ArchiveError) -> ZipDirectory {
        let end = try end(of: source)
        guard end.directoryLength <= largestDirectory else {
            throw ArchiveError(
                .tooLarge,
                "The zip archive's list of members is \(end.directoryLength) bytes long, which is too long to read.")
        }
        return try ZipDirectory(parsing: source.bytes(end.directoryStart..<end.directoryEnd), end: end)
    }

    private static func end(of source: any ZipSource) throws(ArchiveError) -> ZipEnd {
        var from = max(0, source.length - ZipEnd.usualTailLength)
        while true {
            let tail = try source.bytes(from..<source.length)
            guard Int64(tail.count) == source.length - from else {
                throw .zipTruncated("it was truncated while it was being read")
            }
            switch try ZipEnd.find(in: tail, ofFileOfLength: source.length) {
            case .end(let end): return end
            case .needsMore(let position):
                guard position < from else { throw .zipDamaged("its end records cannot be found") }
                from = position
            }
        }
    }

    /// Whether a file whose beginning tells nothing is a zip archive behind a program: it ends exactly with an end
    /// record, and what that tells of is there. (A tar archive may hold a zip archive as its last member; it ends with
    /// zeros.)
    static func isSelfExtracting(_ source: any ZipSource) -> Bool {
        guard let end = try? end(of: source), end.entryCount > 0, end.paddingLength == 0,
            let first = try? source.bytes(end.directoryStart..<min(end.directoryStart + 4, end.directoryEnd))
        else { return false }
        return first[...].isSignature(ZipSignature.directoryEntry, at: 0)
    }
}
