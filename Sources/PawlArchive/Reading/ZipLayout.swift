/// Goes through a zip archive from its beginning to its directory and sees that every byte has its place.
struct ZipLayout {
    private let source: any ZipSource
    private let directory: ZipDirectory
    /// The number of bytes read beyond the name of a local header, in the hope that no more are needed: most extra
    /// fields are shorter.
    private static let usualExtra = 96
    private static let pieceLength: Int64 = 256 << 10

    init(_ source: any ZipSource, _ directory: ZipDirectory) {
        self.source = source
        self.directory = directory
    }

    /// Checks the layout and returns all members with their local headers, in the directory's order.
    func check() throws(ArchiveError) -> [ZipReader.Stored] {
        var members: [ZipReader.Stored] = []
        members.reserveCapacity(directory.entries.count)
        var first = directory.end.directoryStart
        for entry in directory.entries {
            first = min(first, entry.headerOffset)
            let header = try header(of: entry)
            members.append(ZipReader.Stored(entry, header, at: header.dataRange.lowerBound))
            let end = header.dataRange.upperBound + (header.hasDescriptor ? try descriptorLength(of: entry, header) : 0)
            try refuseRecords(in: end..<entry.dataBound)
        }
        try refuseRecords(in: 0..<first)
        return members
    }

    private func header(of entry: ZipEntry) throws(ArchiveError) -> ZipLocalHeader {
        var count = ZipLocalHeader.fixedLength + entry.rawName.count + Self.usualExtra
        while true {
            let end = min(entry.headerOffset + Int64(count), entry.dataBound)
            switch try entry.localHeader(source.bytes(entry.headerOffset..<end)[...]) {
            case .header(let header): return header
            case .needsMore(let more):
                guard more > count else { throw .zipDamaged(entry.path, "its local header is missing") }
                count = more
            }
        }
    }

    private func descriptorLength(of entry: ZipEntry, _ header: ZipLocalHeader) throws(ArchiveError) -> Int64 {
        let start = header.dataRange.upperBound
        let end = min(start + Int64(ZipEntry.maximumDescriptorSize), entry.dataBound)
        return Int64(try entry.descriptorLength(source.bytes(start..<end)[...]))
    }

    /// Bytes of no member may be anything but members of another reading of the file.
    private func refuseRecords(in gap: Range<Int64>) throws(ArchiveError) {
        for position in stride(from: gap.lowerBound, to: gap.upperBound, by: Int(Self.pieceLength)) {
            let end = min(position + Self.pieceLength, gap.upperBound)
            let bytes = try source.bytes(position..<min(end + Int64(ZipGap.lookahead), source.length))
            if ZipGap.holdsRecord(bytes[...], before: Int(end - position)) {
                throw .zipDamaged(
                    "between its members there is data that its list of members does not mention")
            }
        }
    }
}
