import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct HelpTopicTests {
    @Test(arguments: HelpTopic.all.map(\.name), [80, 100])
    func `a help topic fits on one screen`(name: String, columns: Int) throws {
        let page = try #require(HelpTopic.answer(to: ["help", name], columns: columns))
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(!lines.isEmpty && lines.count <= 24, "\(lines.count) lines")
        #expect(lines.allSatisfy { $0.count <= columns }, "\(lines.filter { $0.count > columns })")
    }

    @Test func `the help of get has a line for each common option and each topic`() {
        let page = HelpTopic.everyday(columns: 80)
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        #expect(lines.count <= 28 && lines.allSatisfy { $0.count <= 80 })
        for flag in ["-o", "-d", "-c", "-i", "-x", "--checksum", "-H", "--limit", "--extract", "-q"] {
            #expect(lines.count { $0.hasPrefix("  \(flag)") } == 1, "\(flag)")
        }
        #expect(HelpTopic.all.allSatisfy { topic in lines.contains { $0.hasPrefix("  \(topic.name) ") } })
        #expect(HelpTopic.answer(to: ["get", "https://h/", "--help"], columns: 80) == page)
        #expect(HelpTopic.answer(to: ["get", "-h"], columns: 80) == page)
        #expect(HelpTopic.answer(to: ["help", "get"], columns: 80) == page)
    }

    /// Add a new flag to a topic in `HelpTopic+All.swift`.
    @Test func `every flag is explained in a topic, and topics explain no unknown flag`() {
        let known = Set(GetCommand.declaration.options.map(\.flag))
        let explained = HelpTopic.all.flatMap(\.flags)
        #expect(known.subtracting(explained).subtracting(["--help", "--version"]) == [])
        #expect(Set(explained).subtracting(known) == [])
    }

    @Test func `other help requests are not answered by a topic`() {
        #expect(HelpTopic.answer(to: ["help"], columns: 80) == nil)
        #expect(HelpTopic.answer(to: ["help", "probe"], columns: 80) == nil)
        #expect(HelpTopic.answer(to: ["get", "https://h/"], columns: 80) == nil)
        #expect(HelpTopic.answer(to: ["get", "--", "--help"], columns: 80) == nil)
        #expect(HelpTopic.answer(to: [], columns: 80) == nil)
        #expect(HelpTopic.answer(to: ["help", "all"], columns: 80)?.contains("--allow-insecure-redirect") == true)
    }

    @Test(arguments: [
        ("hash", "trust"), ("tls", "network"), ("configuration", "defaults"), ("Streaming", "ranges"),
        ("trust", "trust"),
    ])
    func `a topic is found by other words`(word: String, topic: String) throws {
        #expect(try PawlCommand.withCommand(["help", word]) == ["help", word])
        let page = try #require(HelpTopic.answer(to: ["help", topic], columns: 80))
        #expect(HelpTopic.answer(to: ["help", word], columns: 80) == page)
    }

    @Test func `help about a command is that of the command`() throws {
        for name in PawlCommand.names {
            #expect(HelpTopic.meant(by: name) == nil, "\(name)")
            #expect(try PawlCommand.withCommand(["help", name]) == ["help", name])
        }
    }

    @Test func `help after get is the help of get`() throws {
        #expect(try PawlCommand.withCommand(["get", "help"]) == ["help", "get"])
    }

    @Test func `messages wrap by what is seen, and keep their blanks`() {
        #expect("\u{1B}[31mone\u{1B}[0m two three".wrapped(to: 7) == "\u{1B}[31mone\u{1B}[0m two\nthree")
        #expect("a  b: 日本 c".wrapped(to: 10) == "a  b: 日本\nc")
        #expect("averylongname.iso: x".wrapped(to: 8) == "averylongname.iso:\nx")
    }

    @Test func `text wraps between words, and indented examples stay unchanged`() {
        #expect(
            "one two three\n  an example that is long\nfour".wrapped(to: 8)
                == "one two\nthree\n  an example that is long\nfour")
    }
}
