/// The extra fields of a header (APPNOTE 4.5): those that say something we need.
struct ZipExtras {
    /// The field 0x0001: sizes and offset of 64 bits.
    private(set) var zip64: ArraySlice<UInt8>?
    /// The field 0x7075: the name in UTF-8.
    private(set) var unicodePath: ArraySlice<UInt8>?
    /// The field 0x9901: WinZip's AES.
    private(set) var aes: ArraySlice<UInt8>?
    /// The field 0x5455: times of Unix.
    private(set) var unixTimes: ArraySlice<UInt8>?
    /// The field 0x000A: times of NTFS.
    private(set) var ntfs: ArraySlice<UInt8>?
    /// The older field 0x5855: times of access and of change.
    private(set) var oldUnix: ArraySlice<UInt8>?
    /// Whether a field that decides how the member is read occurs twice: programs differ in which they take (FAULTS
    /// Z05).
    private(set) var repeatsOne = false

    /// Fields that overrun the rest are padding or damage that all programs pass over; so do we, as whatever is needed
    /// and then not found is an error.
    init(_ bytes: ArraySlice<UInt8>) {
        var fields = ZipFields(bytes)
        while fields.count >= 4 {
            let id = fields.u16()
            let data = fields.bytes(Int(fields.u16()))
            guard fields.fits else { return }
            take(id, data)
        }
    }

    private mutating func take(_ id: UInt16, _ data: ArraySlice<UInt8>) {
        switch id {
        case 0x0001:
            repeatsOne = repeatsOne || zip64 != nil
            zip64 = zip64 ?? data
        case 0x7075:
            repeatsOne = repeatsOne || unicodePath != nil
            unicodePath = unicodePath ?? data
        case 0x9901:
            repeatsOne = repeatsOne || aes != nil
            aes = aes ?? data
        case 0x5455: unixTimes = unixTimes ?? data
        case 0x000A: ntfs = ntfs ?? data
        case 0x5855: oldUnix = oldUnix ?? data
        default: break
        }
    }

    /// The time of modification, in seconds since 1970, if an extra field gives it; more exact than the time of DOS,
    /// and without a time zone.
    var modified: Int64? {
        if let unixTimes {
            var fields = ZipFields(unixTimes)
            let flags = fields.u8()
            let seconds = Int32(bitPattern: fields.u32())
            if flags & 1 == 1, fields.fits { return Int64(seconds) }
        }
        return ntfs.flatMap(Self.modified(ntfs:)) ?? oldUnix.flatMap(Self.modified(oldUnix:))
    }

    /// Returns the time of modification in a field of NTFS: four reserved bytes, then attributes, of which number 1
    /// begins with that time (4.5.5).
    private static func modified(ntfs: ArraySlice<UInt8>) -> Int64? {
        var fields = ZipFields(ntfs)
        fields.skip(4)
        while fields.count >= 4 {
            let tag = fields.u16()
            var data = ZipFields(fields.bytes(Int(fields.u16())))
            guard fields.fits else { return nil }
            guard tag == 1 else { continue }
            let ticks = data.u64()
            // Of 100 ns since 1601; 11,644,473,600 s before 1970.
            return data.fits && ticks != 0 ? Int64(ticks / 10_000_000) - 11_644_473_600 : nil
        }
        return nil
    }

    private static func modified(oldUnix: ArraySlice<UInt8>) -> Int64? {
        var fields = ZipFields(oldUnix)
        fields.skip(4)
        let seconds = Int32(bitPattern: fields.u32())
        return fields.fits ? Int64(seconds) : nil
    }
}
