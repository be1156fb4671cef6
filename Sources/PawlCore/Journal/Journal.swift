/// The journal's file format, version 4: records to bytes and back. Versions 1 to 3 are read as well. The byte diagram
/// is in `docs/journal-format.md`.
///
/// Two slots are written in turn, in place, in a file whose space is reserved beforehand: a checkpoint needs no free
/// space, and a torn write costs one generation at most. Behind them lie two more for the unsynced record
/// (Journal+Unsynced.swift).
package enum Journal {
    package static let version: UInt32 = 4
    private static let oldestVersion: UInt32 = 1
    package static let slotSize = 32 * 1024
    package static let fileSize = 4 * slotSize
    /// The number of bytes to read of a file that may be a journal: one byte more than a journal has.
    package static let readSize = fileSize + 1
    static let durableSize = 2 * slotSize
    static let magic: [UInt8] = Array("PAWLJRNL".utf8)
    /// magic 8, version 4, payload length 4, generation 8.
    static let headerSize = 24
    static let checksumSize = 8

    package enum Contents: Hashable, Sendable {
        case record(JournalRecord)
        /// No record was ever written: it claims nothing.
        case empty
        /// The very first record was cut short, and the other slot was never used: it claims nothing either.
        case torn
        /// The file was written, and neither slot is complete.
        case corrupt
        /// The file does not look like a journal: a user's own file, with a name that ends like one.
        case foreign
        case newerVersion(UInt32)
    }

    /// Returns the position of the slot of a generation.
    package static func slotOffset(generation: UInt64) -> Int64 {
        generation % 2 == 0 ? 0 : Int64(slotSize)
    }

    /// The bytes of a slot, not padded. Ranges and block hashes that find no room are left out, smallest ranges first:
    /// a journal may claim less than is true, never more.
    package static func encode(_ record: JournalRecord) -> [UInt8] { encode(record, magic: magic) }

    static func encode(_ record: JournalRecord, magic: [UInt8]) -> [UInt8] {
        var record = record
        while true {
            let slot = encodeWhole(record, magic)
            if slot.count <= slotSize { return slot }
            if !record.recentBlocks.isEmpty {
                record.recentBlocks = []
            } else if !record.blockHashes.isEmpty {
                record.blockHashes = [:]
            } else if record.durable.ranges.count > 64 {
                let kept = record.durable.ranges.sorted { $0.count > $1.count }.prefix(record.durable.ranges.count / 2)
                record.durable = RangeSet(kept)
            } else {
                // Only text is left to be large. It is for people, and matching uses the hash.
                record.url = String(record.url.prefix(1024))
                record.representation.digests = []
                // Proven: every text that stays is bounded where it comes in: field values by `Representation`, names
                // by the disk.
                precondition(encodeWhole(record, magic).count <= slotSize, "journal text larger than a slot")
            }
        }
    }

    private static func encodeWhole(_ record: JournalRecord, _ magic: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes(magic)
        writer.integer(version)
        writer.integer(UInt32(0))
        writer.integer(record.generation)
        writer.bytes(record.id)
        writer.integer(record.state.rawValue)
        writer.integer(UInt32(bitPattern: record.owner.processID))
        writer.integer(UInt64(bitPattern: record.owner.startTime))
        writer.block(record.owner.bootID)
        writer.text(record.owner.hostName)
        writer.text(record.url)
        writer.urlHash(record.urlHash)
        writer.text(record.targetName)
        writer.optional(record.representation.total) { $0.integer(UInt64($1)) }
        writer.optional(record.representation.entityTag) { $0.text($1.raw) }
        writer.optional(record.representation.lastModified) { $0.text($1) }
        writer.optional(record.representation.date) { $0.text($1) }
        writer.optional(record.representation.contentCoding) { $0.text($1) }
        writer.list(record.representation.digests) { $0.digest($1) }
        writer.integer(record.partialDevice)
        writer.integer(record.partialInode)
        writer.optional(record.expectedDigest) { $0.digest($1) }
        writer.integer(UInt64(bitPattern: record.updated))
        writer.integer(UInt64(record.blockSize))
        writer.integer(record.blockHashFunction.rawValue)
        writer.list(record.durable.ranges) {
            $0.integer(UInt64($1.start))
            $0.integer(UInt64($1.end))
        }
        writer.list(record.blockHashes.sorted { $0.key < $1.key }) {
            $0.integer(UInt32($1.key))
            $0.integer($1.value)
        }
        writer.list(record.recentBlocks) { $0.integer(UInt32($1)) }
        writer.optional(record.identityHash) { $0.bytes($1) }
        writer.integer(UInt64(record.adopted))

        var slot = writer.buffer
        let payload = UInt32(slot.count - headerSize)
        withUnsafeBytes(of: payload.littleEndian) { slot.replaceSubrange(12..<16, with: $0) }
        let checksum = slot.withUnsafeBytes(XXHash64.hash)
        withUnsafeBytes(of: checksum.littleEndian) { slot.append(contentsOf: $0) }
        return slot
    }

    /// Reads a whole journal file and takes the valid slot of the highest generation.
    package static func decode(_ file: [UInt8]) -> Contents {
        guard file.prefix(durableSize).contains(where: { $0 != 0 }) else { return mayBeOurs(file) ? .empty : .foreign }
        var newest: JournalRecord?
        var newerVersion: UInt32?
        for index in 0..<2 {
            let start = index * slotSize
            guard start < file.count else { continue }
            switch decodeSlot(file[start..<min(start + slotSize, file.count)], magic: magic) {
            case .record(let record):
                // A slot that sits in the other's place was not put there by us.
                guard slotOffset(generation: record.generation) == Int64(start) else { continue }
                if newest.map({ $0.generation < record.generation }) ?? true { newest = record }
            case .newerVersion(let version): newerVersion = version
            case .empty, .torn, .corrupt, .foreign: continue
            }
        }
        if let newerVersion { return .newerVersion(newerVersion) }
        if let newest { return .record(newest) }
        // The first record goes into the second slot; both have been used from the second record on.
        guard file.prefix(slotSize).contains(where: { $0 != 0 }) else { return mayBeOurs(file) ? .torn : .foreign }
        return bearsMagic(file) || magic.starts(with: file) ? .corrupt : .foreign
    }

    /// Reads the record of a single slot; nil for anything else.
    package static func record(inSlot slot: [UInt8]) -> JournalRecord? {
        if case .record(let record) = decodeSlot(slot[...], magic: magic) { record } else { nil }
    }

    static func decodeSlot(_ slot: ArraySlice<UInt8>, magic: [UInt8]) -> Contents {
        var header = ByteReader(slot)
        guard header.bytes(magic.count) == magic, let version: UInt32 = header.integer(),
            let payload: UInt32 = header.integer()
        else { return .corrupt }
        // The checksum of a later version may be another, so its number is believed without.
        guard version >= oldestVersion, version <= self.version else {
            return version > self.version ? .newerVersion(version) : .corrupt
        }
        let end = headerSize + Int(payload)
        guard end + checksumSize <= slot.count else { return .corrupt }
        let body = slot.prefix(end)
        var trailer = ByteReader(slot.dropFirst(end))
        guard let checksum: UInt64 = trailer.integer(), checksum == body.withUnsafeBytes(XXHash64.hash) else {
            return .corrupt
        }
        var reader = ByteReader(body.dropFirst(16))
        return decodePayload(&reader, version).map(Contents.record) ?? .corrupt
    }

    private static func decodePayload(_ reader: inout ByteReader, _ version: UInt32) -> JournalRecord? {
        guard let generation: UInt64 = reader.integer(),
            let id = reader.bytes(16),
            let state = (reader.integer() as UInt8?).flatMap(JournalRecord.State.init(rawValue:)),
            let processID: UInt32 = reader.integer(),
            let startTime: UInt64 = reader.integer(),
            let bootID = reader.block(),
            let hostName = reader.text(),
            let url = reader.text(),
            let urlHash = version < 3 ? reader.integer().map(URLHash.xxh64) : reader.urlHash(),
            let targetName = reader.text(),
            let total = reader.optional({ $0.position() }),
            let tag = reader.optional({ $0.text().flatMap(EntityTag.init(parsing:)) }),
            let lastModified = reader.optional({ $0.text() }),
            let date = reader.optional({ $0.text() }),
            let coding = reader.optional({ $0.text() }),
            let digests = reader.list({ $0.digest() }),
            let device: UInt64 = reader.integer(),
            let inode: UInt64 = reader.integer(),
            let expected = reader.optional({ $0.digest() }),
            let updated: UInt64 = reader.integer(),
            let blockSize = reader.position(), blockSize >= BlockHasher.smallestBlock,
            let function = version < 3
                ? .xxh64 : (reader.integer() as UInt8?).flatMap(BlockHashFunction.init(rawValue:)),
            let ranges = reader.list({ reader in
                reader.position().flatMap { start in reader.position().flatMap { ByteRange(start: start, end: $0) } }
            }),
            let hashes = reader.list({ reader -> (Int64, UInt64)? in
                guard let index: UInt32 = reader.integer(), let hash: UInt64 = reader.integer() else { return nil }
                return (Int64(index), hash)
            }),
            let recent = reader.list({ reader in (reader.integer() as UInt32?).map(Int64.init) }),
            let identityHash = version < 2 ? .some(nil) : reader.optional({ $0.bytes(JournalRecord.identityHashSize) }),
            let adopted = version < 4 ? 0 : reader.position(),
            reader.isAtEnd
        else { return nil }
        let durable = RangeSet(ranges)
        if let total, durable.upperBound > total { return nil }
        // A checksum says that the bytes are as they were written, not by whom: the next generation must not overflow.
        guard generation < .max - (1 << 32) else { return nil }
        return JournalRecord(
            generation: generation, id: id,
            owner: Owner(
                processID: Int32(bitPattern: processID), bootID: bootID, startTime: Int64(bitPattern: startTime),
                hostName: hostName),
            state: state, url: url, urlHash: urlHash, targetName: targetName,
            representation: Representation(
                total: total, entityTag: tag, lastModified: lastModified, date: date, contentCoding: coding,
                digests: digests),
            partialDevice: device, partialInode: inode, expectedDigest: expected, updated: Int64(bitPattern: updated),
            blockSize: blockSize, durable: durable,
            blockHashes: Dictionary(hashes, uniquingKeysWith: { first, _ in first }), recentBlocks: recent,
            blockHashFunction: function, identityHash: identityHash, adopted: adopted)
    }
}

extension ByteWriter {
    fileprivate mutating func urlHash(_ hash: URLHash) {
        switch hash {
        case .xxh64(let hash):
            integer(UInt8(0))
            integer(hash)
        case .sha256(let hash):
            integer(UInt8(1))
            bytes(hash)
        }
    }
}

extension ByteReader {
    fileprivate mutating func urlHash() -> URLHash? {
        switch integer() as UInt8? {
        case 0: integer().map(URLHash.xxh64)
        case 1: bytes(URLHash.sha256Size).map(URLHash.sha256)
        default: nil
        }
    }
}
