import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// `pawl pack`, `pawl extract`, `pawl list` and `pawl get --extract`, uninterrupted and interrupted.
    @Suite("Archives", .serialized, .timeLimit(.minutes(3)))
    struct ArchiveProgramTests {
        let directory: TemporaryDirectory

        init() throws { directory = try TemporaryDirectory("archives") }

        /// Starts Pawl in the test's directory, because paths are packed as given.
        private func start(tracedBy tracer: [String] = [], _ arguments: String...) throws -> Subprocess {
            let words =
                ["-c", "cd \"$0\" && exec \"$@\"", directory.path] + tracer + [try Program.path.get()] + arguments
            return try Subprocess("sh", words)
        }

        private func names() throws -> [String] { try Files.names(directory.path) }

        /// Makes enough entries for packing or unpacking to take a while. They are hard links, which are created faster
        /// than files.
        private func makeMany(_ count: Int) throws {
            try Files.makeDirectory(directory.file("many"))
            try Files.write("x".utf8, to: directory.file("many/x"))
            for number in 0..<count { #expect(link(directory.file("many/x"), directory.file("many/\(number)")) == 0) }
        }

        // MARK: Uninterrupted

        @Test(arguments: ["zip", "tar.zst"])
        func `a packed archive is listed and unpacked`(_ suffix: String) async throws {
            try Files.makeDirectory(directory.file("photos"))
            try Files.write("one".utf8, to: directory.file("photos/1.jpg"))
            let packed = try await start("pack", "photos.\(suffix)", "photos").output()
            #expect(packed.ending == ExitCode.done)
            #expect(
                packed.standardError.hasPrefix("photos.\(suffix): 1 file, 3 B packed into "), "\(packed.standardError)")
            #expect(packed.standardOutput.isEmpty)

            let again = try await start("pack", "photos.\(suffix)", "photos").output()
            #expect(again.ending == ExitCode.fileExists)

            let table = try await start("list", "photos.\(suffix)").output()
            #expect(
                table.standardOutput.contains("photos/1.jpg\n") && table.standardOutput.hasSuffix("\n")
                    && table.standardError.isEmpty)
            let members = try Program.events(
                in: try await start("list", "--json", "photos.\(suffix)").output().standardOutput)
            #expect(members.map { $0["path"] as? String } == ["photos/", "photos/1.jpg"])

            try Files.rename(directory.file("photos"), to: directory.file("before"))
            let unpacked = try await start("extract", "photos.\(suffix)").output()
            #expect(unpacked.ending == ExitCode.done, "\(unpacked.standardError)")
            // An archive whose only directory has the archive's name is not nested a second time.
            #expect(try Files.text(directory.file("photos/1.jpg")) == "one")
            #expect(try await start("extract", "photos.\(suffix)").output().ending == ExitCode.fileExists)
            let skipped = try await start("extract", "--json", "--if-exists", "skip", "photos.\(suffix)").output()
            #expect(try Program.events(in: skipped.standardOutput).last?["skipped"] as? Bool == true)
        }

        @Test func `with -q nothing is printed, and with --json a failure is reported on stdout and stderr`()
            async throws
        {
            try Files.write("no archive".utf8, to: directory.file("a.zip"))
            #expect(try await start("pack", "-q", "b.zip", "a.zip").output().standardError.isEmpty)
            let output = try await start("extract", "--json", "a.zip").output()
            #expect(output.ending == .exited(15))
            let failed = try #require(try Program.events(in: output.standardOutput).last)
            #expect(failed["event"] as? String == "failed" && failed["exitCode"] as? Int == 15)
            #expect(output.standardError.hasPrefix("pawl: "))
        }

        @Test func `a terminal shows progress, then one summary line`() async throws {
            try makeMany(8_000)
            // At level 9, packing this takes at least a second.
            try Files.write(Files.randomBytes(8 << 20), to: directory.file("many/noise"))
            let program = try Program.path.get()
            let command =
                "cd '\(directory.path)' && '\(program)' pack many.tar.xz many --level 9 && '\(program)' extract many.tar.xz -d other"
            let output = try await Subprocess.run(
                "script", ["-qec", command, "/dev/null"], environment: ["TERM": "xterm", "LC_ALL": "C.UTF-8"])
            #expect(output.ending == ExitCode.done)
            #expect(output.standardOutput.contains(" of 8,003  many"), "no progress")
            #expect(output.standardOutput.contains("other: 8,003 members, 8.01 MiB unpacked in "))
        }

        @Test func `an encrypted archive requires its password, from a file or at a terminal`() async throws {
            try Files.write("hidden".utf8, to: directory.file("secret"))
            let made = try await Subprocess.run(
                "sh", ["-c", "cd '\(directory.path)' && zip -q -P opensesame s.zip secret"])
            #expect(made.ending == ExitCode.done)
            try Files.write("opensesame\n".utf8, to: directory.file("right"))
            try Files.write("guess\n".utf8, to: directory.file("wrong"))
            let before = try names()
            // Without a terminal: the tests have none, and setsid detaches that of a developer who runs them.
            let program = try Program.path.get()
            let without = try await Subprocess.run("setsid", ["-w", program, "extract", directory.file("s.zip")])
            #expect(without.ending == .exited(17))
            #expect(without.standardError.contains("--password-file"))
            #expect(try await start("extract", "s.zip", "--password-file", "wrong").output().ending == .exited(17))
            #expect(try names() == before)
            let right = try await start("extract", "s.zip", "--password-file", "right", "--json").output()
            #expect(right.ending == ExitCode.done, "\(right.standardError)")
            #expect(!(right.standardOutput + right.standardError).contains("opensesame"))
            #expect(try Files.text(directory.file("s/secret")) == "hidden")
            let typed = try await Subprocess.run(
                "python3", ["-c", Self.typing, program, "extract", directory.file("s.zip"), "-d", directory.file("t")])
            #expect(typed.ending == ExitCode.done, "\(typed.standardOutput)")
            #expect(typed.standardOutput.contains("Password of ") && !typed.standardOutput.contains("opensesame"))
            #expect(try Files.text(directory.file("t/secret")) == "hidden")
        }

        /// A person who mistypes the password once.
        private static let typing = """
            import os, pty, sys
            child, terminal = pty.fork()
            if child == 0: os.execv(sys.argv[1], sys.argv[1:])
            answers, seen = [b"opensesam\\r", b"opensesame\\r"], b""
            while True:
                try: data = os.read(terminal, 4096)
                except OSError: break
                if not data: break
                seen += data
                if seen.count(b"Password of ") > 2 - len(answers): os.write(terminal, answers.pop(0))
            sys.stdout.write(seen.decode())
            sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            """

        // MARK: Interrupted

        @Test(arguments: [false, true])
        func `interrupted packing leaves nothing, and the next run takes over the leftovers of killed packing`(
            _ isKilled: Bool
        ) async throws {
            try Files.write(Files.randomBytes(12 << 20), to: directory.file("noise"))
            let before = try names()
            // Random bytes do not compress, so this takes seconds.
            let packing = try start("pack", "noise.tar.xz", "noise", "--level", "9")
            try await until("the packing has begun") {
                (try? Files.status(directory.file("noise.tar.xz.part")).size) ?? 0 > 0
            }
            if isKilled { packing.kill9() } else { packing.interrupt() }
            let output = try await packing.output()
            guard isKilled else {
                #expect(output.ending == ExitCode.interrupted)
                #expect(try names() == before)
                return
            }
            #expect(try names() == before + ["noise.tar.xz.part"])
            let again = try await start("pack", "noise.tar.xz", "noise", "--level", "0").output()
            #expect(again.ending == ExitCode.done, "\(again.standardError)")
            #expect(try names() == before + ["noise.tar.xz"])
        }

        @Test(arguments: [false, true])
        func `interrupted or killed unpacking leaves the old directory, and the next run completes`(
            _ isKilled: Bool
        ) async throws {
            try makeMany(8_000)
            #expect(try await start("pack", "-q", "many.tar", "many").output().ending == ExitCode.done)
            try Files.makeDirectory(directory.file("there"))
            try Files.write("old".utf8, to: directory.file("there/old"))
            // strace delays each member by 10 ms, so unpacking outlasts any delay of the test. With -D the tracer is
            // not the program's parent, so signals reach the program.
            let unpacking = try start(
                tracedBy: [
                    "strace", "-D", "-f", "-qq", "-e", "trace=pwrite64", "-e", "inject=pwrite64:delay_enter=10000",
                    "-o", "/dev/null",
                ],
                "extract", "many.tar", "-d", "there", "--if-exists", "replace")
            try await until("the unpacking has begun") { Files.exists(directory.file("there.part")) }
            if isKilled { unpacking.kill9() } else { unpacking.interrupt() }
            let output = try await unpacking.output()
            if !isKilled {
                #expect(output.ending == ExitCode.interrupted)
                #expect(try names() == ["many", "many.tar", "there"], "\(output.standardError)")
            }
            #expect(try Files.names(directory.file("there")) == ["old"])
            let again = try await start("extract", "-q", "many.tar", "-d", "there", "--if-exists", "replace").output()
            #expect(again.ending == ExitCode.done, "\(again.standardError)")
            #expect(try names() == ["many", "many.tar", "there"])
            #expect(try Files.names(directory.file("there/many")).count == 8_001)
        }

        // MARK: After a download

        private func zip(_ text: String) async throws -> [UInt8] {
            try Files.makeDirectory(directory.file("d"))
            try Files.write(text.utf8, to: directory.file("d/text"))
            #expect(try await start("pack", "-q", "made.zip", "d").output().ending == ExitCode.done)
            return try Files.read(directory.file("made.zip"))
        }

        @Test func `Z12 a download is unpacked once complete, and the same command unpacks an existing download later`()
            async throws
        {
            let world = try await World(content: try await zip("hello"))
            let into = world.directory.file("out")
            let first = try await Program.run(world.get("--extract", into, "--json"))
            #expect(first.ending == ExitCode.done, "\(first.standardError)")
            #expect(try Files.text(into + "/d/text") == "hello")
            // Slow unpacking also reports progress between these events.
            let names = try Program.events(in: first.standardOutput).compactMap { $0["event"] as? String }
            #expect(names.filter { $0 != "extracting" }.suffix(3) == ["completed", "extracted", "summary"])
            // The archive is unpacked, or skipped because the target exists, with the default directory as with a named
            // one.
            #expect(try await Program.run(world.get("--extract", into)).ending == ExitCode.done)
            try FileManager.default.removeItem(atPath: into)
            #expect(try await Program.run(world.get("--extract=\(into)")).ending == ExitCode.done)
            #expect(try Files.text(into + "/d/text") == "hello")
        }

        @Test func `a directory unpacked in this run is not replaced by another archive, however its path is spelled`()
            async throws
        {
            let world = try await World(content: try await zip("hello"))
            let (url, list) = (world.server.url(World.name, in: .plain), directory.file("list"))
            let path = world.directory.path
            // One archive under two names that differ only in the suffix, so both unpack into the directory `a`.
            try Files.write("\(url)?1\n dir=\(path)\n out=a.zip\n\(url)?2\n dir=\(path)/.\n out=a.tar\n".utf8, to: list)
            let output = try await Program.run("get", "-j", "1", "--extract", "--if-exists", "replace", "-i", list)
            #expect(output.ending == .exited(18), "\(output.standardError)")
            #expect(output.standardError.contains("was made from another archive in this run"))
            #expect(try Files.text(path + "/a/d/text") == "hello")
        }

        @Test func `--extract-remove removes the archive only after it was unpacked`() async throws {
            let content = try await zip("hello")
            let world = try await World(content: content)
            let into = world.directory.file("out")
            #expect(
                try await Program.run(world.get("-q", "--extract", into, "--extract-remove")).ending == ExitCode.done)
            #expect(try Files.names(world.directory.path) == ["out"])

            let damaged = try await World(content: content.dropLast(30))
            let output = try await Program.run(
                damaged.get("--extract", damaged.directory.file("out"), "--extract-remove"))
            #expect(output.ending == .exited(18))
            #expect(output.standardError.contains("is kept. To unpack it:\n  pawl extract "))
            #expect(try Files.names(damaged.directory.path) == [World.name])
        }

        @Test
        func `a directory that the archive did not create is not taken for the unpacked archive, even on a second try`()
            async throws
        {
            let world = try await World(content: try await zip("hello"))
            let into = world.directory.file("out")
            try Files.makeDirectory(into)
            try Files.write("mine".utf8, to: into + "/x")
            for _ in 0..<2 {
                let output = try await Program.run(world.get("--extract", into))
                #expect(output.ending == .exited(18), "\(output.standardError)")
                #expect(try Files.names(into) == ["x"])
            }
            #expect(
                try await Program.run(world.get("--extract", into, "--if-exists", "replace")).ending == ExitCode.done)
            #expect(try Files.text(into + "/d/text") == "hello")
        }

        @Test
        func
            `a directory that contains the archive is not replaced, and an archive that existed before is not removed`()
            async throws
        {
            let world = try await World(content: try await zip("hello"))
            let output = try await Program.run(
                "extract", directory.file("made.zip"), "-d", directory.path, "--if-exists", "replace")
            #expect(
                output.ending == ExitCode.usage
                    && output.standardError.contains("would be replaced with all its contents"),
                "\(output.standardError)")
            #expect(try names() == ["d", "made.zip"])

            try Files.write(Files.read(directory.file("made.zip")), to: world.target)
            let into = world.directory.file("out")
            let kept = try await Program.run(world.get("--extract", into, "--extract-remove"))
            #expect(kept.ending == ExitCode.done && kept.standardError.contains("is kept"), "\(kept.standardError)")
            #expect(try Files.names(world.directory.path) == [World.name, "out"])
        }

        @Test
        func
            `an unusable directory to unpack into is reported before any fetch, and the command suggested later keeps the safety flags`()
            async throws
        {
            let world = try await World(content: try await zip("hello").dropLast(30))
            for into in [".", world.directory.file("a/b")] {
                let output = try await Program.run(world.get("--extract", into))
                #expect(output.ending == ExitCode.usage || output.ending == ExitCode.disk, "\(output.standardError)")
                #expect(try Files.names(world.directory.path).isEmpty)
            }
            let output = try await Program.run(
                world.get("--extract", world.directory.file("out"), "--no-links", "--max-ratio", "7"))
            #expect(output.standardError.contains("--no-links --max-ratio 7"), "\(output.standardError)")
        }

        @Test func `Z12 an existing file that does not match the checksum is not unpacked`() async throws {
            let world = try await World(content: try await zip("hello"))
            try Files.write(Files.read(directory.file("made.zip")) + [0], to: world.target)
            let output = try await Program.run(
                world.get(
                    "--extract", world.directory.file("out"), "--checksum",
                    "sha-256:" + String(repeating: "0", count: 64)))
            #expect(output.ending == .exited(6))
            #expect(output.standardError.contains("does not match the checksum"))
            #expect(try Files.names(world.directory.path) == [World.name])
        }
    }
}
