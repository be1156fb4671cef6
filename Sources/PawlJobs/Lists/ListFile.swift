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

    private static let pieceLength = 64 * 1024

    /// Returns the name of a list as messages show it.
    package static func shownName(_ name: String) -> String {
        isStandardInput(name) ? "standard input" : "“\(url(name)?.redacted ?? name)”"
    }

    private static func url(_ name: String) -> HTTPURL? { name.contains("://") ? try? HTTPURL(parsing: name) : nil }

    /// - Throws: a problem in no line (0) where it cannot be read.
    package static func read(_ name: String) throws(DownloadList.Problem) -> [DownloadList.Entry] {
        guard !isStandardInput(name) else { return try read(descriptor: STDIN_FILENO) }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw url(name) != nil
                ? DownloadList.Problem(line: 0, message: "is a URL. A list is a local file, or “-” for standard input.")
                : unreadable()
        }
        defer { _ = SystemCalls.close(descriptor) }
        return try read(descriptor: descriptor)
    }

    private static func read(descriptor: Int32) throws(DownloadList.Problem) -> [DownloadList.Entry] {
        var list = DownloadList()
        var piece = [UInt8](repeating: 0, count: pieceLength)
        while true {
            let count = piece.withUnsafeMutableBytes { SystemCalls.readOnce(descriptor, $0) }
            guard count >= 0 else { throw unreadable() }
            guard count > 0 else { break }
            try list.feed(piece[..<count])
        }
        try list.finish()
        return list.entries
    }

    private static func unreadable() -> DownloadList.Problem {
        DownloadList.Problem(line: 0, message: "cannot be read as a list: \(SystemCalls.text(of: errno)).")
    }
}
