/// The traditional cipher of PKZIP (APPNOTE 6.1). It is easily broken, but archives encrypted with it exist.
///
/// It is here and not left to libarchive since the check of the password depends on a flag that libarchive would take
/// for a promise of more: that sizes and checksum follow the data, at a place it then looks for.
package struct ZipCipher {
    /// The header in front of the data, whose last byte tells whether the password is right (6.1.6).
    package static let headerLength = 12

    private var keys: (UInt32, UInt32, UInt32) = (0x1234_5678, 0x2345_6789, 0x3456_7890)

    package init(password: some Sequence<UInt8>) {
        for byte in password { update(byte, ZipCRC32.table) }
    }

    /// Whether the header was made with this password, as far as its one byte tells; the cipher then stands at the
    /// data's beginning.
    ///
    /// - Parameter check: the byte that must come out: the highest of the checksum, or with a data descriptor the
    ///   higher of DOS's time.
    package mutating func opens(_ header: some Sequence<UInt8>, check: UInt8) -> Bool {
        var last: UInt8 = 0
        for byte in header { last = decrypt(byte, ZipCRC32.table) }
        return last == check
    }

    package mutating func decrypt(_ bytes: UnsafeMutableRawBufferPointer) {
        var cipher = self
        let table = ZipCRC32.table
        for index in bytes.indices { bytes[index] = cipher.decrypt(bytes[index], table) }
        self = cipher
    }

    private mutating func decrypt(_ byte: UInt8, _ table: [UInt32]) -> UInt8 {
        let word = keys.2 & 0xFFFF | 2
        let plain = byte ^ UInt8(truncatingIfNeeded: (word &* (word ^ 1)) >> 8)
        update(plain, table)
        return plain
    }

    private mutating func update(_ byte: UInt8, _ table: [UInt32]) {
        keys.0 = Self.crc(keys.0, byte, table)
        keys.1 = (keys.1 &+ keys.0 & 0xFF) &* 134_775_813 &+ 1
        keys.2 = Self.crc(keys.2, UInt8(truncatingIfNeeded: keys.1 >> 24), table)
    }

    private static func crc(_ crc: UInt32, _ byte: UInt8, _ table: [UInt32]) -> UInt32 {
        table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8
    }
}

extension ZipEntry {
    /// Returns the check value for ``ZipCipher/opens(_:check:)``.
    package func passwordCheck(_ header: ZipLocalHeader) -> UInt8 {
        UInt8(truncatingIfNeeded: header.hasDescriptor ? header.dosTime >> 8 : crc32 >> 24)
    }

    /// A local header, made anew, that says of the member what is known to be true and nothing else: its sizes stand in
    /// it, also where they followed the data. What ``ZipCipher`` decrypts is not encrypted any more.
    package func cleanLocalHeader() -> [UInt8] {
        var extra: [UInt8] = []
        // A directory has no bytes, whatever its headers say: not even those that a password is checked by.
        let (hasData, size) = (kind != .directory, unpackedSize)
        var (cleanMethod, cleanFlags, cleanSize) = (method, flags & 0b110, hasData ? compressedSize : 0)
        switch hasData ? encryption : nil {
        case nil: break
        case .traditional: cleanSize -= Int64(ZipCipher.headerLength)
        case .aes(let version, let strength):
            extra =
                Self.little(UInt16(0x9901)) + Self.little(UInt16(7)) + Self.little(version) + [0x41, 0x45, strength]
                + Self.little(method)
            (cleanMethod, cleanFlags) = (ZipMethod.aes, cleanFlags | 1)
        }
        let isLarge = max(size, cleanSize) >= Int64(UInt32.max)
        if isLarge {
            extra =
                Self.little(UInt16(1)) + Self.little(UInt16(16)) + Self.little(size) + Self.little(cleanSize) + extra
        }
        var bytes: [UInt8] = Self.little(ZipSignature.localHeader) + Self.little(UInt16(63)) + Self.little(cleanFlags)
        bytes += Self.little(cleanMethod) + Self.little(dosTime) + Self.little(crc32)
        bytes += Self.little(isLarge ? .max : UInt32(cleanSize)) + Self.little(isLarge ? .max : UInt32(size))
        // Its name is of no matter: we know which it is.
        bytes += Self.little(UInt16(1)) + Self.little(UInt16(extra.count)) + [UInt8(ascii: "0")]
        return bytes + extra
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
