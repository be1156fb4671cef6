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
            let clash = "would fail: Another download is saved as \"file.bin\""
            #expect(!lines[0].contains("would fail") && lines[1].contains(clash), "\(foretold)")
            let run = try await Program.run(words)
            #expect(run.ending == ExitCode.fileExists, "\(run)")
            // Whether or not the first has ended by the time that the second may have its name.
            #expect(
                run.standardError.split(separator: "\n").contains {
                    $0.contains(urls[1]) && $0.contains("Another download is saved as")
                }, "\(run)")
            #expect(try Files.isEqual(world.target, to: Self.content))
        }

        /// Runs a dry run and the run, which have to end alike.
        private func both(
            _ words: [String], _ world: World, kind: String = "--dry-run", ending: Int32
        ) async throws -> (foretold: Subprocess.Output, run: Subprocess.Output) {
            let foretold = try await dryRun(words, world, kind: kind)
            #expect(foretold.ending == .exited(ending), "\(foretold)")
            let run = try await Program.run(words + ["-q"])
            #expect(run.ending == .exited(ending), "\(run)")
            return (foretold, run)
        }

        @Test func `a file where a directory has to be is foreseen`() async throws {
            let world = try await World(content: Self.content)
            let file = world.directory.file("taken")
            try Files.write([1], to: file)
            let url = world.server.url(World.name)
            for directory in [file, file + "/sub"] {
                let made = try await both(["get", url, "-d", directory, "--create-dirs"], world, ending: 8)
                #expect(made.foretold.standardOutput.contains("cannot be created: Not a directory"), "\(made)")
                #expect(made.run.standardError.contains("cannot be created: Not a directory"), "\(made)")
            }
            // With --keep-paths it is the host that needs a directory.
            let host = String(url.dropFirst("http://".utf8.count).prefix { $0 != "/" }).replacing(":", with: "+")
            let outside = try TemporaryDirectory("outside")
            for make in [
                { try Files.write([1], to: world.directory.file(host)) },
                {
                    Files.remove(world.directory.file(host))
                    _ = symlink(outside.path, world.directory.file(host))
                },
            ] as [() throws -> Void] {
                try make()
                let nested = try await both(
                    ["get", url, "-d", world.directory.path, "--keep-paths"], world, ending: 8)
                #expect(nested.foretold.standardOutput.contains("\(host)\" cannot be used"), "\(nested)")
            }
            #expect(try Files.names(outside.path).isEmpty)
        }

        @Test func `a path that would be both a file and a directory is the first one's`() async throws {
            let world = try await World(content: Self.content)
            let url = world.server.url(World.name)
            let words = ["get", "-d", world.directory.path, "--keep-paths", url, url + "/below"]
            let ended = try await both(words, world, ending: 9)
            let lines = ended.foretold.standardOutput.split(separator: "\n")
            #expect(lines.contains { $0.contains("\(World.name)/below\"") && $0.contains("would fail") }, "\(ended)")
            #expect(ended.run.standardError.contains("cannot be a directory for"), "\(ended)")
        }

        @Test func `a name that was given goes before the name of an earlier URL`() async throws {
            let world = try await World(places: [.plain, .slow(bytesPerSecond: 100 << 10)], content: Self.content)
            let list = world.directory.path + ".list"
            let slow = world.server.url(World.name, in: .slow)
            try Files.write("\(slow)\n\(world.server.url(World.name))\n out=\(World.name)\n".utf8, to: list)
            defer { Files.remove(list) }
            let ended = try await both(["get", "-d", world.directory.path, "-i", list], world, ending: 9)
            let lines = ended.foretold.standardOutput.split(separator: "\n")
            #expect(lines[0].contains("would fail") && !lines[1].contains("would fail"), "\(ended)")
            #expect(ended.run.standardError.contains(slow), "\(ended)")
        }

        @Test func `another program's partial file is said to be moved aside`() async throws {
            let world = try await World(content: Self.content)
            try Files.write([1, 2, 3], to: world.partial)
            let ended = try await both(world.get(), world, ending: 0)
            #expect(ended.foretold.standardOutput.contains("would be moved aside"), "\(ended)")
            #expect(try Files.read(world.setAside) == [1, 2, 3])
        }

        @Test func `it says where an archive would be unpacked, and what is there`() async throws {
            let source = try TemporaryDirectory("packed")
            try Files.makeDirectory(source.file("in"))
            try Files.write([7], to: source.file("in/a"))
            let packed = try await Program.run("pack", source.file("x.zip"), source.file("in"))
            #expect(packed.ending == ExitCode.done, "\(packed)")
            let world = try await World(content: try Files.read(source.file("x.zip")))
            let directory = world.target + ".unpacked"
            let fresh = try await dryRun(world.get("--extract"), world)
            #expect(fresh.standardOutput.contains("; would be unpacked to \(directory)\n"), "\(fresh)")
            try Files.makeDirectory(directory)
            try Files.write([1], to: directory + "/other")
            let words = world.get("--extract")
            let refused = try await dryRun(words, world)
            #expect(
                refused.ending == .exited(18) && refused.standardOutput.contains("would not be unpacked"), "\(refused)")
            let replaced = try await dryRun(words + ["--if-exists", "replace"], world)
            #expect(replaced.standardOutput.contains("exists and would be replaced"), "\(replaced)")
            #expect(try await Program.run(words + ["-q"]).ending == .exited(18))
            let run = try await Program.run(words + ["-q", "--if-exists", "replace"])
            #expect(run.ending == ExitCode.done, "\(run)")
            let again = try await both(words, world, ending: 0)
            #expect(again.foretold.standardOutput.contains("; is already unpacked to \(directory)\n"), "\(again)")
        }

        @Test func `online it judges the partial file of another URL by the server's answer`() async throws {
            let world = try await World(
                places: [.plain, .slow(bytesPerSecond: 100 << 10)], content: Files.randomBytes(2 << 20))
            try world.server.put(Files.randomBytes(1 << 20), at: "shorter.bin")
            _ = try await world.interrupt(world.get(in: .slow, "--max-speed", "200k"))
            let other = ["get", world.server.url("shorter.bin"), "-o", world.target]
            let offline = try await dryRun(other, world)
            #expect(offline.ending == ExitCode.done, "\(offline)")
            #expect(offline.standardOutput.contains("if the server's file is the same"), "\(offline)")
            let ended = try await both(other, world, kind: "--dry-run=online", ending: 11)
            #expect(ended.foretold.standardOutput.contains("its length differs"), "\(ended)")
            #expect(ended.run.standardError.contains("its length differs"), "\(ended)")
            let same = try await both(world.get(), world, kind: "--dry-run=online", ending: 0)
            #expect(same.foretold.standardOutput.contains("if samples of it are the same at the server"), "\(same)")
        }

        @Test func `online it says whether the server's file is newer`() async throws {
            let world = try await World(content: Self.content)
            try Files.write([1, 2, 3], to: world.target)
            let words = world.get("--if-newer")
            let asked = try await dryRun(words, world)
            #expect(asked.standardOutput.contains("would be downloaded if the server's file is newer"), "\(asked)")
            let current = try await both(words, world, kind: "--dry-run=online", ending: 0)
            #expect(current.foretold.standardOutput.contains("the server's file is not newer"), "\(current)")
            #expect(try Files.read(world.target) == [1, 2, 3])
            let old = [timeval(tv_sec: 1_000_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000_000, tv_usec: 0)]
            #expect(utimes(world.target, old) == 0)
            let newer = try await both(words, world, kind: "--dry-run=online", ending: 0)
            #expect(newer.foretold.standardOutput.contains("exists, would be replaced"), "\(newer)")
            try world.expect(Self.content)
        }
    }
}
