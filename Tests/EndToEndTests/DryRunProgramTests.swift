import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// `--dry-run`: the same exit code as the run, and nothing is made or changed.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct DryRunProgramTests {
        private static let content = Files.randomBytes(20_000)

        private func dryRun(
            _ words: [String], _ world: World, kind: String = "--dry-run"
        ) async throws -> Subprocess.Output {
            let before = try Files.names(world.directory.path)
            let output = try await Program.run(words + [kind])
            #expect(try Files.names(world.directory.path) == before)
            return output
        }

        @Test(arguments: ["fail", "skip", "replace", "rename"])
        func `for an existing file it says what the run does`(policy: String) async throws {
            let world = try await World(content: Self.content)
            try Files.write([1, 2, 3], to: world.target)
            let words = world.get("--if-exists", policy)
            for kind in ["--dry-run", "--dry-run=online"] {
                let output = try await dryRun(words, world, kind: kind)
                #expect(output.ending == (policy == "fail" ? ExitCode.fileExists : ExitCode.done), "\(output)")
                let says = [
                    "fail": "would fail: \"file.bin\" already exists.", "skip": "exists, would be skipped",
                    "replace": "exists, would be replaced", "rename": "file (1).bin",
                ]
                #expect(output.standardOutput.contains(says[policy] ?? "?"), "\(output)")
            }
            let run = try await Program.run(words + ["-q"])
            #expect(run.ending == (policy == "fail" ? ExitCode.fileExists : ExitCode.done), "\(run)")
            #expect(Files.exists(world.directory.file("file (1).bin")) == (policy == "rename"))
        }

        @Test func `it says what would be resumed, and leaves it as it is`() async throws {
            let world = try await World(content: Files.randomBytes(2 << 20))
            let words = world.get()
            _ = try await world.interrupt(words + ["--max-speed", "200k"])
            let (partial, journal) = (try Files.read(world.partial), try Files.read(world.journal))
            let output = try await dryRun(words, world)
            #expect(output.ending == ExitCode.done, "\(output)")
            #expect(output.standardOutput.contains("would be resumed from "), "\(output)")
            #expect(try Files.read(world.partial) == partial && Files.read(world.journal) == journal)
        }

        @Test func `it names the directories that would be made, and fails as the run does where one is missing`()
            async throws
        {
            let world = try await World(content: Self.content)
            let words = ["get", world.server.url(World.name), "-d", world.directory.file("new/sub")]
            let missing = try await dryRun(words, world)
            #expect(missing.ending == ExitCode.disk, "\(missing)")
            #expect(try await Program.run(words + ["-q"]).ending == ExitCode.disk)
            let made = try await dryRun(words + ["--create-dirs"], world)
            #expect(made.ending == ExitCode.done, "\(made)")
            #expect(
                made.standardOutput.split(separator: "\n").map { String($0) }.prefix(2) == [
                    "directory \"\(world.directory.file("new"))\" would be created",
                    "directory \"\(world.directory.file("new/sub"))\" would be created",
                ])
        }

        @Test func `online it asks servers: lengths, the total, and what is not there`() async throws {
            let world = try await World(content: Self.content)
            let words = [
                "get", "-d", world.directory.path, world.server.url(World.name), world.server.url("missing"),
            ]
            let offline = try await dryRun(words, world)
            #expect(offline.ending == ExitCode.done, "\(offline)")
            #expect(!offline.standardOutput.contains("404"))
            let online = try await dryRun(words, world, kind: "--dry-run=online")
            #expect(online.ending == ExitCode.refused, "\(online)")
            #expect(online.standardOutput.contains("file.bin, 19.5 KiB\n"), "\(online)")
            #expect(
                online.standardOutput.contains("would fail: ") && online.standardOutput.contains("404"), "\(online)")
            #expect(online.standardOutput.hasSuffix("2 files, 19.5 KiB, 1 would fail\n"), "\(online)")
            let json = try await dryRun(words + ["--json"], world, kind: "--dry-run=online")
            let events = try Program.events(in: json.standardOutput)
            #expect(events.map { $0["event"] as? String } == ["planned", "planned", "plan"])
            #expect(events[0]["total"] as? Int == 20_000 && events[1]["code"] as? String == "notFound")
            #expect(events[2]["exitCode"] as? Int == 4 && events[2]["bytes"] as? Int == 20_000)
        }

        @Test func `of names that clash, the first gets the file, and both say so`() async throws {
            let world = try await World(places: [.plain, .slow(bytesPerSecond: 100 << 10)], content: Self.content)
            let urls = [world.server.url(World.name, in: .slow), world.server.url(World.name)]
            let words = ["get", "-d", world.directory.path] + urls
            let foretold = try await dryRun(words, world)
            #expect(foretold.ending == ExitCode.fileExists, "\(foretold)")
            let lines = foretold.standardOutput.split(separator: "\n")
            let clash = "would fail: Another download is being saved as \"file.bin\""
            #expect(!lines[0].contains("would fail") && lines[1].contains(clash), "\(foretold)")
            let run = try await Program.run(words + ["-q"])
            #expect(run.ending == ExitCode.fileExists, "\(run)")
            #expect(run.standardError.contains("\(urls[1]): Another download is being saved as"), "\(run)")
            #expect(try Files.isEqual(world.target, to: Self.content))
        }
    }
}
