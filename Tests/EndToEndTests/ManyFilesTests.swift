import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// One command that downloads several files.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct ManyFilesTests {
        let server: RealServer
        let directory: TemporaryDirectory

        static func content(_ name: String, count: Int = 10_240) -> [UInt8] {
            var generator = SeededGenerator(seed: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        }

        init() async throws {
            server = try RealServer(.nginx, .http, authority: nil, places: [.plain, .slow(bytesPerSecond: 100 << 10)])
            directory = try TemporaryDirectory("many", in: TemporaryDirectory.memory)
            try await server.start()
        }

        private func put(_ names: [String], count: Int = 10_240) throws {
            for name in names { try server.put(Self.content(name, count: count), at: name) }
        }

        private func expect(
            _ names: [String], count: Int = 10_240, at location: SourceLocation = #_sourceLocation
        ) throws {
            #expect(try Files.names(directory.path) == names.sorted(), sourceLocation: location)
            for name in names where Files.exists(directory.file(name)) {
                #expect(
                    try Files.isEqual(directory.file(name), to: Self.content(name, count: count)), "\(name)",
                    sourceLocation: location)
            }
        }

        private func get(_ words: String...) -> [String] { ["get", "-d", directory.path] + words }

        private static func event(_ event: [String: Any]) -> String { event["event"] as? String ?? "" }

        // MARK: Sources of the URLs

        @Test func `two hundred small files are downloaded from a list on standard input`() async throws {
            let names = (1...200).map { "f\($0).bin" }
            try put(names)
            let list = directory.path + ".list"
            try Files.write(Array(names.map { server.url($0) }.joined(separator: "\n").utf8), to: list)
            defer { Files.remove(list) }
            // Programs that a test starts have no standard input, so a shell redirects it.
            let line = "exec \"$0\" get -i - -d \"$1\" <\"$2\""
            let began = ContinuousClock.now
            let output = try await Subprocess.run("sh", ["-c", line, Program.path.get(), directory.path, list])
            let elapsed = ContinuousClock.now - began
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try expect(names)
            #expect(output.standardOutput.isEmpty)
            let lines = output.standardError.split(separator: "\n")
            #expect(lines.last?.hasPrefix("pawl: 200 of 200 files; 1.95 MiB in ") == true, "\(lines.suffix(3))")
            // Every ten seconds the program logs the progress of each running file.
            #expect(
                lines.count <= 30 * (1 + Int(elapsed / .seconds(10))), "a log of \(lines.count) lines in \(elapsed)")
            #expect(!output.standardError.contains("\u{1B}"))
        }

        @Test func `patterns name the URLs and the files, and a dry run fetches nothing`() async throws {
            try put(["a-1.bin", "a-2.bin", "b-1.bin", "b-2.bin"])
            let words = get(server.url("{a,b}-[1-2].bin"), "-o", "#2#1.bin")
            let dryRun = try await Program.run(words + ["--dry-run"])
            #expect(dryRun.ending == ExitCode.done)
            #expect(
                dryRun.standardOutput.split(separator: "\n").first
                    == "\(server.url("a-1.bin")) -> \(directory.file("1a.bin"))")
            #expect(try Files.names(directory.path).isEmpty)
            let output = try await Program.run(words + ["-q"])
            #expect(output.ending == ExitCode.done && output.standardError.isEmpty, "\(output.standardError)")
            #expect(try Files.names(directory.path) == ["1a.bin", "1b.bin", "2a.bin", "2b.bin"])
            #expect(try Files.isEqual(directory.file("2b.bin"), to: Self.content("b-2.bin")))
        }

        @Test func `a list whose first server is away comes from the mirrors, each file by one request`() async throws {
            let mirror = try ScriptedServer { request, connection in
                let body = Self.content(request.path)
                try connection.send("HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: \(body.count)\r\n\r\n")
                try connection.send(body)
            }
            defer { mirror.stop() }
            let away = try ScriptedServer { _, _ in }
            away.stop()
            let names = (1...40).map { "f\($0).bin" }
            let list = directory.path + ".list"
            try Files.write(
                Array(names.map { "\(away.url("/" + $0))\t\(mirror.url("/" + $0))\n" }.joined().utf8), to: list)
            defer { Files.remove(list) }
            let output = try await Program.run(get("-i", list))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            for name in names {
                #expect(try Files.isEqual(directory.file(name), to: Self.content("/" + name)), "\(name)")
            }
            #expect(mirror.requests.count == names.count)
        }

        @Test func `a list gives options and mirrors for each of its files`() async throws {
            try put(["a", "b"])
            let sum = try await Subprocess.run("sh", ["-c", "printf '' | md5sum"]).standardOutput.prefix { $0 != " " }
            let list = directory.path + ".list"
            let text = """
                \(server.url("a"))\t\(server.url("a", in: .slow))
                  out=one
                \(server.url("b"))
                  checksum=md5=\(sum)
                """
            try Files.write(Array(text.utf8), to: list)
            defer { Files.remove(list) }
            let output = try await Program.run(get("-i", list))
            #expect(output.ending == ExitCode.digestMismatch, "\(output.standardError)")
            #expect(try Files.names(directory.path) == ["b.part.bad", "one"])
            #expect(output.standardError.contains("pawl: 1 of 2 files, 1 failed"))
        }

        @Test func `a list that is fetched again costs no request`() async throws {
            let contents = Self.content("a", count: 5000)
            let scripted = try ScriptedServer(file: FileBehaviour(content: contents))
            defer { scripted.stop() }
            let urls = (1...20).map { scripted.url("/f\($0).bin") }
            #expect(try await Program.run(get() + urls).ending == ExitCode.done)
            let count = scripted.requests.count
            #expect(count == 20)
            let again = try await Program.run(get() + urls)
            #expect(again.ending == ExitCode.done && again.standardError.contains("All 20 files already exist"))
            #expect(scripted.requests.count == count)
            Files.remove(directory.file("f7.bin"))
            #expect(try await Program.run(get() + urls).ending == ExitCode.done)
            #expect(scripted.requests.dropFirst(count).map(\.target) == ["/f7.bin"])
        }

        @Test func `two programs with one list both get all of its files, and leave nothing beside them`() async throws
        {
            // Small ones appear at once; of the large ones, one program has a lock for a while.
            let small = (1...100).map { "f\($0).bin" }
            let large = (1...12).map { "large-\($0).bin" }
            try put(small)
            try put(large, count: 2 << 20)
            let list = directory.path + ".list"
            let urls = small.map { server.url($0) } + large.map { server.url($0) }
            try Files.write(Array(urls.joined(separator: "\n").utf8), to: list)
            defer { Files.remove(list) }
            let programs = try (0..<2).map { _ in try Program.start(get("-i", list, "-q")) }
            for program in programs {
                let ending = try await program.wait(timeout: .seconds(120))
                #expect(ending == ExitCode.done && program.standardError.isEmpty, "\(program.standardError)")
            }
            #expect(try Files.names(directory.path) == (small + large).sorted())
            for name in small { #expect(try Files.isEqual(directory.file(name), to: Self.content(name))) }
            for name in large {
                #expect(try Files.isEqual(directory.file(name), to: Self.content(name, count: 2 << 20)))
            }
        }

        @Test func `requests to a host keep to the rate`()
            async throws
        {
            let scripted = try ScriptedServer(file: FileBehaviour(content: Self.content("a", count: 5000)))
            defer { scripted.stop() }
            let urls = (1...30).map { scripted.url("/f\($0).bin") }
            let began = ContinuousClock.now
            let output = try await Program.run(get("--host-rate", "20") + urls)
            let elapsed = ContinuousClock.now - began
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(scripted.requests.count == 30)
            // 30 requests, of which the first two may come at once.
            #expect(elapsed >= .milliseconds(1400), "\(elapsed)")
            let wrong = try await Program.run(get("--host-rate", "20/w", urls[0]))
            #expect(wrong.ending == ExitCode.usage && wrong.standardError.contains("30/m"))
        }

        @Test(arguments: [1, 5])
        func `M17 of two URLs with one name, the first keeps its file also where existing files are replaced`(
            _ jobs: Int
        ) async throws {
            try put(["README"])
            try Files.write([7], to: directory.file("README"))
            let words = ["-j", String(jobs), "--if-exists", "replace"]
            let first = server.url("README")
            let output = try await Program.run(get() + words + [first, first + "?other"])
            #expect(output.ending == ExitCode.fileExists, "\(output.standardError)")
            #expect(output.standardError.contains("Another download"), "\(output.standardError)")
            try expect(["README"])
        }

        // MARK: Failures and exit codes

        @Test func `a failed file stops no other file, and the summary shows the command that retries it`() async throws
        {
            try put(["a", "b"])
            let output = try await Program.run(get(server.url("a"), server.url("missing"), server.url("b")))
            #expect(output.ending == ExitCode.refused)
            try expect(["a", "b"])
            let lines = output.standardError.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("pawl: error: \(server.url("missing"))") && $0.contains("404") })
            #expect(
                lines.last?.hasSuffix("get -d \(directory.path) \(server.url("missing"))") == true,
                "\(output.standardError)")
            #expect(!output.standardError.contains("missing") || lines.last?.contains(server.url("a")) == false)
            // Once the missing file exists, the retry downloads only that file.
            try put(["missing"])
            #expect(try await Program.run(get(server.url("missing"))).ending == ExitCode.done)
            try expect(["a", "b", "missing"])
        }

        @Test func `with --fail-fast the first failure stops the other files`() async throws {
            try put(["slow-1", "slow-2"], count: 8 << 20)
            let urls = ["slow-1", "slow-2"].map { server.url($0, in: .slow) }
            let output = try await Program.run(get("--fail-fast", urls[0], server.url("missing"), urls[1]))
            #expect(output.ending == ExitCode.refused, "\(output.standardError)")
            #expect(output.standardError.contains("0 of 3 files, 1 failed, 2 stopped"), "\(output.standardError)")
        }

        @Test func `with --fail-fast an archive that cannot be unpacked stops the other files too`() async throws {
            try put(["slow-1"], count: 8 << 20)
            try put(["no archive"])
            let output = try await Program.run(
                get("--fail-fast", "--extract", server.url("slow-1", in: .slow), server.url("no%20archive")))
            #expect(output.ending == .exited(18), "\(output.standardError)")
            #expect(output.standardError.contains("1 of 2 files, 1 stopped, 1 not unpacked"), "\(output.standardError)")
        }

        @Test func `if the directory to unpack into cannot be created, nothing is fetched`() async throws {
            try put(["a", "b"])
            let output = try await Program.run(
                get("--extract=\(directory.file("no/such"))", server.url("a"), server.url("b")))
            #expect(output.ending == ExitCode.disk, "\(output.standardError)")
            try expect([])
        }

        @Test func `each JSON line has an id, and the last one is the summary`() async throws {
            try put(["a", "b"])
            let output = try await Program.run(get("--json", server.url("a"), server.url("missing"), server.url("b")))
            #expect(output.ending == ExitCode.refused)
            let events = try Program.events(in: output.standardOutput)
            #expect(events.dropLast().allSatisfy { [1, 2, 3].contains($0["id"] as? Int) }, "\(events)")
            for id in 1...3 {
                let own = events.dropLast().filter { $0["id"] as? Int == id }
                #expect(
                    own.first.map(Self.event) == "started"
                        && own.last.map(Self.event) == (id == 2 ? "failed" : "completed"))
            }
            let last = try #require(events.last)
            #expect(Self.event(last) == "summary")
            #expect(last["files"] as? Int == 3 && last["completed"] as? Int == 2 && last["failed"] as? Int == 1)
            #expect(last["fetched"] as? Int == 20_480 && last["exitCode"] as? Int == 4)
        }

        // MARK: One name, one file

        @Test func `a URL given twice is fetched once, and two URLs with the same file name do not become one file`()
            async throws
        {
            try put(["a"])
            let twice = try await Program.run(get(server.url("a"), server.url("a")))
            #expect(twice.ending == ExitCode.done, "\(twice.standardError)")
            #expect(twice.standardError.contains("One URL was given twice and is downloaded once."))
            try expect(["a"])
            Files.remove(directory.file("a"))

            // The last path component of both URLs is `a`, so both files would get that name.
            let both = try await Program.run(get("-j", "1", server.url("a"), server.url("a", in: .slow)))
            #expect(both.ending == ExitCode.fileExists, "\(both.standardError)")
            try expect(["a"])
            Files.remove(directory.file("a"))
            let renamed = try await Program.run(
                get("-j", "1", "--if-exists", "rename", server.url("a"), server.url("a", in: .slow)))
            #expect(renamed.ending == ExitCode.done, "\(renamed.standardError)")
            #expect(try Files.names(directory.path) == ["a", "a (1)"])
        }

        /// As wget -x.
        @Test func `with --keep-paths each file goes into directories named after its URL, and never through a link`()
            async throws
        {
            try put(["a"])
            let words = get("--keep-paths", server.url("a"), server.url("a", in: .slow))
            let output = try await Program.run(words)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let hosts = try Files.names(directory.path)
            let host = try #require(hosts.first)
            #expect(hosts.count == 1 && host.hasPrefix("127.0.0.1+"), "\(hosts)")
            let paths = [server.url("a"), server.url("a", in: .slow)].map { url in
                directory.file(host) + url.dropFirst("http://\(host)".utf8.count)
            }
            for path in paths { #expect(try Files.isEqual(path, to: Self.content("a")), "\(path)") }
            // Where a directory is needed, neither a file nor a link will do.
            let outside = try TemporaryDirectory("outside")
            for make in [
                { try Files.write([1], to: directory.file(host)) },
                { _ = symlink(outside.path, directory.file(host)) },
            ] as [() throws -> Void] {
                try FileManager.default.removeItem(atPath: directory.file(host))
                try make()
                let refused = try await Program.run(words)
                #expect(refused.ending == ExitCode.disk, "\(refused.standardError)")
                #expect(try Files.names(outside.path).isEmpty)
            }
        }

        // MARK: Interrupted and resumed

        @Test func `an interruption saves all running downloads, and the same command resumes them`() async throws {
            let names = ["a", "b", "c", "d"]
            try put(["a"])
            try put(["b", "c", "d"], count: 1 << 20)
            let words =
                get("-j", "3", "-x", "1") + [server.url("a")] + ["b", "c", "d"].map { server.url($0, in: .slow) }
            let download = try Program.start(words)
            try await until("one is whole and two are under way") {
                Files.exists(directory.file("a")) && Files.exists(directory.file("b.pawl"))
                    && Files.exists(directory.file("c.pawl"))
            }
            download.interrupt()
            let output = try await download.output()
            #expect(output.ending == ExitCode.interrupted, "\(output.standardError)")
            #expect(!output.standardError.contains("too slow"), "\(output.standardError)")
            #expect(output.standardError.contains("Progress is saved. To resume:"), "\(output.standardError)")
            let stored = try await Program.status(of: directory.file("b"))
            #expect((stored?.durableBytes ?? 0) > 0)

            let plain = get("-j", "3") + [server.url("a")] + ["b", "c", "d"].map { server.url($0, in: .slow) }
            let again = try await Program.run(plain)
            #expect(again.ending == ExitCode.done, "\(again.standardError)")
            #expect(again.standardError.contains("4 of 4 files, 1 already existed"), "\(again.standardError)")
            #expect(again.standardError.contains("resumed from"))
            #expect(try Files.names(directory.path) == names)
            for name in names.dropFirst() {
                #expect(try Files.isEqual(directory.file(name), to: Self.content(name, count: 1 << 20)), "\(name)")
            }
        }
    }
}
