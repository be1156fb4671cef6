/// The parts of a path, as the system reads it.
package struct PathParts: Hashable, Sendable {
    /// `.` for a path without a slash.
    package let directory: String
    /// The text after the last slash; empty for a path that ends in one.
    package let name: String

    package init(_ path: String) {
        // By bytes: in `Character`s, a slash that a combining mark follows is no slash.
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
            (directory, name) = (".", path)
            return
        }
        directory = slash == path.utf8.startIndex ? "/" : String(decoding: path.utf8[..<slash], as: UTF8.self)
        name = String(decoding: path.utf8[slash...].dropFirst(), as: UTF8.self)
    }
}
