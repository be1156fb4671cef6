/// The numbers of a directory header for which 32 bits may not do, with what the zip64 extra field says (APPNOTE 4.5.3,
/// FAULTS Z06).
struct Zip64Numbers {
    let size: Int64
    let compressed: Int64
    let offset: Int64
    let disk: UInt32

    /// “The order of the fields in the zip64 extended information record is fixed, but the fields MUST only appear if
    /// the corresponding Local or Central directory record field is set to 0xFFFF or 0xFFFFFFFF.” Go and macOS write
    /// more than that; so more is allowed where it repeats what the header says, and where both ways to read it come to
    /// the same.
    init(
        size shortSize: UInt32, compressed shortCompressed: UInt32, offset shortOffset: UInt32, disk shortDisk: UInt16,
        zip64: ArraySlice<UInt8>?, of path: String
    ) throws(ArchiveError) {
        let shorts = [shortSize, shortCompressed, shortOffset]
        var values = shorts.map(UInt64.init)
        var disk = UInt32(shortDisk)
        if let zip64 {
            var fields = ZipFields(zip64)
            var missing = false
            for index in shorts.indices where shorts[index] == .max {
                values[index] = fields.u64()
                missing = missing || !fields.fits
            }
            if shortDisk == .max { disk = fields.u32() }
            guard fields.fits, Self.repeats(shorts, values, disk, zip64) else {
                throw .zipDamaged(path, "its zip64 sizes are malformed")
            }
        }
        guard let size = Int64(exactly: values[0]), let compressed = Int64(exactly: values[1]),
            let offset = Int64(exactly: values[2])
        else {
            throw .zipDamaged(path, "its sizes are impossible")
        }
        (self.size, self.compressed, self.offset, self.disk) = (size, compressed, offset, disk)
    }

    /// Whether nothing is left over in the extra field, or it is the full row, whose numbers are these.
    private static func repeats(
        _ shorts: [UInt32], _ values: [UInt64], _ disk: UInt32, _ zip64: ArraySlice<UInt8>
    ) -> Bool {
        let needed = shorts.filter { $0 == .max }.count * 8
        if zip64.count == needed || zip64.count == needed + 4 {
            return zip64.count == needed || ZipFields.last32(zip64) == disk
        }
        var fields = ZipFields(zip64)
        for value in values where fields.count >= 8 {
            guard fields.u64() == value else { return false }
        }
        return fields.count == 0 || (fields.count == 4 && fields.u32() == disk)
    }
}

extension ZipFields {
    fileprivate static func last32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var fields = ZipFields(bytes.suffix(4))
        return fields.u32()
    }
}
