/// A list of digests by file name, as `sha256sum` and its kin write it: `SHA256SUMS`, `CHECKSUM`, `file.iso.sha256`.
///
/// The lines of GNU coreutils (`HEX  NAME`, `HEX *NAME`) and of BSD and OpenSSL (`SHA256 (NAME) = HEX`) may be mixed.
/// Comments and what else is between them are skipped, and so is the envelope of a clear-signed message (RFC 4880 §7),
/// whose signature is not checked.
///
/// ```swift
/// let text = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  disk.iso\n"
/// let list = DigestList(parsing: text.utf8, listName: "SHA256SUMS")
/// print(try list.digest(forFileAt: ["disk.iso"]))
/// ```
public struct DigestList: Hashable, Sendable {
    /// One line of the list.
    public struct Entry: Hashable, Sendable {
        /// The name as written, often with directories in it. Nil in a list that holds a digest and nothing else.
        public var name: String?
        public var digest: Digest

        public init(name: String?, digest: Digest) {
            self.name = name
            self.digest = digest
        }
    }

    /// The entries in the order of the list, repetitions left out.
    public let entries: [Entry]

    /// Lines that give a file a digest by an algorithm that is not known here, such as BLAKE2 or SHA-384.
    public let unknownAlgorithmCount: Int

    /// Reads a list. What cannot be read of it is left out, so a text that is no list at all has no entries.
    ///
    /// - Parameters:
    ///   - bytes: the whole list.
    ///   - listName: its file name. The lines of GNU do not name their algorithm: it is known by the length of the
    ///     digest, unless the list is called by another one of the same length, as `B2SUMS` is.
    public init(parsing bytes: some Collection<UInt8>, listName: String? = nil) {
        var reader = DigestListReader(listName: listName)
        reader.read(Array(bytes)[...])
        entries = reader.entries
        unknownAlgorithmCount = reader.unknownAlgorithmCount
    }
}

/// Reads a list line by line.
private struct DigestListReader {
    private(set) var entries: [DigestList.Entry] = []
    private(set) var unknownAlgorithmCount = 0
    private var known: Set<DigestList.Entry> = []
    /// The list is called by an algorithm that is not known here.
    private let isOfUnknownAlgorithm: Bool
    private var envelope = Envelope.none

    /// The position of the reader in a clear-signed message.
    private enum Envelope { case none, headers, signed, signature }

    init(listName: String?) {
        let name = (listName ?? "").lowercased()
        isOfUnknownAlgorithm = Self.otherAlgorithms.contains { name.utf8.contains(sequence: $0.utf8) }
    }

    /// Names of algorithms whose digests are as long as those of SHA-2, SHA-1 or MD5.
    private static let otherAlgorithms = [
        "b2sum", "b3sum", "blake", "sha3", "sha512-256", "sha512_256", "sha512t", "shake", "rmd160", "ripemd", "sm3",
        "whirlpool", "md4", "md2",
    ]

    mutating func read(_ bytes: ArraySlice<UInt8>) {
        // A byte order mark, as editors of Windows leave it.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            read(line: line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
    }

    private mutating func read(line: ArraySlice<UInt8>) {
        if line.starts(with: "-----".utf8) {
            let mark = String(decoding: line, as: UTF8.self)
            if mark.begins(with: "-----BEGIN PGP SIGNED MESSAGE-----") {
                envelope = .headers
            } else if mark.begins(with: "-----BEGIN PGP") {
                envelope = .signature
            } else if mark.begins(with: "-----END PGP") {
                envelope = .none
            }
            return
        }
        switch envelope {
        // RFC 4880 §7: an empty line ends the headers, but empty lines do not come here. No entry looks like a header.
        case .headers where line.starts(with: "Hash: ".utf8): return
        case .headers: envelope = .signed
        case .signature: return
        case .none, .signed: break
        }
        // §7.1: what begins with a hyphen was given another one and a space.
        let isEscaped = envelope == .signed && line.starts(with: "- ".utf8)
        readEntry(isEscaped ? line.dropFirst(2) : line)
    }

    private mutating func readEntry(_ line: ArraySlice<UInt8>) {
        var line = ASCII.trimmingBlanks(line)
        // GNU escapes a name with a line break in it, and says so before the digest.
        let isEscaped = line.first == UInt8(ascii: "\\")
        if isEscaped { line = line.dropFirst() }
        guard let found = Self.gnu(line) ?? Self.bsd(line), let name = Self.name(found.name, isEscaped: isEscaped)
        else { return }
        let algorithm = found.algorithm ?? (isOfUnknownAlgorithm ? nil : Self.algorithm(digits: found.digits.count))
        guard let algorithm, let digest = Digest(algorithm: algorithm, hexadecimal: found.digits) else {
            unknownAlgorithmCount += 1
            return
        }
        let entry = DigestList.Entry(name: name.isEmpty ? nil : name, digest: digest)
        if known.insert(entry).inserted { entries.append(entry) }
    }

    private struct Found {
        var algorithm: DigestAlgorithm?
        var digits: ArraySlice<UInt8>
        var name: ArraySlice<UInt8>
    }

    /// `HEX  NAME`, `HEX *NAME`, and a digest alone.
    private static func gnu(_ line: ArraySlice<UInt8>) -> Found? {
        let digits = line.prefix { ASCII.hexValue($0) != nil }
        // From MD5 to SHA-512. What is shorter is a word.
        guard (32...128).contains(digits.count), digits.count.isMultiple(of: 8) else { return nil }
        var name = line[digits.endIndex...]
        guard let separator = name.first else { return Found(digits: digits, name: name) }
        guard ASCII.isBlank(separator) else { return nil }
        name = name.dropFirst()
        // One more says how the file was read: a space, or an asterisk for "binary". Some writers use one blank only,
        // or many.
        if name.first == UInt8(ascii: "*") { name = name.dropFirst() } else { name = name.drop(while: ASCII.isBlank) }
        return Found(digits: digits, name: name)
    }

    /// `SHA256 (NAME) = HEX`, and OpenSSL's `SHA2-256(NAME)= HEX`.
    private static func bsd(_ line: ArraySlice<UInt8>) -> Found? {
        guard let open = line.firstIndex(of: UInt8(ascii: "(")), let close = line.lastIndex(of: UInt8(ascii: ")")),
            open < close
        else { return nil }
        let label = ASCII.trimmingBlanks(line[..<open])
        guard (2...24).contains(label.count), label.allSatisfy({ ASCII.isAlphanumeric($0) || "-/_".utf8.contains($0) })
        else { return nil }
        var rest = line[(close + 1)...].drop(while: ASCII.isBlank)
        guard rest.popFirst() == UInt8(ascii: "=") else { return nil }
        let digits = ASCII.trimmingBlanks(rest)
        guard digits.count >= 32, digits.allSatisfy({ ASCII.hexValue($0) != nil }) else { return nil }
        guard let algorithm = algorithm(label: String(decoding: label, as: UTF8.self).lowercased()) else {
            // Its length says nothing: SHA3-256 and SHA-256 have the same.
            return Found(algorithm: nil, digits: digits.prefix(0), name: line[(open + 1)..<close])
        }
        return Found(algorithm: algorithm, digits: digits, name: line[(open + 1)..<close])
    }

    private static func algorithm(label: String) -> DigestAlgorithm? {
        DigestAlgorithm(name: label.hasPrefix("sha2-") ? "sha-" + label.dropFirst(5) : label)
    }

    private static func algorithm(digits count: Int) -> DigestAlgorithm? {
        DigestAlgorithm.allCases.first { $0.byteCount * 2 == count }
    }

    /// Returns the file name with its escapes resolved; nil if one of them is invalid.
    private static func name(_ bytes: ArraySlice<UInt8>, isEscaped: Bool) -> String? {
        guard isEscaped else { return String(systemBytes: bytes) }
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                plain.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "\\"): plain.append(byte)
            case UInt8(ascii: "n"): plain.append(0x0A)
            case UInt8(ascii: "r"): plain.append(0x0D)
            default: return nil
            }
        }
        return String(systemBytes: plain)
    }
}

extension Collection where Element: Equatable {
    fileprivate func contains(sequence: some Collection<Element>) -> Bool {
        indices.contains { self[$0...].starts(with: sequence) }
    }
}
