import Foundation
import PawlArchive
import PawlConfiguration
import PawlCore
import PawlOptions
import Testing

@testable import PawlCLI

/// Reads the library's sources and checks the texts and the codes of its errors.
@Suite("Texts of the library") struct LibraryTextTests {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let targets = [
        "PawlCore", "PawlEngine", "PawlArchive", "PawlSystem", "Pawl", "PawlMetalink", "PawlJobs", "PawlClient",
        "PawlFoundation",
    ]

    /// Texts that look like a flag or a command of `pawl` but are not.
    private static let allowed = [
        // A command of another program, and the only way to obtain a usable key.
        "openssl pkey -in KEY -out COPY",
        // The text of a file that marks a directory in use, for anyone who finds it.
        "pawl unpacks here.",
    ]

    private static func source(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: "Sources/" + path), encoding: .utf8)
    }

    /// The string literals on a line that is code.
    private static func literals(on line: Substring) -> [Substring] {
        guard !line.drop(while: \.isWhitespace).hasPrefix("//") else { return [] }
        return line.matches(of: /"(?:[^"\\]|\\.)*"/).map(\.output)
    }

    /// The delimiter of a multi-line literal.
    private static let manyLines = String(repeating: "\"", count: 3)

    /// The literals of a source with their line numbers. Each line of a multi-line literal counts as one literal.
    private static func literals(in source: String) -> [(line: Int, text: Substring)] {
        var isInside = false
        var found: [(line: Int, text: Substring)] = []
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.contains(manyLines) {
                isInside.toggle()
            } else {
                found += (isInside ? [line] : literals(on: line)).map { (index + 1, $0) }
            }
        }
        return found
    }

    private static func namesFlag(_ text: Substring) -> Bool {
        var text = String(text)
        for known in allowed { text = text.replacing(known, with: "") }
        // Interpolated values in a text do not match.
        return text.contains(
            /(^|[^a-zA-Z0-9-])--[a-z]|[ (“`]-[a-zA-Z]([ ).,;:”`"]|$)|pawl (get|list|probe|status|verify|extract|pack|help)\b/
        )
    }

    @Test func `a flag within a text is found`() {
        for text in ["Choose one with -o.", "use --user", "(--netrc)", "run `pawl list`", "-d names it, or -o"] {
            #expect(Self.namesFlag(text[...]), "\(text)")
        }
        for text in ["half-open", "a - b", "user.pawl.id", "x-y -> z", "2024-01-01", "sha-256", "-"] {
            #expect(!Self.namesFlag(text[...]), "\(text)")
        }
        #expect(Self.literals(on: #"  f("a\"b", x, "c")  "#) == [#""a\"b""#, #""c""#])
        #expect(Self.literals(on: #"  // "a" "#).isEmpty)
    }

    @Test(arguments: targets)
    func `no text of the library names a flag of the command`(target: String) throws {
        let directory = Self.root.appending(path: "Sources/" + target)
        let files = try #require(FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        #expect(!files.isEmpty)
        for file in files where file.lastPathComponent != "RemedyCatalogue.swift" && !file.path.contains("/Peers/") {
            for (line, text) in Self.literals(in: try String(contentsOf: file, encoding: .utf8))
            where Self.namesFlag(text) {
                Issue.record("\(target)/\(file.lastPathComponent):\(line) says \(text): name a remedy instead")
            }
        }
    }

    /// Flags of other programs that texts name (`swift build`, `systemctl`, a hook in an example), and one that takes
    /// back a default.
    private static let foreign: Set<Substring> = ["--product", "--now", "--into", "--no-quiet"]

    /// Names of options of other programs are allowed in the tables of those.
    @Test(arguments: ["PawlCLI", "PawlJobs", "PawlConfiguration", "PawlServer", "PawlClient", "pawld"])
    func `every flag that a text names exists`(target: String) throws {
        let declared =
            PawlCommand.described.flatMap(\.options).flatMap(\.spellings)
            + PawlConfiguration.ServiceOptions.declaration.flatMap(\.spellings)
        let own = try Self.source("pawld/Pawld.swift").matches(of: /\.init\("([a-z-]+)"/).map { "--" + $0.output.1 }
        let known = Set((declared + own).map { $0[...] }).union(Self.foreign)
        let files = try #require(
            FileManager.default.enumerator(
                at: Self.root.appending(path: "Sources/" + target), includingPropertiesForKeys: nil)
        )
        .compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
        for file in files where !["/Peers/", "/Aria2/", "Aria2"].contains(where: file.path.contains) {
            for (line, text) in Self.literals(in: try String(contentsOf: file, encoding: .utf8)) {
                for flag in text.matches(of: /(?:^|[^a-zA-Z0-9-])(--[a-z][a-z0-9-]*[a-z0-9])(?![a-z0-9-])/).map(
                    \.output.1)
                where !known.contains(flag) {
                    Issue.record("\(target)/\(file.lastPathComponent):\(line) names \(flag), which is no option")
                }
            }
        }
    }

    // MARK: Lists that must be complete

    private static func declared(_ type: String, in path: String) throws -> [String] {
        try source(path).matches(of: /static let (\w+) = (Code\(rawValue: "|Self\(\.)(\w+)"?\)/).map { match in
            #expect(match.output.1 == match.output.3, "\(type) \(match.output.1) has another raw value")
            return String(match.output.3)
        }
    }

    @Test func `the lists of error codes and remedies are complete`() throws {
        let codes = try Self.declared("code", in: "PawlCore/Errors/DownloadError+Code.swift")
        #expect(codes.count > 20 && codes == DownloadError.Code.all.map(\.rawValue))
        let remedies = try Self.declared("remedy", in: "PawlCore/Errors/DownloadError+Remedy.swift")
        #expect(remedies.count > 20 && remedies == DownloadError.Remedy.Known.allCases.map(\.rawValue))
        let archiveCodes = try Self.declared("code", in: "PawlArchive/ArchiveError+Code.swift")
        #expect(archiveCodes.count > 10 && archiveCodes == ArchiveError.Code.all.map(\.rawValue))
        let archiveRemedies = try Self.declared("remedy", in: "PawlArchive/ArchiveError+Remedy.swift")
        #expect(archiveRemedies.count > 5 && archiveRemedies == ArchiveError.Remedy.Known.allCases.map(\.rawValue))
    }

    @Test func `docs/json-events.md lists every error code`() throws {
        let page = try String(contentsOf: Self.root.appending(path: "docs/json-events.md"), encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.contains("| `code` |") }
        let (download, archive) = (try #require(rows.first), try #require(rows.last))
        for code in DownloadError.Code.all { #expect(download.contains("`\(code)`"), "\(code)") }
        for code in ArchiveError.Code.all { #expect(archive.contains("`\(code)`"), "\(code)") }
    }
}
