import PawlCore

/// A text that lists downloads, in aria2's format: one file a line, its URLs with tabs between; below it, indented, its
/// options as `name=value`; `#` begins a comment.
///
/// The user of the list interprets the options. It is fed in pieces, split anywhere.
package struct DownloadList: Sendable {
    /// The entry of one file.
    package struct Entry: Hashable, Sendable {
        /// The number of its line, from 1.
        package var line: Int
        /// The first is the one; the others have the same file. At least one.
        package var urls: [String]
        package var options: [Option]

        package init(line: Int, urls: [String], options: [Option] = []) {
            self.line = line
            self.urls = urls
            self.options = options
        }
    }

    package struct Option: Hashable, Sendable {
        package var line: Int
        /// The name of the option; not empty, and without blanks around it.
        package var name: String
        package var value: String

        package init(line: Int, name: String, value: String) {
            self.line = line
            self.name = name
            self.value = value
        }
    }

    /// An error in a list, with the number of its line. The line itself is not shown, as it may hold a secret.
    package struct Problem: Error, Equatable {
        package let line: Int
        package let message: String

        package init(line: Int, message: String) {
            self.line = line
            self.message = message
        }
    }

    /// The longest line, in bytes: several URLs as long as URLs may be.
    package static let lineLimit = 64 * 1024
    /// The most files in a list that is kept; an endless stream is not a list.
    package static let entryLimit = 1_000_000

    /// The entries read so far that were not taken.
    package private(set) var entries: [Entry] = []
    private var takenCount = 0
    private var line: [UInt8] = []
    private var number = 1
    private let limit: Int

    /// - Parameter limit: the most files.
    package init(limit: Int = Self.entryLimit) { self.limit = limit }

    package init(parsing bytes: [UInt8]) throws(Problem) {
        self.init()
        try feed(bytes[...])
        try finish()
    }

    package mutating func feed(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try append(rest[..<end])
            try endLine()
            rest = rest[(end + 1)...]
        }
        try append(rest)
    }

    private mutating func append(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        guard bytes.count <= Self.lineLimit - line.count else {
            throw problem("is longer than \(Self.lineLimit / 1024) KiB. A list has one file per line")
        }
        line += bytes
    }

    /// Ends the list after its last byte. Call it once.
    package mutating func finish() throws(Problem) {
        try endLine()
    }

    /// Removes the entries that can get no further options, and returns them.
    package mutating func takeComplete() -> [Entry] {
        guard let last = entries.popLast() else { return [] }
        defer { entries = [last] }
        takenCount += entries.count
        return entries
    }

    private func problem(_ what: String) -> Problem {
        Problem(line: number, message: "Line \(number) \(what).")
    }

    private mutating func endLine() throws(Problem) {
        try take(try text())
        line.removeAll(keepingCapacity: true)
        number += 1
    }

    private func text() throws(Problem) -> Substring {
        var bytes = line[...]
        if number == 1 {
            guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
                throw problem("is UTF-16. Save the list as UTF-8")
            }
            // U+FEFF, which some editors write in front.
            if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }) else {
            throw problem("contains a control character; lists are plain text")
        }
        guard let text = String(utf8: bytes[...]) else { throw problem("is not UTF-8") }
        return Substring(text)
    }

    private mutating func take(_ text: Substring) throws(Problem) {
        let content = text.trimmed
        guard let first = content.utf8.first, first != UInt8(ascii: "#") else { return }
        if takenCount == 0, entries.isEmpty, Self.isMarkup(content) {
            throw Problem(
                line: 0,
                message:
                    "is a web page, not a list of URLs. “pawl index URL”, with the URL of the page, prints its links.")
        }
        let isIndented = text.utf8.first == UInt8(ascii: " ") || text.utf8.first == UInt8(ascii: "\t")
        guard isIndented else {
            guard takenCount + entries.count < limit else {
                throw problem("is more than a list can have: \(limit) files. “pawl shard” cuts longer ones")
            }
            entries.append(Entry(line: number, urls: Self.urls(in: content)))
            return
        }
        try takeOption(content)
    }

    /// Whether a line begins a web page. A URL in angle brackets does not.
    private static func isMarkup(_ content: Substring) -> Bool {
        let line = String(decoding: content.utf8.prefix(16), as: UTF8.self).lowercased()
        return ["<!doctype", "<html", "<head", "<body", "<title", "<a ", "<pre", "<?xml"].contains {
            line.begins(with: $0)
        }
    }

    private static func urls(in content: Substring) -> [String] {
        guard content.utf8.contains(UInt8(ascii: "\t")) else { return [String(content)] }
        return content.utf8.split(separator: UInt8(ascii: "\t")).map { String(Substring($0).trimmed) }.filter {
            !$0.isEmpty
        }
    }

    private mutating func takeOption(_ content: Substring) throws(Problem) {
        guard let last = entries.indices.last else {
            throw problem("is indented like an option, but no URL precedes it. Do not indent URLs")
        }
        guard let sign = content.utf8.firstIndex(of: UInt8(ascii: "=")), case let name = content[..<sign].trimmed,
            !name.isEmpty
        else {
            throw problem("is indented, but is not an option of the form name=value. Do not indent URLs")
        }
        let value = content[content.utf8.index(after: sign)...].trimmed
        entries[last].options.append(Option(line: number, name: String(name), value: String(value)))
    }
}

extension Substring {
    /// The text without the blanks around it.
    fileprivate var trimmed: Substring {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }), let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        // Not `...last`: some letters make one `Character` with the blank behind them.
        return self[first..<utf8.index(after: last)]
    }
}
