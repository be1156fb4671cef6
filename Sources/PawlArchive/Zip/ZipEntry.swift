/// A member of a zip archive, as the central directory has it (APPNOTE 4.3.12), checked for contradictions.
package struct ZipEntry: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file
        case directory
        /// The member's bytes are the text of the link.
        case symbolicLink
        /// Another kind of member, in words: “a character device”.
        case other(String)
    }

    package enum Encryption: Hashable, Sendable {
        /// The cipher of PKZIP 2 (APPNOTE 6.1).
        case traditional
        /// The AES encryption of WinZip, AE-1 or AE-2 (`version`), with a key of 128, 192 or 256 bits (`strength` 1 to
        /// 3).
        case aes(version: UInt16, strength: UInt8)
    }

    /// The name as text, with `/` between its parts (decision 0070). Not checked against harm.
    package internal(set) var path: String
    /// The name as it stands in the archive.
    package internal(set) var rawName: ArraySlice<UInt8>
    package internal(set) var kind: Kind
    /// The compression method (4.4.5): 0 for none, 8 for deflate. For AES, the method in its extra field.
    package internal(set) var method: UInt16
    /// The general purpose bits (4.4.4).
    package internal(set) var flags: UInt16
    package internal(set) var crc32: UInt32
    /// The compressed size in the archive, in bytes.
    package internal(set) var compressedSize: Int64
    /// The unpacked size, in bytes.
    package internal(set) var size: Int64
    /// The offset of the local header in the file.
    package internal(set) var headerOffset: Int64
    /// The latest end of this member's bytes: the beginning of the next local header, or of the central directory.
    package internal(set) var dataBound: Int64
    /// Seconds since 1970.
    package internal(set) var modified: Int64?
    /// ``modified`` is a time of day somewhere, taken as if in UTC.
    package internal(set) var isModifiedLocal: Bool
    package internal(set) var isExecutable: Bool
    package internal(set) var encryption: Encryption?
    /// The reason why the member cannot be read, as the end of a sentence: “it is compressed by method 9 (deflate64)”;
    /// nil if it can. It may still be listed.
    package internal(set) var obstacle: String?
    /// The high byte of “version made by” (4.4.2): the system whose rules attributes and name follow.
    package internal(set) var host: UInt8
    /// The date and time of DOS as they stand in the directory.
    package internal(set) var dosTime: UInt32

    /// Whether the member was made on Unix or macOS (Darwin).
    var isUnixMade: Bool { Self.isUnix(host) }
    static func isUnix(_ host: UInt8) -> Bool { host == 3 || host == 19 }

    /// The unpacked size, in bytes; zero for a directory, whatever its header says.
    package var unpackedSize: Int64 { kind == .directory ? 0 : size }

    /// Backslashes in its name were read as separators.
    package var hasBackslashes: Bool {
        let slash = UInt8(ascii: "/")
        return rawName.contains(UInt8(ascii: "\\")) && !rawName.contains(slash) && path.utf8.contains(slash)
    }

    /// The name of the compression method.
    package var methodName: String { ZipMethod.name(method) }

    /// Returns the member as the reader of archives hands it on; `linkTarget` is the text of a symbolic link.
    package func member(linkTarget: String? = nil) -> ArchiveMember {
        let memberKind: ArchiveMember.Kind =
            switch kind {
            case .file: .file
            case .directory: .directory
            case .symbolicLink: .symbolicLink(linkTarget ?? "")
            case .other(let what): .other(what)
            }
        var member = ArchiveMember(
            path: path, kind: memberKind, size: unpackedSize, compressedSize: compressedSize, crc32: crc32,
            modified: modified,
            isExecutable: isExecutable, isEncrypted: encryption != nil, method: methodName)
        member.namesDrives = ZipName.isOfWindows(host)
        return member
    }
}

/// The methods of compression (APPNOTE 4.4.5).
enum ZipMethod {
    static let stored: UInt16 = 0
    static let aes: UInt16 = 99

    /// Returns whether libarchive unpacks a method.
    static func isKnown(_ method: UInt16) -> Bool { [0, 8, 12, 14, 93, 95, 98].contains(method) }

    static func name(_ method: UInt16) -> String {
        switch method {
        case 0: "stored"
        case 1: "shrunk"
        case 2...5: "reduced"
        case 6: "imploded"
        case 8: "deflate"
        case 9: "deflate64"
        case 12: "bzip2"
        case 14: "lzma"
        case 93, 20: "zstd"
        case 95: "xz"
        case 97: "wavpack"
        case 98: "ppmd"
        default: "method \(method)"
        }
    }
}
