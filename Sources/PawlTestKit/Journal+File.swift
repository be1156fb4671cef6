package import PawlCore

extension Journal {
    /// A complete journal file that holds one durable record, for a test to put beside a partial file.
    package static func file(holding record: JournalRecord) -> [UInt8] {
        var file = [UInt8](repeating: 0, count: fileSize)
        let slot = encode(record)
        let start = Int(slotOffset(generation: record.generation))
        file.replaceSubrange(start..<start + slot.count, with: slot)
        return file
    }
}
