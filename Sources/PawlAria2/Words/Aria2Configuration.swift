import PawlCore

/// aria2's configuration file: options as `name=value`, one a line; `#` begins a comment.
package struct Aria2Configuration: Hashable, Sendable {
    package struct Problem: Error, Hashable {
        package let line: Int
        package let message: String
    }

    package struct Unknown: Hashable, Sendable {
        package let line: Int
        package let name: String
    }

    package private(set) var options = Aria2Options()
    /// Names that aria2 does not have, which it passes over.
    package private(set) var unknown: [Unknown] = []

    package init(parsing text: String, home: String) throws(Problem) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            let bytes = Array(line)
            let sign = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
            let name = Self.trimmed(bytes[..<sign])
            guard !name.isEmpty else { continue }
            guard let option = Aria2Option.index(of: name) else {
                unknown.append(Unknown(line: index + 1, name: name))
                continue
            }
            do throws(Aria2Option.Problem) {
                try options.take(option, Self.trimmed(bytes[min(sign + 1, bytes.endIndex)...]), home: home)
            } catch {
                throw Problem(line: index + 1, message: error.explanation)
            }
        }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isBlank = { (byte: UInt8) in
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    // MARK: Where it is

    /// aria2's usual places: that of old if it is there, else that of the XDG base directory specification.
    package static func usualPath(environment: (String) -> String?, home: String, isThere: (String) -> Bool) -> String {
        let old = home + "/.aria2/aria2.conf"
        if isThere(old) { return old }
        let base = environment("XDG_CONFIG_HOME").flatMap { $0.begins(with: "/") ? $0 : nil } ?? home + "/.config"
        return base + "/aria2/aria2.conf"
    }
}
