import ArgumentParser
import PawlCore

/// The help for the options of a command, taken from ArgumentParser, so that each is described once.
struct OptionHelp {
    /// By the long name, as `--jobs`, in the order of the whole help.
    private(set) var flags: [(name: String, lines: [Substring])] = []

    /// That of `pawl get`.
    init(columns: Int) { self.init(of: GetCommand.help(columns: columns)) }

    init(of help: String) {
        for line in help.split(separator: "\n") {
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

    /// As `-o` and `--output`.
    func spellings(of name: String) -> [String] { lines(for: name).first.map(Self.spellings) ?? [] }

    private static func spellings(_ line: Substring) -> [String] {
        words(line).prefix { $0.begins(with: "-") }.map {
            String(decoding: $0.utf8.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self)
        }
    }

    private static func words(_ line: Substring) -> [Substring] {
        line.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
    }

    /// Each spelling, with whether a value follows.
    var takingValues: [ExactText: Bool] {
        var found: [ExactText: Bool] = [:]
        for (_, lines) in flags {
            let spellings = Self.spellings(lines[0])
            let takesValue = Self.words(lines[0]).dropFirst(spellings.count).first?.begins(with: "<") == true
            for spelling in spellings { found[ExactText(spelling)] = takesValue }
        }
        return found
    }
}
