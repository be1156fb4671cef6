import Pawl
import PawlCore
import PawlEngine
import PawlOptions
import PawlSystem
import TOMLKit

/// The options of one program in the configuration file, which is in TOML 1.0. The programs share the file.
package struct ConfigurationFile {
    package let path: String
    /// The options of the program's table.
    package private(set) var entries: [ConfiguredOption] = []
    /// The errors in the file, by line. Values that only the program can judge are not checked here.
    package private(set) var problems: [ConfigurationError] = []

    /// `$XDG_CONFIG_HOME`, or `~/.config` (XDG Base Directory Specification); nil where neither can be told.
    package static func directory(environment: (String) -> String?) -> String? {
        // Relative paths are invalid and to be ignored.
        if let directory = environment("XDG_CONFIG_HOME"), directory.begins(with: "/") { return directory }
        guard let home = environment("HOME"), home.begins(with: "/") else { return nil }
        return home + "/.config"
    }

    /// The file that is read unless another one is named.
    package static func usualPath(environment: (String) -> String?) -> String? {
        directory(environment: environment).map { $0 + "/pawl/config.toml" }
    }

    /// - Returns: nil if there is no such file, or none that can be reached.
    package init?(_ path: String, _ schema: ConfigurationSchema) throws(ConfigurationError) {
        self.path = path
        // A home directory that cannot be entered, as after a change of the user, has no configuration for this one.
        guard access(path, F_OK) == 0 || ![ENOENT, ENOTDIR, EACCES].contains(errno) else { return nil }
        guard !FileKind.isSpecial(path) else { throw ConfigurationError("“\(path)” is not a file.") }
        let text: String
        do throws(StorageError) {
            text = try WholeFile.read(at: path, limit: 1 << 20).text
        } catch {
            throw ConfigurationError("“\(path)” cannot be read: \(WholeFile.explanation(of: error)).")
        }
        let whole = try Self.parsed(text, path)
        for table in ConfigurationTable.allCases {
            do throws(ConfigurationError) {
                let lines = Lines(text, in: table.name)
                guard let members = try members(of: table, whole, lines) else { continue }
                for name in members.keys where table.name != nil || !ConfigurationTable.names.containsExactly(name) {
                    read(name, members[name], in: table, schema, lines.number(of: name))
                }
            } catch {
                problems.append(error)
            }
        }
        problems.sort { $0.line < $1.line }
    }

    private mutating func read(
        _ name: String, _ value: (any TOMLValueConvertible)?, in table: ConfigurationTable,
        _ schema: ConfigurationSchema, _ line: Int
    ) {
        do throws(ConfigurationError) {
            let isTable = table.name == nil && value?.table != nil
            guard let key = try key(name, in: table, schema, isTable: isTable) else { return }
            entries.append(ConfiguredOption(key, .line(line, of: path), try Self.arguments(key, value)))
        } catch {
            problems.append(ConfigurationError(error.reason, about: name, at: .line(line, of: path)))
        }
    }

    private static func parsed(_ text: String, _ path: String) throws(ConfigurationError) -> TOMLTable {
        do {
            return try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError(
                "this is not valid TOML: \(error.description)", at: .line(Int(error.source.begin.line), of: path))
        } catch {
            throw ConfigurationError("this is not valid TOML.", at: .line(0, of: path))
        }
    }

    private func members(
        of table: ConfigurationTable, _ whole: TOMLTable, _ lines: Lines
    ) throws(ConfigurationError) -> TOMLTable? {
        guard let name = table.name else { return whole }
        guard let value = whole[name] else { return nil }
        guard let members = value.table else {
            throw ConfigurationError(
                "“\(name)” is a table: [\(name)].", about: name, at: .line(lines.number(of: name), of: path))
        }
        return members
    }

    /// - Returns: nil for a key that only the other program reads, which also tells whether it exists.
    /// - Throws: for a key that has no effect where it stands.
    private func key(
        _ name: String, in table: ConfigurationTable, _ schema: ConfigurationSchema, isTable: Bool
    ) throws(ConfigurationError) -> ConfigurationKey? {
        let isRead = table == schema.table
        if let key = schema.key(name, in: table) { return isRead ? key : nil }
        if let owner = ConfigurationTable.allCases.first(where: { schema.key(name, in: $0) != nil }),
            isRead || owner == schema.table
        {
            throw ConfigurationError("“\(name)” has no effect here: \(owner.advice)")
        }
        guard isRead || isTable else { return nil }
        let known = schema.keys(of: table).map(\.name) + (isTable ? ConfigurationTable.names : [])
        throw ConfigurationError(
            "“\(name)” is not an option that can be set here.\(Suggestion.sentence(for: name, among: known)) \(schema.whereKeysAre)"
        )
    }

    private static func arguments(
        _ key: ConfigurationKey, _ value: (any TOMLValueConvertible)?
    ) throws(ConfigurationError) -> [String] {
        switch key.kind {
        case .flag(let negated):
            guard let isOn = value?.bool else {
                throw ConfigurationError("“\(key.name)” takes true or false.")
            }
            return isOn ? [key.flag] : negated.map { [$0] } ?? []
        case .value:
            if let number = value?.int { return ["\(key.flag)=\(number)"] }
            guard let text = value?.string else {
                throw ConfigurationError(
                    "“\(key.name)” takes one value, in quotes unless it is a whole number.")
            }
            return key.arguments(text)
        case .list:
            if let text = value?.string { return ["\(key.flag)=\(text)"] }
            let texts = value?.array.map { Array($0).map(\.string) } ?? [nil]
            guard !texts.contains(nil) else {
                throw ConfigurationError("“\(key.name)” takes values in quotes: [\"…\", \"…\"].")
            }
            return texts.compactMap { $0 }.map { "\(key.flag)=\($0)" }
        }
    }
}

extension ConfigurationError {
    /// The number of the line; zero if the error is about no line.
    fileprivate var line: Int { if case .line(let number, _) = origin { number } else { 0 } }
}

/// The lines of the keys: the parser gives them only for errors.
private struct Lines {
    /// The lines without blanks, quotes and brackets.
    private let lines: [[UInt8]]
    /// The range of the lines that belong to the table.
    private var range: Range<Int>

    init(_ text: String, in table: String?) {
        let all = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            line.filter { !" \t".utf8.contains($0) }
        }
        lines = all.map { line in line.filter { !"\"'[".utf8.contains($0) } }
        range = all.indices
        guard let table, let header = all.firstIndex(where: { $0.starts(with: "[\(table)]".utf8) }) else { return }
        range = header + 1..<(all[(header + 1)...].firstIndex { $0.first == UInt8(ascii: "[") } ?? all.endIndex)
    }

    /// Returns the number of the line of a key; zero if it cannot be found, as for a key with dots.
    func number(of key: String) -> Int {
        let ends = [UInt8(ascii: "="), UInt8(ascii: "."), UInt8(ascii: "]")]
        let index = lines[range].firstIndex {
            $0.starts(with: key.utf8) && $0.count > key.utf8.count && ends.contains($0[key.utf8.count])
        }
        return index.map { $0 + 1 } ?? 0
    }
}
