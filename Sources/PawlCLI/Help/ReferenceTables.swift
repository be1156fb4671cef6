import PawlAria2
import PawlCore
import PawlJobs
import PawlOptions

/// The tables of options in the documentation, by name. `scripts/man` writes them between the markers of docs/*.md.
enum ReferenceTables {
    /// `pawl ---tables`, for `scripts/doc-tables`.
    static var json: JSONValue {
        ["job-options": .string(jobOptions), "list-options": .string(listOptions), "aria2-options": .string(aria2)]
    }

    private static var jobOptions: String {
        let rows = JobMember.all.filter { $0.name.begins(with: "options.") }.map { member in
            let name = String(decoding: member.name.utf8.dropFirst("options.".utf8.count), as: UTF8.self)
            let flag = member.option.map { "`--\($0)`" } ?? ""
            return [code(name), flag, member.description]
        }
        return table(["option", "flag", "meaning"], rows)
    }

    private static var listOptions: String {
        let rows = ListOptions.all.filter { $0.places.contains(.lists) }.map { option in
            let isTyped = option.places.contains(.commandLine)
            return [
                code(option.name), isTyped ? option.spellings.map(code).joined(separator: ", ") : "",
                option.aria2.map(code).joined(separator: ", "), option.help,
            ]
        }
        return table(["in the list", "flag", "in aria2", "meaning"], rows)
    }

    /// The table of aria2's options, each once: with Pawl's option, or the reason for having none.
    private static var aria2: String {
        let same = ListOptions.all.filter { !$0.aria2.isEmpty }.map { option in
            let names = option.aria2.map(code).joined(separator: ", ")
            return [names, option.places.contains(.commandLine) ? "\(code(option.flag))" : option.help]
        }
        let program = Aria2Option.all.filter { if case .program = $0.meaning { true } else { false } }
        let others = Aria2Rest.all.filter { $0.meaning != .global }.map { row in
            let effect =
                switch row.meaning {
                case .harmless, .global: "No effect"
                case .unsupported: "Not supported"
                case .refused: "Refused"
                }
            return [row.names.map(code).joined(separator: ", "), "\(effect): \(row.reason)."]
        }
        let ofProgram = [
            program.map { code($0.name) }.joined(separator: ", "), "For `aria2c` as a whole, as in aria2.",
        ]
        return table(["aria2", "here"], same + [ofProgram] + others)
    }

    private static func code(_ text: String) -> String { "`\(text)`" }

    private static func table(_ heads: [String], _ rows: [[String]]) -> String {
        let rule = heads.map { _ in "---" }
        return ([heads, rule] + rows).map { "| " + $0.map(escaped).joined(separator: " | ") + " |\n" }.joined()
    }

    /// A vertical bar would end the cell.
    private static func escaped(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { $0 == UInt8(ascii: "|") ? Array("\\|".utf8) : [$0] }, as: UTF8.self)
    }
}
