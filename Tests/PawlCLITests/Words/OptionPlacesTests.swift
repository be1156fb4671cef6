import Foundation
import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions
import PawlTestKit
import Testing

@testable import PawlCLI

/// The only places that mention an option of a download: `DownloadOptions`, with its check, name and text, and its
/// flag. The library's request, sessions and the JSON of jobs derive it from there.
@Suite struct OptionPlacesTests {
    private static let sources = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources")

    /// The lines of code of each source, without comments, with its path below `Sources`.
    private static func code() throws -> [(path: String, lines: [Substring])] {
        let found =
            FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
            ?? []
        return try found.filter { $0.pathExtension == "swift" }.map { file in
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
                !$0.drop(while: \.isWhitespace).hasPrefix("//")
            }
            return (String(file.path.dropFirst(sources.path.count + 1)), lines)
        }
    }

    private static let properties = Mirror(reflecting: DownloadOptions()).children.compactMap(\.label)

    private static func words(_ lines: [Substring]) -> Set<Substring> {
        Set(lines.flatMap { $0.split { !($0.isLetter || $0.isNumber) } })
    }

    @Test func `only the options' own file and their table know all download options`() throws {
        #expect(Self.properties.count == DownloadOptions.all.count)
        let knowing = try Self.code().filter { file in
            let words = Self.words(file.lines)
            return Self.properties.count { words.contains($0[...]) } * 4 > Self.properties.count * 3
        }
        #expect(
            knowing.map(\.path).sorted()
                == ["PawlCore/Options/DownloadOptions.swift", "PawlJobs/Options/JobOptions.swift"])
    }

    @Test func `each option's name is written once for sessions and JSON, and once for its flag`() throws {
        let code = try Self.code()
        for option in DownloadOptions.all where option.name.contains("-") {
            let inSessions = code.filter { file in file.lines.contains { $0.contains("\"\(option.name)\"") } }.map(
                \.path)
            // Some flags, and options of aria2, have the same names.
            let flags = [
                "PawlJobs/Options/", "PawlJobs/Lists/", "PawlAria2/", "PawlServer/Aria2/", "PawlCLI/",
                "PawlOptions/Suggestion.swift",
            ]
            let others = inSessions.filter { path in !flags.contains { path.hasPrefix($0) } }
            #expect(others == ["PawlCore/Options/DownloadOptions.swift"], "\(option.name)")
            let parts = option.word.split(separator: "-")
            let key = parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            let inJSON = code.filter { file in file.lines.contains { $0.contains("\"options.\(key)\"") } }.map(\.path)
            // Besides the flag, only messages about combinations that a job refuses name the field.
            #expect(
                Set(inJSON).isSubset(of: [
                    "PawlJobs/Options/JobMember.swift", "PawlJobs/Spec/JobSpec+Checking.swift",
                    "PawlJobs/Resolve/JobResolution.swift",
                ]),
                "\(option.name): \(inJSON)")
        }
    }

    @Test func `a new option joins a job's JSON and a session through its one line`() throws {
        for option in DownloadOptions.all {
            let parts = option.word.split(separator: "-")
            let key = parts.dropFirst().reduce(String(parts[0])) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
            var options = DownloadOptions()
            // `sparse` is valid only together with ranges.
            if option.name == "sparse" { options.ranges = try RangeSelection(parsing: "0-99") }
            let text = Self.examples[option.name] ?? "true"
            #expect(option.take(text, &options), "\(option.name): \(text)")
            #expect(option.texts(options) == [text], "\(option.name)")
            var job = JobSpec("https://example.org/a")
            job.options = options
            let json = String(decoding: try JSONEncoder().encode(job), as: UTF8.self)
            #expect(json.contains("\"\(key)\""), "\(option.name) in \(json)")
            #expect(try JSONDecoder().decode(JobSpec.self, from: Data(json.utf8)) == job, "\(option.name)")
        }
    }

    @Test(arguments: JobOptions.all.map(\.name))
    func `an option sets the members of a job's JSON that are declared for it, and no others`(name: String) throws {
        let option = try #require(JobOptions.all.first { $0.name == name })
        var job = JobSpec("http://a/")
        let usual = Self.members(of: job)
        try option.set(&job, try #require(Self.text(for: option, of: job) { Self.members(of: $0) != usual }))
        let members = Self.members(of: job)
        let changed = Set(members.keys.filter { members[$0] != usual[$0] })
        #expect(!changed.isEmpty && changed == Set(JobMember.all.filter { $0.option == name }.map(\.name)))
    }

    /// A text that the option takes.
    ///
    /// - Parameter isRight: of the values with it.
    private static func text<Values>(
        for option: OptionDeclaration<Values>, of values: Values, where isRight: (Values) -> Bool = { _ in true }
    ) -> String? {
        let texts = ["a: b", "a=b", "3", "0-9", "md5:" + String(repeating: "0", count: 32), "de", "127.0.0.1"]
        return (option.argument == .none ? ["true"] : option.choices.reversed() + texts).first { text in
            var values = values
            return (try? option.set(&values, text)) != nil && isRight(values)
        }
    }

    /// Returns the members of a job, with each of its options by itself.
    private static func members(of job: JobSpec) -> [String: JSONValue] {
        guard case .object(let members) = job.jsonValue else { return [:] }
        let named = members.flatMap { member -> [(String, JSONValue)] in
            guard member.key == "options", case .object(let options) = member.value else {
                return member.key == "version" ? [] : [(member.key, member.value)]
            }
            return options.map { ("options.\($0.key)", $0.value) }
        }
        return Dictionary(uniqueKeysWithValues: named)
    }

    @Test(arguments: GetCommand.declaration.options.map(\.name).filter { !["help", "version"].contains($0) })
    func `a list and the configuration take each option of a download, unless the table has one reason`(
        name: String
    ) throws {
        let option = try #require(GetCommand.declaration.options.first { $0.name == name })
        let text = try #require(Self.text(for: option, of: GetCommand()))
        for place in [OptionPlaces.lists, .configuration, .environment] {
            #expect(option.absences.count { $0.places.contains(place) } < 2)
        }
        let inList = try? ListedFile(
            [.init(line: 1, name: name, value: text)], of: "http://a/", template: JobSpec("http://a/"))
        #expect((inList?.ignored.isEmpty == true) == option.places.contains(.lists))
        let key = String(name.map { $0 == "-" ? "_" : $0 })
        let value = option.argument == .none || Int(text) != nil ? text : "\"\(text)\""
        let directory = try TemporaryDirectory("options")
        let file = directory.file("config.toml")
        try "[get]\n\(key) = \(value)\n".write(toFile: file, atomically: false, encoding: .utf8)
        let inFile = ConfigReport(file: file) { _ in nil }
        #expect(!inFile.problems.isEmpty || option.places.contains(.configuration))
        #expect(inFile.defaults.contains { $0.key.name == key } == option.places.contains(.configuration))
        let inVariable = ConfigReport(file: nil) { $0 == "PAWL_" + key.uppercased() ? text : nil }
        #expect(
            inVariable.defaults.contains { $0.key.name == key }
                == option.places.isSuperset(of: [.configuration, .environment]))
    }

    @Test func `what only lists know is a word of theirs, and has the reason why the command does not`() {
        let options = ListOptions.all.filter { !$0.places.contains(.commandLine) }
        #expect(options.count > 10)
        for option in options {
            #expect(ListOptions.words.contains(option.name) && GetCommand.declaration.option(option.flag) == nil)
        }
    }

    @Test func `an option that may be repeated has no default, which would be added to what is typed`() {
        for key in CommandDefaults.schema.keys { #expect(key.kind != .list, "\(key.name)") }
    }

    @Test func `docs/options.md names the options that can have defaults`() throws {
        let page = try String(
            contentsOf: Self.sources.deletingLastPathComponent().appending(path: "docs/options.md"), encoding: .utf8)
        let list = try #require(page.firstRange(of: /These options can have defaults: [^.]*\./))
        let named = page[list].split { !($0.isLetter || $0.isNumber || $0 == "_") }.dropFirst(5).map(String.init)
        #expect(named.sorted() == CommandDefaults.schema.keys.map(\.name).sorted())
    }

    /// A value for each option that is not a flag, in the form that a session stores.
    private static let examples = [
        "connections": "3", "rate": "1000", "stall-timeout": "1000000000", "response-timeout": "1000000000",
        "maximum-time": "1000000000", "retry-time": "1000000000", "retries": "3",
        "stream-window": "65536", "location": "de", "digest": "md5:d41d8cd98f00b204e9800998ecf8427e",
        "compute-checksum": "sha-1", "size": "7",
        "maximum-size": "7",
        "pieces": "md5 16 07070707070707070707070707070707", "on-change": "fail", "ranges": "0-99", "if-exists": "skip",
        "sync": "none",
    ]
}
