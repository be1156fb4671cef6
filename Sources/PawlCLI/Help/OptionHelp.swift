import ArgumentParser

/// The help for the flags of `pawl get`, taken from ArgumentParser, so that each is described once.
struct OptionHelp {
    /// By the long name, as `--jobs`, in the order of the whole help.
    private(set) var flags: [(name: String, lines: [Substring])] = []

    init(columns: Int) {
        for line in GetCommand.help(columns: columns).split(separator: "\n") {
            if line.hasPrefix("  -"), let name = Self.longName(line) {
                flags.append((name, [line]))
            } else if line.hasPrefix("   "), let last = flags.indices.last {
                flags[last].lines.append(line)
            } else if let last = flags.indices.last, !line.hasPrefix(" "), flags[last].name == "--help" {
                break
            }
        }
    }

    private static func longName(_ line: Substring) -> String? {
        line.split(separator: " ").first { $0.hasPrefix("--") }.map { String($0.prefix { $0 != "," }) }
    }

    func lines(for name: String) -> [Substring] {
        flags.first { $0.name == name }?.lines ?? []
    }
}
