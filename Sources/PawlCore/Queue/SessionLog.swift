/// The bytes of a session file (docs/session-format.md): a header, two commit slots written in turn, and a log of
/// changes.
package enum SessionLog {
    package static let version: UInt32 = 1
    package static let headerSize = 24
    package static let slotOffsets = [512, 1024]
    package static let slotSize = 32
    /// The position at which the log begins.
    package static let start: Int64 = 4096
    static let magic: [UInt8] = Array("PAWLSESS".utf8)
    /// A record that is longer is no record.
    static let maximumFrameSize = 256 << 20

    /// The part of the log that counts. Bytes behind it were never completed.
    package struct Commit: Hashable, Sendable {
        package var generation: UInt64
        /// The length in bytes, from ``start``.
        package var length: Int64

        package init(generation: UInt64, length: Int64) {
            self.generation = generation
            self.length = length
        }
    }

    package enum Header: Hashable, Sendable {
        case current
        case newer(UInt32)
        case damaged
    }

    // MARK: Writing

    package static var header: [UInt8] {
        var writer = ByteWriter()
        writer.bytes(magic)
        writer.integer(version)
        writer.integer(UInt32(0))
        writer.integer(checksum(writer.buffer))
        return writer.buffer
    }

    package static func slot(_ commit: Commit) -> [UInt8] {
        var writer = ByteWriter()
        writer.integer(commit.generation)
        writer.integer(UInt64(commit.length))
        writer.integer(UInt64(0))
        writer.integer(checksum(writer.buffer))
        return writer.buffer
    }

    package static func slotOffset(generation: UInt64) -> Int64 { Int64(slotOffsets[Int(generation % 2)]) }

    package static func frame(_ change: SessionChange) -> [UInt8] {
        var payload = ByteWriter()
        switch change {
        case .put(let record):
            payload.integer(UInt8(1))
            payload.integer(record.id.number)
            payload.bytes(record.bytes)
        case .remove(let id):
            payload.integer(UInt8(2))
            payload.integer(id.number)
        }
        var writer = ByteWriter()
        writer.integer(UInt32(payload.buffer.count))
        writer.integer(checksum(payload.buffer))
        writer.bytes(payload.buffer)
        return writer.buffer
    }

    // MARK: Reading

    package static func readHeader(_ bytes: [UInt8]) -> Header {
        var reader = ByteReader(bytes[...])
        guard bytes.count >= headerSize, reader.bytes(magic.count) == magic, let version: UInt32 = reader.integer(),
            reader.integer() as UInt32? != nil, let sum: UInt64 = reader.integer(), sum == checksum(Array(bytes[..<16]))
        else { return .damaged }
        return version > Self.version ? .newer(version) : version == Self.version ? .current : .damaged
    }

    /// The newest of the two that is whole; nil when neither is.
    package static func newestCommit(_ slots: [[UInt8]]) -> Commit? {
        slots.compactMap { bytes -> Commit? in
            var reader = ByteReader(bytes[...])
            guard bytes.count == slotSize, let generation: UInt64 = reader.integer(), let length = reader.position(),
                reader.integer() as UInt64? != nil, let sum: UInt64 = reader.integer(),
                sum == checksum(Array(bytes[..<24]))
            else { return nil }
            return Commit(generation: generation, length: length)
        }.max { $0.generation < $1.generation }
    }

    /// Whether one of the two slots was written and is not whole. Its contents were synced before, so whole frames
    /// behind the other's length count.
    package static func isTorn(_ slots: [[UInt8]]) -> Bool {
        slots.contains { bytes in bytes.contains { $0 != 0 } && newestCommit([bytes]) == nil }
    }

    package struct Frame: Hashable, Sendable {
        package var change: SessionChange
        /// The size of the frame with its length and checksum, in bytes.
        package var size: Int
    }

    /// The frame that begins at `offset` of these bytes. Nil: damaged, or cut off.
    package static func frame(in bytes: [UInt8], at offset: Int) -> Frame? {
        guard offset >= 0, offset < bytes.count else { return nil }
        var reader = ByteReader(bytes[offset...])
        guard let count: UInt32 = reader.integer(), count <= UInt32(maximumFrameSize),
            let sum: UInt64 = reader.integer(),
            let payload = reader.bytes(Int(count)), sum == checksum(payload)
        else { return nil }
        var content = ByteReader(payload[...])
        guard let kind: UInt8 = content.integer(), let number: UInt64 = content.integer() else { return nil }
        let id = DownloadID(number)
        let size = 12 + Int(count)
        switch kind {
        case 1: return Frame(change: .put(SessionRecord(id: id, bytes: Array(payload[9...]))), size: size)
        case 2 where content.isAtEnd: return Frame(change: .remove(id), size: size)
        default: return nil
        }
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { XXHash64.hash($0) } }
}
