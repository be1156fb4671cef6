import PawlCore
import PawlJobs

/// The output of `aria2c --version` and `--help`.
package enum Aria2Help {
    /// The aria2 that Pawl is taken for.
    package static let version = "1.37.0"
    package static let features = ["HTTPS", "Message Digest", "Metalink"]

    package static var versionText: String {
        """
        aria2 version \(version)
        This is Pawl \(ProgramVersion.text), which reads aria2's command line and speaks its RPC. It is not aria2.

        ** Configuration **
        Enabled Features: \(features.joined(separator: ", "))
        Hash Algorithms: sha-1, sha-256, sha-512, md5

        """
    }

    package static let usage = "Usage: aria2c [OPTIONS] [URI | METALINK_FILE]...\n"

    /// - Parameter words: `#all` for all options, a part of their names, or empty for those that mean something.
    package static func text(about words: String) -> String {
        var word = words.begins(with: "--") ? String(Substring(words.utf8.dropFirst(2))) : words
        if let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) {
            word = String(decoding: word.utf8[..<sign], as: UTF8.self)
        }
        let isTag = word.utf8.first == UInt8(ascii: "#")
        let chosen = Aria2Option.all.filter { option in
            if isTag || word.isEmpty { return word.isExactly("#all") || option.isSupported }
            let (name, part) = (Array(option.name.utf8), Array(word.utf8))
            return name.indices.contains { name[$0...].starts(with: part) }
        }
        var text =
            usage
            + "All URIs are of one file; with -Z, each is a separate download. Interrupted downloads resume if the same command is run again.\n\n"
        if chosen.isEmpty { return text + "No option matching with '\(word)'.\n" }
        for option in chosen { text += line(option) + "\n" }
        return text
            + (isTag || !word.isEmpty
                ? "" : "\n--help=#all lists all options of aria2. What each means here is in docs/aria2.md.\n")
    }

    private static func line(_ option: Aria2Option) -> String {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        let value =
            switch option.argument {
            case .none: ""
            case .optional: "[=\(option.placeholder)]"
            case .required: "=\(option.placeholder)"
            }
        let name = " \(letter)--\(option.name)\(value)"
        let what: [String] = [option.initial.map { "Default: \($0)" }, option.remark].compactMap { $0 }
        return what.isEmpty
            ? name : name + String(repeating: " ", count: max(1, 50 - name.utf8.count)) + what.joined(separator: ". ")
    }
}

extension Aria2Option {
    fileprivate var isSupported: Bool { if case .other = meaning { false } else { true } }

    fileprivate var placeholder: String {
        switch kind {
        case .flag: "true|false"
        case .number, .decimal: "NUM"
        case .size: "SIZE"
        case .word(let words): words.joined(separator: "|")
        case .checksum: "ALGORITHM=HEX"
        case .text where isPath: "PATH"
        case .text, .lines: "TEXT"
        }
    }

    fileprivate var remark: String? {
        guard case .other(let row) = meaning else { return nil }
        return switch row.meaning {
        case .harmless, .global: "No effect: \(row.reason)"
        case .unsupported: "Not supported, ignored: \(row.reason)"
        case .refused: "Not supported, refused: \(row.reason)"
        }
    }
}
