import PawlTestKit
import Testing

extension EndToEnd {
    /// `pawl list URL` and `pawl get --member` with real servers and an archive made by Python's zipfile.
    @Suite("Members of a remote zip", .serialized, .timeLimit(.minutes(5)))
    struct RemoteZipProgramTests {
        /// 8 MiB in 41 members, some compressed, some stored.
        private static let recipe = """
            for n in range(20):
                z.writestr(f"tables/{n:02}.csv", ("%d;" % n) * 20000)
            for n in range(20):
                z.writestr(zipfile.ZipInfo(f"raw/{n:02}.bin"), random.Random(n).randbytes(400000), zipfile.ZIP_STORED)
            z.writestr("read me.txt", "hello")
            """

        private static func table(_ number: Int) -> [UInt8] {
            Array(String(repeating: "\(number);", count: 20000).utf8)
        }

        private static func world(
            _ origin: World.Origin = .nginx, places: [RealServer.Place] = [.plain]
        ) async throws -> World {
            try await World(origin, places: places, content: ZipByPython.make(recipe))
        }

        private static func get(_ world: World, _ options: String..., place: RealServer.Place = .plain) -> [String] {
            ["get", world.server.url(World.name, in: place), "-d", world.directory.path] + world.trust + options
        }

        @Test(arguments: World.Origin.all)
        func `listing a remote zip downloads only its directory`(_ origin: World.Origin) async throws {
            let world = try await Self.world(origin)
            let output = try await Program.run(["list", world.server.url(World.name)] + world.trust)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            for name in ["tables/00.csv", "raw/19.bin", "read me.txt", "41 files"] {
                #expect(output.standardOutput.contains(name), "\(output.standardOutput)")
            }
            let json = try await Program.run(["list", "--json", world.server.url(World.name)] + world.trust)
            #expect(try Program.events(in: json.standardOutput).compactMap { $0["path"] as? String }.count == 41)
            let log = try await world.server.stopAndReadLog()
            #expect(log.count == 2 && log.allSatisfy { $0.status == 206 && $0.bodyBytes <= 65_633 }, "\(log)")
        }

        @Test(arguments: World.Origin.all)
        func `--member downloads only the members that match its patterns`(_ origin: World.Origin) async throws {
            let world = try await Self.world(origin)
            let output = try await Program.run(
                Self.get(world, "-q", "--member", "tables/0*.csv", "--member", "raw/07.bin"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let made = world.directory.file("file.bin.unpacked")
            #expect(try Files.names(world.directory.path) == ["file.bin.unpacked"])
            #expect(try Files.names(made + "/tables").count == 10 && Files.names(made + "/raw") == ["07.bin"])
            for number in 0..<10 { #expect(try Files.isEqual(made + "/tables/0\(number).csv", to: Self.table(number))) }
            let log = try await world.server.stopAndReadLog()
            let sent = log.reduce(0) { $0 + $1.bodyBytes }
            #expect(sent <= 400_000 + 10 * 2000 + 128 << 10, "\(sent)")
        }

        @Test func `a single member becomes a file, under its own name or that of -o`() async throws {
            let world = try await Self.world()
            #expect(try await Program.run(Self.get(world, "--member", "read me.txt")).ending == ExitCode.done)
            let eleven = try await Program.run(Self.get(world, "--member", "tables/11.csv", "-o", "eleven", "--json"))
            let summary = try #require(try Program.events(in: eleven.standardOutput).last)
            #expect(eleven.ending == ExitCode.done)
            // Counts the bytes downloaded, not the bytes unpacked.
            let fetched = try #require(summary["fetched"] as? Int)
            #expect((1..<10_000).contains(fetched), "\(summary)")
            #expect(try Files.names(world.directory.path) == ["eleven", "read me.txt"])
            #expect(try Files.isEqual(world.directory.file("read me.txt"), to: Array("hello".utf8)))
            #expect(try Files.isEqual(world.directory.file("eleven"), to: Self.table(11)))
            let again = try await Program.run(Self.get(world, "--member", "read me.txt"))
            #expect(again.ending == ExitCode.fileExists, "\(again.standardError)")
            let skipped = try await Program.run(
                Self.get(world, "--member", "read me.txt", "--if-exists", "skip", "--json"))
            let told = try Program.events(in: skipped.standardOutput)
            #expect(
                skipped.ending == ExitCode.done && told.suffix(2).map { $0["skipped"] as? Int } == [1, 1],
                "\(skipped.standardOutput)")
            let nothing = try await Program.run(Self.get(world, "--member", "nothing/*", "--json"))
            #expect(
                nothing.standardError.contains("nothing/*") && nothing.ending == .exited(15), "\(nothing.standardError)"
            )
            let failed = try Program.events(in: nothing.standardOutput).suffix(2)
            #expect(
                failed.map { $0["event"] as? String } == ["failed", "summary"]
                    && failed.map { $0["exitCode"] as? Int } == [15, 15])
            try await world.server.stop()
        }

        @Test(arguments: [true, false])
        func `a directory extracted for one member does not satisfy a request for another, or for all`(
            ranges: Bool
        ) async throws {
            let world = try await World(
                .nginx, places: [ranges ? .plain : .rangeless], content: ZipByPython.make(Self.recipe))
            let place: RealServer.Place = ranges ? .plain : .rangeless
            let into = world.directory.file("out")
            for (name, ending) in [("tables/00.csv", ExitCode.done), ("tables/01.csv", .exited(ranges ? 9 : 18))] {
                let output = try await Program.run(
                    Self.get(world, "-q", "--extract=\(into)", "--member", name, place: place))
                #expect(output.ending == ending, "\(name): \(output.standardError)")
                #expect(
                    output.standardError.contains("already") == (ending != ExitCode.done), "\(output.standardError)")
                #expect(try Files.names(into + "/tables") == ["00.csv"])
            }
            if !ranges {
                let again = try await Program.run(
                    Self.get(world, "-q", "--extract=\(into)", "--member", "tables/00.csv", place: place))
                #expect(again.ending == ExitCode.done, "\(again.standardError)")
                let all = try await Program.run(Self.get(world, "-q", "--extract=\(into)", place: place))
                #expect(all.ending == .exited(18))
            }
            try await world.server.stop()
        }

        @Test func `members of a tar archive are extracted only with --extract, from the whole archive`() async throws {
            let directory = try TemporaryDirectory("tar")
            try Files.makeDirectory(directory.file("d"))
            for name in ["one", "two"] { try Files.write(Array(name.utf8), to: directory.file("d/" + name)) }
            let made = try await Subprocess.run("tar", ["-czf", directory.file("d.tgz"), "-C", directory.path, "d"])
            #expect(made.ending == ExitCode.done)
            let world = try await World(.nginx, places: [.plain], content: Files.read(directory.file("d.tgz")))
            let refused = try await Program.run(Self.get(world, "--member", "d/two"))
            #expect(
                refused.ending == .exited(15) && refused.standardError.contains("--extract"), "\(refused.standardError)"
            )
            let output = try await Program.run(
                Self.get(world, "--extract=\(world.directory.file("out"))", "--member", "d/two"))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.names(world.directory.file("out/d")) == ["two"])
            try await world.server.stop()
        }

        @Test(arguments: [true, false])
        func `members resume after a kill or Ctrl-C, and no temporary files remain`(isKill: Bool) async throws {
            let world = try await Self.world()
            let command = Self.get(world, "--member", "raw/*", "-x", "1")
            let download = try Program.start(command + ["--max-speed", "400k"])
            try await until("a part is durable") {
                try #require(download.running(), "it ended: \(download.standardError)")
                guard let partial = try Files.names(world.directory.path).first(where: { $0.hasSuffix(".part") }) else {
                    return false
                }
                return try await Program.status(of: world.directory.file(String(partial.dropLast(5)))).map {
                    $0.durableBytes > 0
                } ?? false
            }
            if isKill { download.kill9() } else { download.interrupt() }
            #expect(try await download.wait(timeout: .seconds(60)) == (isKill ? .signalled(9) : ExitCode.interrupted))
            #expect(try !Files.names(world.directory.path).contains("file.bin.unpacked"))
            let before = try await world.server.stopAndReadLog().reduce(0) { $0 + $1.bodyBytes }
            try await world.server.start()
            let output = try await Program.run(command)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(output.standardError.contains("Resuming"), "\(output.standardError)")
            #expect(try Files.names(world.directory.path) == ["file.bin.unpacked"])
            #expect(try Files.names(world.directory.file("file.bin.unpacked/raw")).count == 20)
            let log = try await world.server.stopAndReadLog()
            #expect(log.reduce(0) { $0 + $1.bodyBytes } - before < 8_000_000, "\(log)")
        }

        @Test func `options that conflict with --member are refused before any request`() async throws {
            let world = try await Self.world()
            for options in [
                ["--range", "0-9"], ["--checksum", "md5:" + String(repeating: "0", count: 32)],
                ["--mirror", "http://a.example/f"],
            ] {
                let output = try await Program.run(Self.get(world, "--member", "a") + options)
                #expect(
                    output.ending == ExitCode.usage && output.standardError.contains("--member"),
                    "\(options): \(output.standardError)")
            }
            #expect(try await world.server.stopAndReadLog().isEmpty)
        }
    }
}

/// Archives made by Python's zipfile.
private enum ZipByPython {
    static func make(_ body: String) async throws -> [UInt8] {
        let directory = try TemporaryDirectory("zip")
        let script =
            "import zipfile, random\nz = zipfile.ZipFile('\(directory.file("a.zip"))', 'w', zipfile.ZIP_DEFLATED)\n\(body)\nz.close()\n"
        let python = try await Subprocess("/usr/bin/env", ["python3", "-c", script]).output()
        try #require(python.ending == .exited(0), "\(python.standardError)")
        return try Files.read(directory.file("a.zip"))
    }
}
