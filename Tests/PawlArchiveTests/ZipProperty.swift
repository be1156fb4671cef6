import PawlArchive

// `scripts/fuzz` compiles this file and the properties as one module.
#if canImport(PawlTestKit)
import PawlTestKit
#endif

extension ParserProperty {
    static let zips = [zipEnd, zipArchive]

    /// Parses the input as the end of a longer file. The first byte determines the missing length, up to more than
    /// memory holds.
    static let zipEnd = ParserProperty(name: "zip-end") { (bytes) throws(Violation) in
        guard let first = bytes.first else { return }
        let tail = Array(bytes.dropFirst())
        let more: Int64 = first < 200 ? Int64(first) : Int64(1) << Int64(first - 200)
        let (length, overflow) = more.addingReportingOverflow(Int64(tail.count))
        guard !overflow, let found = try? ZipEnd.find(in: tail, ofFileOfLength: length) else { return }
        switch found {
        case .needsMore(let position):
            try claim(
                position >= 0 && position < length - Int64(tail.count), "asks for bytes from \(position) of \(length)")
        case .end(let end): try check(end, length)
        }
    }

    /// Parses the input as a whole archive.
    static let zipArchive = ParserProperty(name: "zip") { (bytes) throws(Violation) in
        guard case .end(let end) = try? ZipEnd.find(in: bytes, ofFileOfLength: Int64(bytes.count)) else { return }
        try check(end, Int64(bytes.count))
        let slice = Array(bytes[Int(end.directoryStart)..<Int(end.directoryEnd)])
        guard let directory = try? ZipDirectory(parsing: slice, end: end) else { return }
        try claim(
            UInt64(directory.entries.count) == end.entryCount, "\(directory.entries.count) members of \(end.entryCount)"
        )
        var last = end.directoryStart
        for entry in directory.entries.sorted(by: { $0.headerOffset > $1.headerOffset }) {
            try claim(entry.dataBound == last, "a bound of \(entry.dataBound) where \(last) follows")
            last = entry.headerOffset
            try check(entry, bytes)
        }
        try claim(last >= 0, "begins at \(last)")
        try check(gap: bytes)
    }

    private static func check(_ end: ZipEnd, _ length: Int64) throws(Violation) {
        try claim(
            0 <= end.directoryStart && end.directoryStart <= end.directoryEnd && end.directoryEnd <= length,
            "\(end) in \(length) bytes")
        try claim(0 <= end.prefixLength && end.prefixLength <= end.directoryStart, "\(end.prefixLength) bytes in front")
        try claim(end.fileLength == length && end.comment.count <= 65_535, "\(end)")
    }

    private static func check(_ entry: ZipEntry, _ bytes: [UInt8]) throws(Violation) {
        try claim(entry.size >= 0 && entry.compressedSize >= 0 && entry.headerOffset >= 0, "\(entry)")
        try claim(
            entry.headerOffset + 30 + Int64(entry.rawName.count) + entry.compressedSize <= entry.dataBound,
            "reaches over its bound: \(entry)")
        try claim(entry.cleanLocalHeader().count <= 100, "a header of \(entry.cleanLocalHeader().count) bytes")
        // Its header may say that it has some.
        try claim(
            entry.kind != .directory || entry.member().size == 0, "a directory of \(entry.member().size ?? -1) bytes")
        let whole = bytes[Int(entry.headerOffset)..<Int(entry.dataBound)]
        let found = try? entry.localHeader(whole)
        guard let found else { return }
        // No bytes follow the bound, so the parser must not ask for more.
        guard case .header(let header) = found else { throw Violation(description: "asks for more than there is") }
        try claim(
            entry.headerOffset < header.dataRange.lowerBound && header.dataRange.upperBound <= entry.dataBound,
            "\(header)")
        try claim(Int64(header.dataRange.count) == entry.compressedSize, "\(header.dataRange.count) bytes")
        let behind = bytes[Int(header.dataRange.upperBound)..<Int(entry.dataBound)].prefix(
            ZipEntry.maximumDescriptorSize)
        if let length = try? entry.descriptorLength(behind) {
            try claim(length <= behind.count, "a descriptor of \(length) bytes")
        }
        // A shorter beginning gives the same header or a request for more bytes.
        for count in [0, 29, 30, 31, 46, whole.count / 2] where count < whole.count {
            switch try? entry.localHeader(whole.prefix(count)) {
            case .header(let other): try claim(other == header, "two headers")
            case .needsMore(let more): try claim(more > count, "asks for \(more) bytes and has \(count)")
            case nil: throw Violation(description: "of its beginning it says other things")
            }
        }
    }

    /// Checks that searching in two pieces gives the same result.
    private static func check(gap bytes: [UInt8]) throws(Violation) {
        let half = bytes.count / 2
        let first = bytes[..<min(half + ZipGap.lookahead, bytes.count)]
        let pieces = ZipGap.holdsRecord(first, before: half) || ZipGap.holdsRecord(bytes[half...])
        try claim(pieces == ZipGap.holdsRecord(bytes[...]), "in pieces something else is found")
    }
}
