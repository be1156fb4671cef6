import PawlCore

/// Lines about what happens, as aria2 writes them to the console and to its log.
package struct Aria2Log: Sendable {
    package enum Level: Int, Comparable, Sendable {
        case debug, info, notice, warn, error

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

        package init?(word: String) {
            guard let index = ["debug", "info", "notice", "warn", "error"].firstIndex(where: word.isExactly) else {
                return nil
            }
            self.init(rawValue: index)
        }

        fileprivate var word: String {
            switch self {
            case .debug: "DEBUG"
            case .info: "INFO"
            case .notice: "NOTICE"
            case .warn: "WARN"
            case .error: "ERROR"
            }
        }

        fileprivate var colour: String {
            switch self {
            case .debug: "1;37"
            case .info: "1;36"
            case .notice: "1;32"
            case .warn: "1;33"
            case .error: "1;31"
            }
        }
    }

    /// - Parameter date: `11/26 09:43:36`.
    package static func consoleLine(_ level: Level, _ text: String, date: String, isColoured: Bool) -> String {
        "\n\(date) [\(isColoured ? "\u{1B}[\(level.colour)m\(level.word)\u{1B}[0m" : level.word)] \(text)\n"
    }

    /// - Parameter date: `2026-11-26 09:43:36.123456`.
    package static func fileLine(_ level: Level, _ text: String, date: String) -> String {
        "\(date) [\(level.word)] \(text)\n"
    }

    // MARK: Sentences that scripts look for

    package static func begins(_ count: Int) -> String { "Downloading \(count) item(s)" }
    package static func complete(_ path: String) -> String { "Download complete: \(Aria2Text.shown(path))" }
    package static func incomplete(_ gid: GID, _ path: String) -> String {
        "Download GID#\(gid.text) not complete: \(Aria2Text.shown(path))"
    }
    package static func renamed(_ path: String) -> String {
        "File already exists. Renamed to \(Aria2Text.shown(path))."
    }

    /// - Parameter url: as people may see it.
    package static func aborted(_ url: String, _ number: Int, _ message: String) -> String {
        "Download aborted. URI=\(Aria2Text.shown(url))\nException: errorCode=\(number) \(Aria2Text.shown(message))"
    }

    package static func listens(isIPv6: Bool, port: Int) -> String {
        "\(isIPv6 ? "IPv6" : "IPv4") RPC: listening on TCP port \(port)"
    }
}
