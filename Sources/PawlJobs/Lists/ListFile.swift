import PawlCore
import PawlSystem

/// Reads lists of downloads from disks and pipes.
package enum ListFile {
    package static func isStandardInput(_ name: String) -> Bool { name.isExactly("-") }

    /// Whether the name means something else, or nothing, in another process: standard input, or a descriptor, as of a
    /// shell's `<(…)`.
    package static func isOfThisProcess(_ name: String) -> Bool {
        isStandardInput(name) || name.isExactly("/dev/stdin") || name.begins(with: "/dev/fd/")
            || name.begins(with: "/proc/self/fd/")
    }

    /// Returns the name of a list as messages show it.
    package static func shownName(_ name: String) -> String {
        isStandardInput(name) ? "standard input" : "“\(url(name)?.redacted ?? name)”"
    }

    private static func url(_ name: String) -> HTTPURL? { name.contains("://") ? try? HTTPURL(parsing: name) : nil }

    /// - Throws: a problem in no line (0) where it cannot be read.
    package static func open(_ name: String) throws(DownloadList.Problem) -> ListReader {
        guard !isStandardInput(name) else { return ListReader(STDIN_FILENO, isOwned: false) }
        let descriptor = PawlSystem.open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw url(name) != nil
                ? DownloadList.Problem(line: 0, message: "is a URL. A list is a local file, or “-” for standard input.")
                : unreadable()
        }
        return ListReader(descriptor, isOwned: true)
    }

    /// All entries of a list.
    package static func read(_ name: String) throws(DownloadList.Problem) -> [DownloadList.Entry] {
        let reader = try open(name)
        var entries: [DownloadList.Entry] = []
        while let next = try reader.next() { entries += next }
        return entries
    }

    fileprivate static func unreadable() -> DownloadList.Problem {
        DownloadList.Problem(line: 0, message: "cannot be read as a list: \(SystemCalls.text(of: errno)).")
    }
}

/// Reads the entries of a list piece by piece: of a million, few are in memory at once.
package final class ListReader {
    private static let pieceLength = 64 * 1024

    private let descriptor: Int32
    private let isOwned: Bool
    private var list = DownloadList()
    private var rest: [DownloadList.Entry]?
    private var isAtEnd = false

    fileprivate init(_ descriptor: Int32, isOwned: Bool) { (self.descriptor, self.isOwned) = (descriptor, isOwned) }

    /// A list that was read already.
    package init(_ entries: [DownloadList.Entry]) {
        (descriptor, isOwned, isAtEnd, rest) = (-1, false, true, entries)
    }

    deinit { if isOwned { _ = SystemCalls.close(descriptor) } }

    /// Returns the next entries, perhaps none; nil after the last.
    package func next() throws(DownloadList.Problem) -> [DownloadList.Entry]? {
        guard !isAtEnd else {
            defer { rest = nil }
            return rest
        }
        var piece = [UInt8](repeating: 0, count: Self.pieceLength)
        let count = piece.withUnsafeMutableBytes { SystemCalls.readOnce(descriptor, $0) }
        guard count >= 0 else { throw ListFile.unreadable() }
        guard count == 0 else {
            try list.feed(piece[..<count])
            return list.takeComplete()
        }
        try list.finish()
        isAtEnd = true
        return list.entries
    }
}

extension ListReader: ExpressibleByArrayLiteral {
    package convenience init(arrayLiteral entries: DownloadList.Entry...) { self.init(entries) }
}
