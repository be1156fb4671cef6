/// The claims of the journal that were not synced: every range that was written, recorded a few times a second.
///
/// A killed process leaves its writes in the page cache, so in the same boot this is true of the partial file, if a
/// sync of that file succeeds; after another boot it says nothing. While a sync of the partial file is under way, and
/// after one that failed, the record is doubtful: the system reports a failed write to one sync only, and that one may
/// have received the report (docs/decisions/0034).
package struct UnsyncedRecord: Hashable, Sendable {
    /// The record, whose ``JournalRecord/generation`` counts the unsynced records.
    package var record: JournalRecord
    package var isDoubtful: Bool

    package init(_ record: JournalRecord, isDoubtful: Bool = false) {
        self.record = record
        self.isDoubtful = isDoubtful
    }

    /// Whether a process of `owner`'s boot may believe it, once a sync has succeeded.
    package func isOfUse(to owner: Owner) -> Bool {
        !isDoubtful && !owner.bootID.isEmpty && record.owner.bootID == owner.bootID
    }
}

extension Journal {
    static let unsyncedMagic: [UInt8] = Array("PAWLSOFT".utf8)
    static let doubtMagic: [UInt8] = Array("PAWLDOUB".utf8)

    /// Written in turn like the durable slots, for a process can be killed in the middle of a write.
    package static func unsyncedSlotOffset(generation: UInt64) -> Int64 {
        Int64(durableSize) + slotOffset(generation: generation)
    }

    package static func encode(_ unsynced: UnsyncedRecord) -> [UInt8] {
        encode(unsynced.record, magic: unsynced.isDoubtful ? doubtMagic : unsyncedMagic)
    }

    /// The latest unsynced record of a whole journal file. Anything that is not one is passed over: nothing depends on
    /// it.
    package static func decodeUnsynced(_ file: [UInt8]) -> UnsyncedRecord? {
        var latest: UnsyncedRecord?
        for start in [durableSize, durableSize + slotSize] where start < file.count {
            let slot = file[start..<min(start + slotSize, file.count)]
            for (magic, isDoubtful) in [(unsyncedMagic, false), (doubtMagic, true)] {
                guard case .record(let record) = decodeSlot(slot, magic: magic),
                    unsyncedSlotOffset(generation: record.generation) == Int64(start),
                    latest.map({ $0.record.generation < record.generation }) ?? true
                else { continue }
                latest = UnsyncedRecord(record, isDoubtful: isDoubtful)
            }
        }
        return latest
    }

    /// The durable record, or without one the unsynced record, whatever it is worth: who the journal belongs to.
    package static func latest(_ file: [UInt8]) -> JournalRecord? {
        if case .record(let record) = decode(file) { return record }
        return decodeUnsynced(file)?.record
    }
}
