/// Names that are bytes (FAULTS Z08): a tar does not say what they are in.
enum MemberName {
    /// Decodes a name as UTF-8 where it is valid; else as ISO 8859-1, in which every byte is a letter (M07), except for
    /// its controls: they become `%9B` and the like, and no two names become one.
    static func text(of bytes: some Collection<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        for byte in bytes {
            if (0x80..<0xA0).contains(byte) {
                scalars.append(contentsOf: "%\(String(byte, radix: 16, uppercase: true))".unicodeScalars)
            } else {
                scalars.append(Unicode.Scalar(byte))
            }
        }
        return String(scalars)
    }
}
