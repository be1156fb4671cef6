/// A netrc file: names and passwords for hosts (the ftp(1) of BSD, and what curl has made of it).
///
/// Words are parted by blanks and line breaks. `machine NAME` begins an entry and `default` the one for all other
/// hosts; `login`, `password` and `account` belong to it, in any order. A word may stand in double quotes, in which
/// `\"`, `\\`, `\n`, `\r` and `\t` are escapes. `macdef` and what follows it, up to an empty line, is passed over. A
/// `#` where a keyword could stand begins a comment, and any other word there is passed over, as curl does.
public struct Netrc: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// The host in lower case; nil for `default`.
        package var host: String?
        package var login: String?
        package var password: String?
    }

    package private(set) var entries: [Entry] = []

    /// The error at which reading stopped, as curl does; the entries before that place count. Nil if all of the file
    /// was read.
    public private(set) var fault: NetrcParseError?

    /// - Throws: ``NetrcParseError``, which never repeats what the file says, if there is not one entry before the
    ///   place that cannot be read.
    public init(parsing text: String) throws(NetrcParseError) {
        var words = NetrcWords(text)
        do throws(NetrcParseError) {
            try read(&words)
        } catch {
            fault = fault ?? error
        }
        if entries.isEmpty, let fault { throw fault }
    }

    private mutating func read(_ words: inout NetrcWords) throws(NetrcParseError) {
        while let word = try words.next() {
            switch word.text.lowercased() {
            case "machine":
                let host = try words.value(of: "machine", at: word.line)
                entries.append(Entry(host: Self.plain(host)))
            case "default": entries.append(Entry(host: nil))
            case "login", "user": try readValue(of: "login", at: word.line, &words) { $0.login = $1 }
            case "password", "passwd": try readValue(of: "password", at: word.line, &words) { $0.password = $1 }
            case "account": try readValue(of: "account", at: word.line, &words) { _, _ in }
            case "macdef": words.skipMacro()
            // Other programs have words of their own, such as `protocol https`.
            default: continue
            }
        }
    }

    private mutating func readValue(
        of keyword: String, at line: Int, _ words: inout NetrcWords, _ change: (inout Entry, String) -> Void
    ) throws(NetrcParseError) {
        do throws(NetrcParseError) {
            let value = try words.value(of: keyword, at: line)
            if let last = entries.indices.last {
                change(&entries[last], value)
            } else if keyword != "account" {
                fault =
                    fault
                    ?? NetrcParseError(
                        line: line, message: "Line \(line) has a login or password before the first “machine”.")
            }
        } catch {
            // Half an entry would send half of what it says.
            _ = entries.popLast()
            throw error
        }
    }

    /// Lower case and without the dot of the root.
    private static func plain(_ host: String) -> String {
        let host = host.lowercased()
        return host.utf8.last == UInt8(ascii: ".") ? String(decoding: host.utf8.dropLast(), as: UTF8.self) : host
    }

    /// Returns the credentials to send to a host; nil if there are none.
    ///
    /// - Parameters:
    ///   - login: only an entry of this user will do, where the URL names one.
    ///   - allowsDefault: the entry for all other hosts will do as well.
    package func credentials(for host: String, login: String? = nil, allowsDefault: Bool) -> Credentials? {
        let host = Self.plain(host)
        let fitting = entries.filter { $0.host == host && (login == nil || $0.login == nil || $0.login == login) }
        let entry =
            fitting.first
            ?? (allowsDefault
                ? entries.first { $0.host == nil && (login == nil || $0.login == nil || $0.login == login) } : nil)
        // An entry with neither exists to keep the default from applying.
        guard let entry, entry.login != nil || entry.password != nil else { return nil }
        return Credentials(name: login ?? entry.login ?? "", password: entry.password ?? "")
    }
}

extension Netrc: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "netrc of \(entries.count) entries" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["entries": entries.count]) }
}

/// The line at which parsing a netrc file failed, and why.
public struct NetrcParseError: Error, Hashable {
    /// Counted from one.
    public let line: Int
    public let message: String
}

/// The words of a netrc file, one after the other.
private struct NetrcWords {
    private var rest: ArraySlice<UInt8>
    private var line = 1

    init(_ text: String) {
        rest = Array(text.utf8)[...]
        // Windows begins text files with a byte order mark.
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest.removeFirst(3) }
    }

    struct Word {
        var text: String
        var line: Int
    }

    /// The next word where a keyword may stand, comments passed over.
    mutating func next() throws(NetrcParseError) -> Word? {
        while true {
            skipBlanks()
            guard let first = rest.first else { return nil }
            guard first == UInt8(ascii: "#") else { return try take() }
            while let byte = rest.first, byte != 0x0A { _ = pop(byte) }
        }
    }

    mutating func value(of keyword: String, at line: Int) throws(NetrcParseError) -> String {
        skipBlanks()
        guard !rest.isEmpty else {
            throw NetrcParseError(line: line, message: "The file ends after “\(keyword)” on line \(line).")
        }
        return try take().text
    }

    /// A macro ends with the first empty line, or with the file.
    mutating func skipMacro() {
        var isEmptyLine = false
        while let byte = rest.first {
            _ = pop(byte)
            if byte == 0x0A {
                if isEmptyLine { return }
                isEmptyLine = true
            } else if byte != 0x0D {
                isEmptyLine = false
            }
        }
    }

    private mutating func take() throws(NetrcParseError) -> Word {
        let began = line
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix { !Self.isBlank($0) }
            rest = rest.dropFirst(word.count)
            return Word(text: String(decoding: word, as: UTF8.self), line: began)
        }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while let byte = rest.first {
            _ = pop(byte)
            switch byte {
            case UInt8(ascii: "\""): return Word(text: String(decoding: bytes, as: UTF8.self), line: began)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.first else { continue }
                bytes.append(Self.meaning(of: pop(escaped)))
            default: bytes.append(byte)
            }
        }
        throw NetrcParseError(line: began, message: "The double quote on line \(began) is not closed.")
    }

    private static func meaning(of escaped: UInt8) -> UInt8 {
        switch escaped {
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: escaped
        }
    }

    private mutating func skipBlanks() {
        while let byte = rest.first, Self.isBlank(byte) { _ = pop(byte) }
    }

    private mutating func pop(_ byte: UInt8) -> UInt8 {
        if byte == 0x0A { line += 1 }
        rest.removeFirst()
        return byte
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
