import ArgumentParser
import Pawl
import PawlCore
import PawlEngine
import PawlSystem
import TOMLKit

/// A configuration that cannot be used, in a sentence that says where and why.
struct ConfigurationError: Error {
    var message: String
    /// The option that it is about, by its name in the file; who reads the options knows where that stands.
    var key: String?

    init(_ message: String, about key: String? = nil) {
        self.message = message
        self.key = key
    }
}

/// The options in a file of TOML 1.0.
struct ConfigurationFile {
    let path: String
    /// Each key with the line where it stands and the arguments that say the same.
    private(set) var entries: [(key: String, line: Int, arguments: [String])] = []

    /// - Returns: nil if there is no such file.
    init?(_ path: String) throws(ConfigurationError) {
        self.path = path
        guard FileKind(path: path) != .missing else { return nil }
        let text: String
        do throws(StorageError) {
            text = try WholeFile.read(at: path, limit: 1 << 20).text
        } catch {
            throw ConfigurationError("“\(path)” cannot be read: \(WholeFile.explanation(of: error)).")
        }
        let table: TOMLTable
        do {
            table = try TOMLTable(string: text)
        } catch let error as TOMLParseError {
            throw ConfigurationError("\(path), line \(error.source.begin.line): this is no TOML: \(error.description)")
        } catch {
            throw ConfigurationError("\(path): this is no TOML.")
        }
        let lines = Lines(text)
        for key in table.keys {
            let place = "\(path), line \(lines.number(of: key))"
            guard let kind = ServiceOptions.keys.first(where: { $0.key.isExactly(key) })?.kind else {
                throw ConfigurationError("\(place): there is no option “\(key)”. pawld --help names them; here they have underscores.")
            }
            let arguments = try Self.arguments(key, kind, table[key], place)
            try ServiceOptions.check(arguments, place)
            entries.append((key, lines.number(of: key), arguments))
        }
    }

    private static func arguments(_ key: String, _ kind: ServiceOptions.Kind, _ value: (any TOMLValueConvertible)?, _ place: String) throws(ConfigurationError) -> [String] {
        let flag = ServiceOptions.flag(of: key)
        switch kind {
        case .flag:
            guard let isOn = value?.bool else { throw ConfigurationError("\(place): “\(key)” takes true or false.") }
            return [ServiceOptions.flag(of: isOn ? key : "no_" + key)]
        case .value:
            if let number = value?.int { return ["\(flag)=\(number)"] }
            guard let text = value?.string else { throw ConfigurationError("\(place): “\(key)” takes one value, in quotes unless it is a number.") }
            return ["\(flag)=\(text)"]
        case .list:
            if let text = value?.string { return ["\(flag)=\(text)"] }
            let texts = value?.array.map { Array($0).map(\.string) } ?? [nil]
            guard !texts.contains(nil) else { throw ConfigurationError("\(place): “\(key)” takes values in quotes: [\"…\", \"…\"].") }
            return texts.compactMap { $0 }.map { "\(flag)=\($0)" }
        }
    }
}

/// Where keys stand: the parser tells that only of errors.
private struct Lines {
    private let lines: [[UInt8]]

    init(_ text: String) {
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Array(line).filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") && $0 != UInt8(ascii: "[") }
        }
    }

    func number(of key: String) -> Int {
        let ends = [UInt8(ascii: "="), UInt8(ascii: "."), UInt8(ascii: "]")]
        let index = lines.firstIndex { $0.starts(with: key.utf8) && $0.count > key.utf8.count && ends.contains($0[key.utf8.count]) }
        return (index ?? 0) + 1
    }
}

extension ServiceOptions {
    static func check(_ arguments: [String], _ place: String) throws(ConfigurationError) {
        do {
            _ = try parse(arguments)
        } catch {
            throw ConfigurationError("\(place): \(message(for: error))")
        }
    }
}
