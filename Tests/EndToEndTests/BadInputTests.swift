import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// Bad input gets its exit code and one clear line, and changes nothing.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct BadInputTests {
        struct Case: CustomTestStringConvertible, Sendable {
            let testDescription: String
            let expected: Subprocess.Ending
            /// A word of the input that the message has to repeat.
            var mentions: String?
            var prepare: @Sendable (World) async throws -> Void = { _ in }
            let arguments: @Sendable (World) -> [String]
        }

        static let content = Files.randomBytes(1 << 20)

        @Test(arguments: arguments + targets + journals)
        func `bad input ends with its exit code and one clear line, and changes nothing`(_ bad: Case) async throws {
            let world = try await World(content: Self.content)
            try await bad.prepare(world)
            let before = try Files.listing(world.directory.path)
            let output = try await Program.run(bad.arguments(world))
            #expect(output.ending == bad.expected, "\(output.standardError)")
            #expect(output.standardOutput.isEmpty, "talk on standard output: \(output.standardOutput)")
            expectOneClearLine(output)
            if let word = bad.mentions { #expect(output.standardError.contains(word), "\(output.standardError)") }
            #expect(try Files.listing(world.directory.path) == before)
        }

        // MARK: Arguments

        static let arguments: [Case] =
            [
                Case(testDescription: "a URL without a scheme", expected: ExitCode.usage) {
                    ["get", "no-scheme", "-d", $0.directory.path]
                },
                Case(testDescription: "an unsupported scheme", expected: ExitCode.usage, mentions: "ftp") {
                    ["get", "ftp://host/file", "-d", $0.directory.path]
                },
                Case(testDescription: "a malformed checksum", expected: ExitCode.usage) {
                    $0.get("--checksum", "sha-256:xyz")
                },
            ]
            + [
                ["--max-speed=fast"], ["-x", "17"], ["--header", "X-A: b\r\nX-B: c"], ["--on-change", "shrug"],
                ["--no-such-option"],
            ].map { options in
                Case(testDescription: options.joined(separator: " "), expected: ExitCode.usage) { $0.get() + options }
            }
            + [
                Case(
                    testDescription: "an authority file that is missing", expected: ExitCode.usage,
                    mentions: "no-such-file"
                ) {
                    $0.get("--ca-certificate", $0.directory.file("no-such-file"))
                },
                Case(testDescription: "verify without a checksum", expected: ExitCode.usage) { ["verify", $0.target] },
            ]

        // MARK: Targets

        static let targets: [Case] = [
            Case(testDescription: "a missing directory", expected: ExitCode.disk, mentions: "missing") {
                ["get", $0.server.url(World.name), "-d", $0.directory.file("missing")]
            },
            Case(
                testDescription: "a file as the directory", expected: ExitCode.disk, mentions: "plain",
                prepare: { try Files.write([1], to: $0.directory.file("plain")) }
            ) { ["get", $0.server.url(World.name), "-d", $0.directory.file("plain")] },
            // Root may write despite the mode, but not to /sys.
            Case(testDescription: "an unwritable directory", expected: ExitCode.disk, mentions: "/sys") {
                ["get", $0.server.url(World.name), "-d", "/sys"]
            },
            Case(
                testDescription: "a target that is a directory", expected: ExitCode.usage, mentions: World.name,
                prepare: { try Files.makeDirectory($0.target) }
            ) { $0.get() },
            Case(testDescription: "a target that is a device", expected: ExitCode.usage, mentions: "/dev/null") {
                ["get", $0.server.url(World.name), "-o", "/dev/null"]
            },
            Case(
                testDescription: "a directory is not replaced either", expected: ExitCode.usage, mentions: World.name,
                prepare: { try Files.makeDirectory($0.target) }
            ) { $0.get("--if-exists", "replace") },
        ]

        // MARK: Journals

        static let journals: [Case] = [
            Case(
                testDescription: "J04 a corrupt journal", expected: ExitCode.journal, mentions: World.name,
                prepare: { world in
                    try Files.write(content.prefix(1000), to: world.partial)
                    try Files.write(Files.randomBytes(1 << 16), to: world.journal)
                }
            ) { $0.get() }
        ]
    }
}
