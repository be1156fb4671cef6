import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// The commands `shard`, `work` and `manifest` over a batch in a directory, killed and started twice as engines do.
    @Suite("Batches", .serialized, .timeLimit(.minutes(5)))
    struct BatchProgramTests {
        /// A server of small files, and of one that is too large for memory; some are missing.
        private final class World {
            let directory: TemporaryDirectory
            let server: ScriptedServer

            init(delay: Duration = .zero) throws {
                directory = try TemporaryDirectory("batch")
                server = try ScriptedServer { request, connection in
                    if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
                    guard !request.path.hasPrefix("/missing") else {
                        return try connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    }
                    let body = World.content(of: request.path)
                    try connection.send(
                        "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nETag: \"1\"\r\nContent-Length: \(body.count)\r\n\r\n"
                    )
                    try connection.send(body)
                }
            }

            deinit { server.stop() }

            var batch: String { directory.file("birds") }
            var spool: String { directory.file("spool") }

            static func content(of path: String) -> [UInt8] {
                let count = path.hasPrefix("/large") ? 700_000 : 2000
                return Array(FileBehaviour.pattern(count: count - path.utf8.count)) + Array(path.utf8)
            }

            /// Cuts a list of so many files, every tenth of them missing.
            func cut(_ count: Int, slice: Int, _ options: String...) async throws -> Subprocess.Output {
                let lines = (0..<count).map { number -> String in
                    let path =
                        number % 10 == 9 ? "/missing/\(number)" : number == 3 ? "/large/3" : "/file/\(number).jpg"
                    return "{\"url\":\"\(server.url(path))\",\"id\":\"\(number)\",\"meta\":{\"n\":\(number)}}\n"
                }
                try Files.write(Array(lines.joined().utf8), to: directory.file("list"))
                let words = [
                    "shard", directory.file("list"), "--to", batch, "--slice", "\(slice)", "--host-rate", "100000",
                ]
                return try await Program.run(words + ["--host-connections", "8", "--spool", spool] + options)
            }

            func work(_ options: String...) throws -> Subprocess {
                try Program.start(["work", batch, "--spool", spool] + options)
            }

            /// Looks at all manifests and their data with the programs that readers have.
            func check(_ count: Int) async throws {
                let script = """
                    import glob, gzip, hashlib, json, sys, tarfile
                    batch, count = sys.argv[1], int(sys.argv[2])
                    seen = []
                    for name in glob.glob(batch + "/manifests/*.gz"):
                        head, *items = [json.loads(line) for line in gzip.open(name, "rt")]
                        assert len(items) == head["items"]
                        assert ("data" in head) == (head["completed"] > 0)
                        data, members = b"", {}
                        if "data" in head:
                            data = open(batch + "/" + head["data"], "rb").read()
                            assert hashlib.sha256(data).hexdigest() == head["sha256"] and len(data) == head["bytes"]
                            members = {m.name: m for m in tarfile.open(batch + "/" + head["data"])}
                        for item in items:
                            seen.append(int(item["id"]))
                            assert item["meta"] == {"n": seen[-1]}
                            assert (item["state"] == "failed") == (seen[-1] % 10 == 9), item
                            if item["state"] == "failed":
                                assert item["code"] == "notFound" and item["status"] == 404 and not item["again"]
                                continue
                            got = data[item["offset"]:item["offset"] + item["bytes"]]
                            path = "/" + item["url"].split("/", 3)[3]
                            assert got.endswith(path.encode()) and hashlib.sha256(got).hexdigest() == item["sha256"]
                            member = members.pop(item["member"])
                            assert member.offset_data == item["offset"] and member.size == item["bytes"]
                            meta = members.pop(item["member"].split(".")[0] + ".json")
                            assert json.loads(data[meta.offset_data:meta.offset_data + meta.size]) == item["meta"]
                        assert not members
                    assert sorted(seen) == list(range(count)), len(seen)
                    """
                let output = try await Subprocess.run("python3", ["-c", script, batch, "\(count)"])
                #expect(output.ending == .exited(0), "\(output)")
                #expect(try Files.names(spool).isEmpty, "left in the spool")
                let data = try Files.names(batch + "/data")
                #expect(!data.contains { $0.hasPrefix(".") }, "\(data)")
            }
        }

        @Test func `a list becomes a batch, and a batch becomes tars and manifests that others can read`() async throws
        {
            let world = try World()
            let cut = try await world.cut(
                250, slice: 100, "--json", "--user-agent", "wren/1", "--header", "From: ann@example.org")
            #expect(cut.ending == ExitCode.done, "\(cut)")
            let forecast = try #require(try Program.events(in: cut.standardOutput).first)
            #expect(forecast["files"] as? Int == 250 && forecast["hosts"] as? Int == 1)
            let done = try await world.work("--json").output()
            #expect(done.ending == ExitCode.done, "\(done)")
            let events = try Program.events(in: done.standardOutput)
            #expect(events.map { $0["event"] as? String } == ["slice", "slice", "slice", "summary"])
            #expect(events.last?["completed"] as? Int == 225 && events.last?["failed"] as? Int == 25)
            try await world.check(250)
            for request in world.server.requests {
                let head = String(decoding: request.raw, as: UTF8.self)
                #expect(
                    head.contains("User-Agent: wren/1\r\n") && head.contains("From: ann@example.org\r\n"), "\(head)")
            }

            // Again: no request, and nothing new.
            let requests = world.server.requests.count
            let again = try await world.work().output()
            #expect(again.ending == ExitCode.done && again.standardError.contains("3 committed by other attempts"))
            #expect(world.server.requests.count == requests)

            let report = try await Program.run("manifest", world.batch)
            #expect(report.standardOutput.contains("Files failed:     25\n  notFound: 25"), "\(report)")
            let failed = try await Program.run("manifest", world.batch, "--failed", "--code", "notFound")
            #expect(try Program.events(in: failed.standardOutput).count == 25)
            #expect(failed.standardOutput.contains("/missing/9\""), "the lines are those of the list")
            for option in ["--missing", "--orphans"] {
                let output = try await Program.run("manifest", world.batch, option)
                #expect(output.ending == ExitCode.done && output.standardOutput.isEmpty, "\(output)")
            }
            let verified = try await Program.run("manifest", world.batch, "--verify")
            #expect(verified.ending == ExitCode.done, "\(verified)")
        }

        @Test func `data that was changed is found, and orphans are told from data in use`() async throws {
            let world = try World()
            _ = try await world.cut(20, slice: 20)
            #expect(try await world.work("-q").output().ending == ExitCode.done)
            let data = try #require(try Files.names(world.batch + "/data").first)
            let path = world.batch + "/data/" + data
            try Files.write([1, 2, 3], to: world.batch + "/data/00000-00000-000000000000.tar")
            try Files.write([1, 2, 3], to: world.batch + "/data/00000-00007-000000000000.tar")
            let orphans = try await Program.run("manifest", world.batch, "--orphans", "--delete")
            #expect(orphans.standardOutput.contains("00000-00000-000000000000.tar  3 B  superseded"), "\(orphans)")
            #expect(
                try Files.names(world.batch + "/data").sorted() == [data, "00000-00007-000000000000.tar"].sorted(),
                "of a slice that is not committed, somebody may still need it")
            var bytes = try Files.read(path)
            bytes[1000] ^= 1
            try Files.write(bytes, to: path)
            let verified = try await Program.run("manifest", world.batch, "--verify")
            #expect(verified.ending == ExitCode.digestMismatch && verified.standardError.contains(data), "\(verified)")
        }

        @Test func `two programs with one shard both end well, and each file is there once`() async throws {
            let world = try World()
            _ = try await world.cut(300, slice: 60)
            let programs = [try world.work("-q"), try world.work("-q", "--spool", world.directory.file("other"))]
            let twins = [try world.work("-q")]
            for program in programs + twins { #expect(try await program.output().ending == ExitCode.done) }
            try await world.check(300)
            #expect(try Files.names(world.directory.file("other")).isEmpty)
        }

        @Test func `a program that is killed again and again fetches again only what was in flight`() async throws {
            let world = try World(delay: .milliseconds(2))
            _ = try await world.cut(600, slice: 300)
            var kills = 0
            while true {
                let program = try world.work("-q", "-j", "8")
                try await Task.sleep(for: .milliseconds(60 + 37 * (kills % 7)))
                guard program.running() else {
                    #expect(try await program.output().ending == ExitCode.done)
                    break
                }
                program.kill9()
                _ = try await program.wait(timeout: .seconds(60))
                kills += 1
                // Not to go on for ever where nothing is kept.
                guard kills < 300 else { break }
            }
            #expect(kills > 2)
            try await world.check(600)
            // Those that are missing are asked for without a range as well.
            let paths = world.server.requests.map(\.path).filter { !$0.hasPrefix("/missing") }
            let again = paths.count - Set(paths).count
            #expect(again <= kills * 8, "\(again) fetched again after \(kills) kills")
        }

        @Test func `a stopped program leaves its spool to the next, and says so by its code`() async throws {
            let world = try World(delay: .milliseconds(20))
            _ = try await world.cut(1000, slice: 1000)
            let program = try world.work("-q", "-j", "8")
            try await Task.sleep(for: .milliseconds(500))
            program.send(signal: SIGTERM)
            let clock = ContinuousClock.now
            #expect(try await program.wait(timeout: .seconds(60)) == ExitCode.terminated)
            #expect(ContinuousClock.now - clock < .seconds(10))
            #expect(try Files.names(world.spool).contains { $0.hasSuffix(".tar") })
            let late = try await world.work("-q", "--max-time", "1").output()
            // The slice that was begun was finished.
            #expect([ExitCode.done, .exited(75)].contains(late.ending), "\(late)")
            #expect(try await world.work("-q").output().ending == ExitCode.done)
            try await world.check(1000)
        }

        @Test func `bad input has the codes that engines look at, and changes nothing`() async throws {
            let world = try World()
            func code(_ words: String...) async throws -> Int32? {
                let output = try await Program.run(words)
                guard case .exited(let code) = output.ending else { return nil }
                #expect(output.standardError.contains("pawl: error:"), "\(words): \(output)")
                return code
            }
            let (batch, spool) = (world.batch, world.spool)
            #expect(try await code("work", batch, "--spool", spool) == 73, "no such directory")
            try Files.makeDirectory(batch)
            #expect(try await code("work", batch, "--spool", spool) == 65, "no plan")
            #expect(try await code("manifest", batch) == 65)
            try Files.write(Array("{\"version\":2}".utf8), to: batch + "/plan.json")
            #expect(try await code("work", batch, "--spool", spool) == 65, "a newer plan")
            let plan = "{\"batch\":\"\(String(repeating: "0", count: 32))\",\"shards\":2}"
            try Files.write(Array(plan.utf8), to: batch + "/plan.json")
            #expect(try await code("work", batch, "--spool", spool) == 65, "no shard")
            #expect(try await code("work", batch, "--index", "2") == 64)
            #expect(try await code("work", batch, "--index", "-1") == 64)
            #expect(try await code("work", "ftp://bucket/x") == 73)
            let keyless = try await Subprocess.run(
                Program.path.get(), ["work", "s3://bucket/x"],
                environment: ["AWS_EC2_METADATA_DISABLED": "true", "HOME": world.directory.path])
            #expect(keyless.ending == .exited(73) && keyless.standardError.contains("AWS_ACCESS_KEY_ID"), "\(keyless)")
            try Files.makeDirectory(batch + "/shards")
            try Files.write([1, 2, 3], to: batch + "/shards/00000.ndjson.gz")
            #expect(try await code("work", batch, "--spool", spool, "--index", "0") == 65, "no gzip")
            #expect(try Files.names(batch).sorted() == ["plan.json", "shards"])

            #expect(try await code("shard", "/dev/null", "--to", batch) == 73, "there is a batch")
            let list = world.directory.file("bad")
            try Files.write(Array("{\"url\":\"http://a.example/\"}\n{\"url\":5}\n".utf8), to: list)
            let bad = try await Program.run("shard", list, "--to", world.directory.file("new"))
            #expect(bad.ending == ExitCode.usage && bad.standardError.contains("line 2"), "\(bad)")
            try Files.write(Array("http://a.example/\n user-agent=wren/1\n".utf8), to: list)
            let own = try await Program.run("shard", list, "--to", world.directory.file("new"))
            #expect(own.ending == ExitCode.usage && own.standardError.contains("line 1"), "\(own)")
            let secret = try await Program.run(
                "shard", "/dev/null", "--to", world.directory.file("new"), "--header", "Authorization: Bearer x")
            #expect(secret.ending == ExitCode.usage && secret.standardError.contains("Authorization"), "\(secret)")
            #expect(!Files.exists(world.directory.file("new")))
        }

        @Test func `a program that is killed at any call of a commit loses nothing, and the next one completes it`()
            async throws
        {
            let world = try World()
            var kills = 0
            let kinds = [
                "openat", "linkat", "fsync", "renameat2", "unlinkat", "mkdir", "ftruncate", "pwrite64", "fcntl",
                "pread64",
            ]
            for kind in kinds {
                for number in 1... {
                    try? FileManager.default.removeItem(atPath: world.batch)
                    try? FileManager.default.removeItem(atPath: world.spool)
                    #expect(try await world.cut(4, slice: 2).ending == ExitCode.done)
                    let options = ["-f", "-qq", "-o", "/dev/null", "-e", "trace=\(kind)"]
                    let injection = ["-e", "inject=\(kind):signal=KILL:when=\(number)"]
                    let words = ["work", world.batch, "--spool", world.spool, "-q", "-j", "2"]
                    let killed = try Subprocess("strace", options + injection + [Program.path.get()] + words)
                    let ending = try await killed.wait(timeout: .seconds(60))
                    // What is committed by then is whole.
                    let verified = try await Program.run("manifest", world.batch, "--verify")
                    #expect(verified.ending == ExitCode.done, "\(kind) \(number): \(verified)")
                    #expect(try await world.work("-q").output().ending == ExitCode.done, "\(kind) \(number)")
                    try await world.check(4)
                    guard ending == .signalled(9) else { break }
                    kills += 1
                }
            }
            #expect(kills > 40, "killed \(kills) times only")
        }

        @Test(arguments: ["tar", "files"])
        func `a batch in a bucket is worked through, and again without a request`(_ form: String) async throws {
            let (world, bucket) = (try World(), try ScriptedS3())
            defer { bucket.stop() }
            let environment = bucket.environment.merging(["TMPDIR": world.directory.path]) { $1 }
            let batch = "s3://\(ScriptedS3.bucket)/b/\(form)"
            func run(_ words: String...) async throws -> Subprocess.Output {
                try await Subprocess.run(Program.path.get(), words, environment: environment)
            }
            let lines = (0..<40).map { "{\"url\":\"\(world.server.url("/file/\($0).jpg"))\"}\n" }
            let list = world.directory.file("list")
            try Files.write(Array(lines.joined().utf8), to: list)
            let cut = try await run(
                "shard", list, "--to", batch, "--as", form, "--slice", "10", "--host-rate", "10000", "--shards", "1")
            #expect(cut.ending == ExitCode.done, "\(cut)")
            #expect(try await run("shard", list, "--to", batch).ending == .exited(73))
            let done = try await run("work", batch, "--json")
            #expect(done.ending == ExitCode.done, "\(done)")
            #expect(try Program.events(in: done.standardOutput).last?["completed"] as? Int == 40)
            let requests = world.server.requests.count
            let before = bucket.requests.count
            #expect(try await run("work", batch).ending == ExitCode.done)
            #expect(world.server.requests.count == requests)
            // The plan, the shard, and the manifest of each slice.
            #expect(bucket.requests.count - before == 6)
            for option in ["--verify", "--missing", "--orphans", "--failed"] {
                let output = try await run("manifest", batch, option)
                #expect(output.ending == ExitCode.done && output.standardOutput.isEmpty, "\(option): \(output)")
            }
            #expect(try await run("manifest", batch).standardOutput.contains("Files completed:  40"))
        }

        @Test func `an engine tells a task its number`() async throws {
            let world = try World()
            _ = try await world.cut(40, slice: 10, "--shards", "3", "--spread", "127.0.0.1")
            for number in 0..<3 {
                let task = try Subprocess(
                    Program.path.get(), ["work", world.batch, "--spool", world.spool, "--json"],
                    environment: ["JOB_COMPLETION_INDEX": "\(number)"])
                let output = try await task.output()
                let shards = Set(try Program.events(in: output.standardOutput).compactMap { $0["shard"] as? Int })
                #expect(output.ending == ExitCode.done && shards.isSubset(of: [number]), "\(output)")
            }
            try await world.check(40)
        }
    }
}
