/// Builds zip archives byte by byte, valid or broken: each number can be set independently of its true value.
package struct ZipBuilder {
    package struct Member {
        package var name: [UInt8]
        /// The data as stored: compress or encrypt it first.
        package var data: [UInt8]
        package var method: UInt16 = 0
        package var flags: UInt16 = 0
        package var crc32: UInt32
        package var size: UInt32
        package var compressedSize: UInt32
        package var madeBy: UInt16 = 0x031E
        package var attributes: UInt32 = 0o100644 << 16
        package var time: UInt16 = 0
        package var date: UInt16 = 0x5A21
        package var extra: [UInt8] = []
        package var localExtra: [UInt8] = []
        package var comment: [UInt8] = []
        package var disk: UInt16 = 0
        /// The local header's offset as the directory gives it; nil for the true offset.
        package var offset: UInt32?
        /// Local header values that differ from the directory's.
        package var localName: [UInt8]?
        package var localMethod: UInt16?
        package var localFlags: UInt16?
        package var localCRC32: UInt32?
        package var localSize: UInt32?
        package var localCompressedSize: UInt32?
        /// Bytes after the data: a data descriptor, or anything.
        package var after: [UInt8] = []
        /// A false value leaves the member out of the directory, or out of the file.
        package var isListed = true
        package var isWritten = true

        package init(_ name: String, _ data: [UInt8] = []) {
            self.init(name: Array(name.utf8), data)
        }

        package init(name: [UInt8], _ data: [UInt8] = []) {
            self.name = name
            self.data = data
            crc32 = ZipBuilder.crc32(data)
            size = UInt32(data.count)
            compressedSize = UInt32(data.count)
        }
    }

    package var members: [Member] = []
    package var prefix: [UInt8] = []
    /// Bytes between the last member and the directory.
    package var beforeDirectory: [UInt8] = []
    package var comment: [UInt8] = []
    package var suffix: [UInt8] = []
    /// Offsets count from the beginning of the prefix, as those of some self-extracting archives do.
    package var countsPrefix = false
    /// Numbers to write in place of the true ones.
    package var count: UInt16?
    package var directoryOffset: UInt32?
    package var directoryLength: UInt32?
    package var disk: UInt16 = 0
    /// Adds the zip64 records; `isMaximal` decides whether the end record has its largest values or its own numbers.
    package var zip64: Zip64?

    package struct Zip64 {
        package var isMaximal = true
        package var count: UInt64?
        package var locatorOffset: UInt64?
        package var sector: [UInt8] = []
        package var length: UInt64?

        package init() {}
    }

    package init(_ members: [Member] = []) { self.members = members }

    package func bytes() -> [UInt8] {
        var file = prefix
        var offsets: [Int] = []
        let base = countsPrefix ? 0 : prefix.count
        for member in members {
            offsets.append(file.count - base)
            if member.isWritten { file += Self.local(member) }
        }
        file += beforeDirectory
        let start = file.count
        let listed = zip(members, offsets).filter(\.0.isListed)
        for (member, offset) in listed { file += Self.directory(member, offset: offset) }
        let length = file.count - start
        file += zip64Records(count: listed.count, offset: start - base, length: length, position: file.count - base)
        let isMaximal = zip64?.isMaximal == true
        let number = count ?? (isMaximal ? .max : UInt16(listed.count))
        file += [0x50, 0x4B, 5, 6] + Self.little(disk) + Self.little(disk) + Self.little(number) + Self.little(number)
        file += Self.little(directoryLength ?? (isMaximal ? .max : UInt32(length)))
        file += Self.little(directoryOffset ?? (isMaximal ? .max : UInt32(start - base)))
        return file + Self.little(UInt16(comment.count)) + comment + suffix
    }

    package static func local(_ member: Member) -> [UInt8] {
        let name = member.localName ?? member.name
        var bytes: [UInt8] = [0x50, 0x4B, 3, 4, 20, 0]
        bytes += little(member.localFlags ?? member.flags) + little(member.localMethod ?? member.method)
        bytes += little(member.time) + little(member.date) + little(member.localCRC32 ?? member.crc32)
        bytes += little(member.localCompressedSize ?? member.compressedSize) + little(member.localSize ?? member.size)
        bytes += little(UInt16(name.count)) + little(UInt16(member.localExtra.count))
        return bytes + name + member.localExtra + member.data + member.after
    }

    private static func directory(_ member: Member, offset: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x50, 0x4B, 1, 2] + little(member.madeBy) + [20, 0]
        bytes +=
            little(member.flags) + little(member.method) + little(member.time) + little(member.date)
            + little(member.crc32)
        bytes += little(member.compressedSize) + little(member.size)
        bytes +=
            little(UInt16(member.name.count)) + little(UInt16(member.extra.count))
            + little(UInt16(member.comment.count))
        bytes +=
            little(member.disk) + little(UInt16(0)) + little(member.attributes)
            + little(member.offset ?? UInt32(offset))
        return bytes + member.name + member.extra + member.comment
    }

    private func zip64Records(count: Int, offset: Int, length: Int, position: Int) -> [UInt8] {
        guard let zip64 else { return [] }
        let number = zip64.count ?? UInt64(count)
        var bytes: [UInt8] =
            [0x50, 0x4B, 6, 6] + Self.little(zip64.length ?? UInt64(44 + zip64.sector.count)) + [45, 3, 45, 0]
        bytes += Self.little(UInt32(0)) + Self.little(UInt32(0)) + Self.little(number) + Self.little(number)
        bytes += Self.little(UInt64(length)) + Self.little(UInt64(offset)) + zip64.sector
        bytes +=
            [0x50, 0x4B, 6, 7] + Self.little(UInt32(0)) + Self.little(zip64.locatorOffset ?? UInt64(position))
            + Self.little(UInt32(1))
        return bytes
    }

    package static func extra(_ id: UInt16, _ data: [UInt8]) -> [UInt8] {
        little(id) + little(UInt16(data.count)) + data
    }

    /// The zip64 extra field.
    package static func zip64Extra(_ values: UInt64...) -> [UInt8] { extra(1, values.flatMap(little)) }

    /// A data descriptor with its signature.
    package static func descriptor(_ crc32: UInt32, _ compressed: UInt32, _ size: UInt32) -> [UInt8] {
        [0x50, 0x4B, 7, 8] + little(crc32) + little(compressed) + little(size)
    }

    package static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Computes the CRC by definition, a bit at a time.
    package static func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }
}
