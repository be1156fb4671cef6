import PawlCore

/// The header of a regular file in a tar (POSIX.1-1988 ustar), without an owner and a time: the same file has the same.
package struct USTARHeader {
    package static let blockLength = 512
    /// The largest file of the format: eleven octal digits.
    package static let largestFile: Int64 = (1 << 33) - 1
    /// The end of a tar: two blocks of zeros.
    package static let end = [UInt8](repeating: 0, count: 2 * blockLength)

    /// The header's block.
    package let bytes: [UInt8]

    /// - Parameters:
    ///   - name: of at most 100 bytes.
    ///   - size: at most ``largestFile``.
    package init(_ name: String, size: Int64) {
        var block = [UInt8](repeating: 0, count: Self.blockLength)
        func set(_ text: String, at offset: Int) {
            block.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        set(String(decoding: name.utf8.prefix(100), as: UTF8.self), at: 0)
        set("0000644", at: 100)
        set("0000000", at: 108)
        set("0000000", at: 116)
        set(Self.octal(size, 11), at: 124)
        set(Self.octal(0, 11), at: 136)
        set("0", at: 156)
        set("ustar", at: 257)
        set("00", at: 263)
        // The checksum is that of the header with blanks in its place.
        set("        ", at: 148)
        let sum = block.reduce(0) { $0 + Int64($1) }
        set(Self.octal(sum, 6) + "\0 ", at: 148)
        bytes = block
    }

    /// The number of zeros behind a file of this size.
    package static func padding(of size: Int64) -> Int {
        let rest = Int(size % Int64(blockLength))
        return rest == 0 ? 0 : blockLength - rest
    }

    private static func octal(_ number: Int64, _ digits: Int) -> String {
        let text = String(number, radix: 8)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
