import Foundation
import Testing

/// The documentation shows only code that runs: every Swift block in it equals a marked piece of the example files.
@Suite("Examples of the README and the articles")
struct ReadmeTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let exampleFiles = [
        "Tests/PawlTests/ExampleTests.swift",
        "Tests/PawlArchiveTests/DownloadExampleTests.swift",
        "Tests/PawlFoundationTests/URLSessionExampleTests.swift",
        "Tests/PawlMetalinkTests/MetalinkExampleTests.swift",
        "Tests/PawlJobsTests/JobExampleTests.swift",
        "Tests/PawlClientTests/ClientExampleTests.swift",
    ]

    private static let pages = [
        "README.md",
        "docs/library.md",
        "docs/urlsession.md",
        "Sources/Pawl/Documentation.docc/Pawl.md",
        "Sources/Pawl/Documentation.docc/From URLSession to Pawl.md",
        "Sources/PawlFoundation/Documentation.docc/PawlFoundation.md",
        "Sources/PawlMetalink/Documentation.docc/PawlMetalink.md",
        "Sources/PawlArchive/Documentation.docc/PawlArchive.md",
        "Sources/PawlJobs/Documentation.docc/PawlJobs.md",
        "Sources/PawlClient/Documentation.docc/PawlClient.md",
    ]

    @Test(arguments: pages)
    func `each Swift block equals an example that is run`(page: String) throws {
        let examples = try Self.examples()
        let blocks = Self.swiftBlocks(in: try Self.lines(of: page))
        #expect(!blocks.isEmpty, "no Swift in \(page): is it still read rightly?")
        for block in blocks {
            #expect(
                examples.values.contains(block.text),
                "\(page):\(block.line): this is in no file of examples:\n\(block.text)")
        }
    }

    @Test func `each marked example is shown on a page`() throws {
        let shown = try Self.pages.flatMap { Self.swiftBlocks(in: try Self.lines(of: $0)).map(\.text) }
        for (name, text) in try Self.examples() {
            #expect(shown.contains(text), "example “\(name)” is shown nowhere")
        }
    }

    private static let documents =
        (FileManager.default.enumerator(atPath: root.appendingPathComponent("docs").path)?.allObjects as? [String] ?? [])
        .filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }

    @Test(
        arguments: ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Benchmarks/README.md"] + documents)
    func `links between files lead to existing files`(page: String) throws {
        let text = try Self.lines(of: page).joined(separator: "\n")
        let place = Self.root.appendingPathComponent(page).deletingLastPathComponent()
        for match in text.matches(of: /\]\((?<target>[^)\s]+)\)/) {
            let target = match.target.prefix { $0 != "#" }
            guard !target.isEmpty, !target.contains("://") else { continue }
            let file = place.appendingPathComponent(String(target).removingPercentEncoding ?? String(target))
            #expect(FileManager.default.fileExists(atPath: file.path), "\(page) links to \(target)")
        }
    }

    // MARK: Parsing

    private struct Block {
        var line: Int
        var text: String
    }

    private static func lines(of page: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private static func swiftBlocks(in lines: [String]) -> [Block] {
        var blocks: [Block] = []
        var open: (line: Int, body: [String])?
        for (index, line) in lines.enumerated() {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if let block = open {
                guard trimmed == "```" else {
                    open?.body.append(line)
                    continue
                }
                blocks.append(Block(line: block.line, text: dedented(block.body)))
                open = nil
            } else if trimmed == "```swift" {
                open = (index + 1, [])
            }
        }
        return blocks
    }

    private static func examples() throws -> [String: String] {
        var examples: [String: String] = [:]
        var open: (name: String, body: [String])?
        for line in try exampleFiles.flatMap({ try lines(of: $0) }) {
            let trimmed = line.trimmingCharacters(in: .whitespaces)
            if trimmed.hasPrefix("// README:begin ") {
                try #require(open == nil, "“\(trimmed)” begins inside another")
                open = (String(trimmed.dropFirst("// README:begin ".count)), [])
            } else if trimmed == "// README:end" {
                let example = try #require(open, "an end without a beginning")
                examples[example.name] = dedented(example.body)
                open = nil
            } else {
                open?.body.append(line)
            }
        }
        try #require(open == nil, "“\(open?.name ?? "")” has no end")
        return examples
    }

    /// Removes the indentation that all lines share.
    private static func dedented(_ lines: [String]) -> String {
        let indents = lines.filter { !$0.allSatisfy(\.isWhitespace) }.map { $0.prefix { $0 == " " }.count }
        let shared = indents.min() ?? 0
        return lines.map { $0.allSatisfy(\.isWhitespace) ? "" : String($0.dropFirst(shared)) }.joined(separator: "\n")
    }
}
