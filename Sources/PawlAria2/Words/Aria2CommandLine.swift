import PawlCore
import PawlSystem

/// A command line of aria2's, read as getopt_long(3) does: options anywhere, long names as short as they are unique,
/// letters together.
package struct Aria2CommandLine: Hashable, Sendable {
    /// Values are not repeated: they may be secrets.
    package enum Problem: Error, Hashable {
        case unknown(String)
        case ambiguous(String, [String])
        case lacksValue(String)
        case takesNoValue(String)
        case value(Aria2Option.Problem)
    }

    /// Whether a program that is started by this name is to behave as aria2c.
    package static func isMeant(by name: String) -> Bool { PathParts(name).name.isExactly("aria2c") }

    package private(set) var options = Aria2Options()
    /// The arguments that are not options: URIs.
    package private(set) var arguments: [String] = []

    /// - Parameters:
    ///   - words: without the name of the program.
    ///   - home: the directory of the user, for `${HOME}` in paths.
    package init(_ words: [String], home: String) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            let bytes = Array(word.utf8)
            if word.isExactly("--") {
                arguments += rest
                return
            } else if bytes.starts(with: "--".utf8) {
                try takeLong(bytes.dropFirst(2), &rest, home)
            } else if bytes.first == UInt8(ascii: "-"), bytes.count > 1 {
                try takeLetters(bytes.dropFirst(), &rest, home)
            } else {
                arguments.append(word)
            }
        }
    }

    private mutating func takeLong(
        _ bytes: ArraySlice<UInt8>, _ rest: inout ArraySlice<String>, _ home: String
    ) throws(Problem) {
        let sign = bytes.firstIndex(of: UInt8(ascii: "="))
        let name = String(decoding: bytes[..<(sign ?? bytes.endIndex)], as: UTF8.self)
        let value = sign.map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
        let index = try Self.index(of: name)
        switch (Aria2Option.all[index].argument, value) {
        case (.none, _?): throw .takesNoValue(Aria2Option.all[index].name)
        case (.required, nil): try take(index, try Self.next(&rest, index), home)
        case (_, let value): try take(index, value ?? "", home)
        }
    }

    private mutating func takeLetters(
        _ bytes: ArraySlice<UInt8>, _ rest: inout ArraySlice<String>, _ home: String
    ) throws(Problem) {
        var bytes = bytes
        while let byte = bytes.popFirst() {
            let letter = Character(Unicode.Scalar(byte))
            guard let index = Aria2Option.index(ofLetter: letter) else { throw .unknown("-\(letter)") }
            let joined = String(decoding: bytes, as: UTF8.self)
            switch Aria2Option.all[index].argument {
            case .none:
                try take(index, "", home)
                continue
            case .optional: try take(index, joined, home)
            case .required: try take(index, joined.isEmpty ? try Self.next(&rest, index) : joined, home)
            }
            return
        }
    }

    private static func next(_ rest: inout ArraySlice<String>, _ index: Int) throws(Problem) -> String {
        guard let value = rest.popFirst() else { throw .lacksValue(Aria2Option.all[index].name) }
        return value
    }

    private mutating func take(_ index: Int, _ value: String, _ home: String) throws(Problem) {
        do throws(Aria2Option.Problem) { try options.take(index, value, home: home) } catch { throw .value(error) }
    }

    private static func index(of name: String) throws(Problem) -> Int {
        if let index = Aria2Option.index(of: name) { return index }
        let like = Aria2Option.all.indices.filter { Aria2Option.all[$0].name.begins(with: name) }
        guard let index = like.first, !name.isEmpty else { throw .unknown("--\(name)") }
        guard like.count == 1 else { throw .ambiguous("--\(name)", like.map { Aria2Option.all[$0].name }) }
        return index
    }
}

extension Aria2CommandLine.Problem {
    package var message: String {
        switch self {
        case .unknown(let word): "aria2 has no option “\(word)”." + Self.similar(word)
        case .ambiguous(let word, let names):
            "“\(word)” may be " + names.map { "--\($0)" }.joined(separator: ", ") + "."
        case .lacksValue(let name):
            "--\(name) takes a value: \(Aria2Option.index(of: name).map { Aria2Option.all[$0].accepted } ?? "a text")."
        case .takesNoValue(let name): "--\(name) takes no value."
        case .value(let problem): problem.explanation
        }
    }

    /// Names in which the same word appears: who forgets how an option is spelled mostly knows what it is about.
    private static func similar(_ word: String) -> String {
        let parts = word.utf8.split(separator: UInt8(ascii: "-")).filter { $0.count > 2 }
        let names = Aria2Option.all.map(\.name).filter { name in
            parts.contains { part in name.utf8.split(separator: UInt8(ascii: "-")).contains { $0.starts(with: part) } }
        }
        return names.isEmpty || names.count > 6
            ? "" : " There are " + names.map { "--\($0)" }.joined(separator: ", ") + "."
    }
}

extension Aria2Option.Problem {
    /// aria2's words, and what the option takes.
    package var explanation: String {
        guard let index = Aria2Option.index(of: name) else { return message }
        return "\(message) It takes \(Aria2Option.all[index].accepted)."
    }
}

extension Aria2Options {
    /// Sets an option as ``set(_:_:)`` does, with a value that a person wrote.
    mutating func take(_ index: Int, _ value: String, home: String) throws(Aria2Option.Problem) {
        try set(index, Aria2Option.all[index].isPath ? Self.expanded(value, home) : value)
    }

    private static func expanded(_ path: String, _ home: String) -> String {
        let variable = Array("${HOME}".utf8)
        var (bytes, expanded) = (Array(path.utf8)[...], [UInt8]())
        while let byte = bytes.first {
            if bytes.starts(with: variable) {
                expanded += home.utf8
                bytes = bytes.dropFirst(variable.count)
            } else {
                expanded.append(byte)
                bytes = bytes.dropFirst()
            }
        }
        return String(decoding: expanded, as: UTF8.self)
    }
}
