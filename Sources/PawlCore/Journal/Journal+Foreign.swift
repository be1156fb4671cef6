/// Telling a journal that claims nothing from somebody's own file with such a name, which is never removed.
extension Journal {
    private static let magics = [magic, unsyncedMagic, doubtMagic]
    /// A disk writes it as a whole.
    private static let sectorSize = 512

    private static func slots(of file: [UInt8]) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: min(file.count, fileSize), by: slotSize).map { file[$0..<min($0 + slotSize, file.count)] }
    }

    /// Whether a slot was begun by Pawl, whatever came of it.
    static func bearsMagic(_ file: [UInt8]) -> Bool {
        slots(of: file).contains { slot in magics.contains { slot.starts(with: $0) } }
    }

    /// Whether a journal without a whole record can look like this. A write that was cut off leaves the beginning of
    /// a slot, or later sectors of it without the first.
    static func mayBeOurs(_ file: [UInt8]) -> Bool {
        if bearsMagic(file) { return true }
        return file.count <= fileSize
            && slots(of: file).allSatisfy { slot in
                magics.contains { magic in
                    let kept = zip(slot, magic).prefix { $0 == $1 }.count
                    return slot.prefix(sectorSize).dropFirst(kept).allSatisfy { $0 == 0 }
                }
            }
    }
}
