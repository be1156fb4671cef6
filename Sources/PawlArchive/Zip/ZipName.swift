/// Decodes the bytes of a name (APPNOTE 4.4.17, 4.6.9, appendix D; decision 0070).
enum ZipName {
    /// “General purpose bit 11: the filename and comment fields for this file MUST be encoded using UTF-8” (4.4.4).
    static let utf8Flag: UInt16 = 1 << 11

    /// - Parameters:
    ///   - unicodePath: the extra field 0x7075, nil where there is none.
    ///   - host: the system that the member says it was made on.
    /// - Returns: nil if the flag says UTF-8 and it is none, or if the two names of the member differ.
    static func text(
        _ rawName: ArraySlice<UInt8>, flags: UInt16, unicodePath: ArraySlice<UInt8>?, host: UInt8
    ) -> String? {
        let flagged = flags & utf8Flag != 0
        let name = separated(rawName, isUTF8: flagged, host)
        let second = unicodePath.flatMap { inExtra($0, for: rawName) }
            .flatMap { String(validating: separated($0, isUTF8: true, host), as: UTF8.self) }
        if flagged {
            guard let text = String(validating: name, as: UTF8.self) else { return nil }
            if let second, !second.utf8.elementsEqual(text.utf8) { return nil }
            return text
        }
        if let second { return second }
        if name.allSatisfy({ $0 < 0x80 }) || ZipEntry.isUnix(host), let text = String(validating: name, as: UTF8.self) {
            return text
        }
        return cp437(name)
    }

    /// The name in an extra field 0x7075 “Info-ZIP Unicode Path”: version 1, the CRC-32 of the name it is for, then
    /// UTF-8. “If the CRC check fails, this Unicode Path Extra Field SHOULD be ignored”, as somebody who did not know
    /// of it has renamed the member.
    private static func inExtra(_ extra: ArraySlice<UInt8>, for name: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var fields = ZipFields(extra)
        let version = fields.u8()
        let crc = fields.u32()
        guard fields.fits, version == 1, crc == ZipCRC32.of(name) else { return nil }
        return fields.rest
    }

    /// The hosts of APPNOTE 4.4.2.2 on which no name can hold a backslash: MS-DOS, OS/2, Windows NTFS and VFAT.
    /// Info-ZIP numbers NTFS 11.
    private static let backslashHosts: Set<UInt8> = [0, 6, 10, 11, 14]

    static func isOfWindows(_ host: UInt8) -> Bool { backslashHosts.contains(host) }

    /// Old programs for Windows (.NET before 4.6.1, PowerShell 5) separate parts of a path by `\`, against 4.4.17.1.
    /// As in `unzip`, that is believed of members made on such a system, whose names hold no `/`.
    ///
    /// In a name that is not UTF-8, a backslash behind a byte of the upper half may be the second half of a letter in
    /// Shift-JIS, GBK or Big5, and is kept.
    private static func separated(_ name: ArraySlice<UInt8>, isUTF8: Bool, _ host: UInt8) -> ArraySlice<UInt8> {
        let (slash, backslash) = (UInt8(ascii: "/"), UInt8(ascii: "\\"))
        guard isOfWindows(host), name.contains(backslash), !name.contains(slash) else { return name }
        var separated = name
        for index in name.indices where name[index] == backslash {
            if isUTF8 || index == name.startIndex || name[index - 1] < 0x80 { separated[index] = slash }
        }
        return separated
    }

    /// Decodes IBM code page 437, the encoding of a name without another mark (appendix D.1).
    static func cp437(_ name: ArraySlice<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        for byte in name { text.append(byte < 0x80 ? Unicode.Scalar(byte) : upperHalf[Int(byte) - 0x80]) }
        return String(text)
    }

    private static let upperHalf = Array(
        """
        ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐\
        └┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}
        """.unicodeScalars)
}

/// The checksum of zip, one byte at a time: for names and for the cipher, which needs it so.
enum ZipCRC32 {
    static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ crc >> 8 }
    }
}
