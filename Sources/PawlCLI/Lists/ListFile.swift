#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import PawlCore

/// Reads what `-i` names.
enum ListFile {
    private static let pieceLength = 64 * 1024

    /// For messages.
    static func shownName(_ name: String) -> String { name == "-" ? "standard input" : "“\(name)”" }

    static func read(_ name: String) throws(UsageError) -> [DownloadList.Entry] {
        guard name != "-" else { return try read(descriptor: STDIN_FILENO, name) }
        let descriptor = open(name, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(name) }
        defer { close(descriptor) }
        return try read(descriptor: descriptor, name)
    }

    private static func read(descriptor: Int32, _ name: String) throws(UsageError) -> [DownloadList.Entry] {
        var list = DownloadList()
        var piece = [UInt8](repeating: 0, count: pieceLength)
        do throws(DownloadList.Problem) {
            while true {
                let count = piece.withUnsafeMutableBytes { readOnce(descriptor, $0) }
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw DownloadList.Problem(line: 0, message: "") }
                guard count > 0 else { break }
                try list.feed(piece[..<count])
            }
            try list.finish()
        } catch {
            guard error.line > 0 else { throw unreadable(name) }
            throw UsageError("\(shownName(name)): \(error.message)")
        }
        return list.entries
    }

    private static func readOnce(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Darwin)
        Darwin.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
        Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
        Musl.read(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func unreadable(_ name: String) -> UsageError {
        UsageError("\(shownName(name)) cannot be read as a list: \(String(cString: strerror(errno))).")
    }
}
