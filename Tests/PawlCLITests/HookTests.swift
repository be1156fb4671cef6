import ArgumentParser
import PawlCore
import Synchronization
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct HookTests {
    private static func options(_ command: String) throws -> HookOptions { try HookOptions.parse(["--on-complete", command]) }

    // MARK: The command

    @Test func `the program is found before anything is downloaded`() throws {
        let command = try Self.options("notify 'all done' --x").command { $0 == "notify" ? "/opt/notify" : nil }
        #expect(command == HookCommand(path: "/opt/notify", words: ["notify", "all done", "--x"]))
        #expect(try HookOptions.parse([]).command { _ in nil } == nil)
    }

    @Test(arguments: ["nothere", "./nothere x", "", "  ", "''", "a 'b"])
    func `a program that is not there, or no command at all, is an error of usage`(_ text: String) throws {
        let options = try Self.options(text)
        #expect(throws: UsageError.self) { try options.command { _ in nil } }
    }

    @Test func `names are looked for along PATH, and only what can be run is found`() {
        #expect(HookCommand.find("sh")?.hasSuffix("/sh") == true)
        #expect(HookCommand.find("/bin/sh") == "/bin/sh")
        #expect(HookCommand.find("/etc/passwd") == nil)
        #expect(HookCommand.find("/etc") == nil)
        #expect(HookCommand.find("no-such-program-anywhere") == nil)
    }

    // MARK: The facts

    @Test func `a file that is complete`() throws {
        let result = DownloadResult(
            path: "down/a.iso", byteCount: 42, isComplete: true, isVerified: true, skipReason: nil, resumedFrom: 0, entityTag: nil,
            lastModified: nil, contentEncoding: nil, finalURL: "http://h.example/a.iso", sources: [], representation: nil)
        let digest = try Digest(parsing: "md5:5eb63bbbe01eeed093cb22bb8f5acdc3")
        let facts = try #require(HookFacts(.completed(result), id: "3", url: "http://h.example/a.iso?k=…", digest: digest, workingDirectory: "/home/u"))
        #expect(facts.variables == [
            "PAWL_ID": "3", "PAWL_URL": "http://h.example/a.iso?k=…", "PAWL_STATUS": "completed", "PAWL_FILE": "/home/u/down/a.iso", "PAWL_BYTES": "42",
            "PAWL_COMPLETE": "yes", "PAWL_VERIFIED": "yes", "PAWL_SKIPPED": "no", "PAWL_DIGEST": "md5:5eb63bbbe01eeed093cb22bb8f5acdc3",
        ])
    }

    @Test func `a failure, and nothing of what was told of another download`() throws {
        let error = DownloadError(.notFound, "There is no\u{0} such file.", recovery: .giveUp)
        let facts = try #require(HookFacts(.failed(error), id: "1", url: "http://h.example/", digest: nil, workingDirectory: "/"))
        #expect(facts.variables["PAWL_FILE"] == nil)
        #expect(
            facts.environment(inheriting: ["PAWL_FILE": "/old", "PAWL_DIGEST": "x", "PATH": "/bin", "PAWL_OTHER": "kept"]) == [
                "PATH=/bin", "PAWL_CODE=notFound", "PAWL_ERROR=There is no such file.", "PAWL_EXIT_CODE=4", "PAWL_ID=1", "PAWL_OTHER=kept",
                "PAWL_STATUS=failed", "PAWL_URL=http://h.example/",
            ])
    }

    @Test func `what was stopped has not ended`() {
        #expect(HookFacts(.stopped(nil, bytes: 1, total: nil), id: "1", url: "", digest: nil, workingDirectory: "/") == nil)
    }

    // MARK: Running

    private static func facts(_ id: Int) throws -> HookFacts {
        try #require(HookFacts(.failed(DownloadError(.network, "", recovery: .retryNow)), id: "\(id)", url: "", digest: nil, workingDirectory: "/"))
    }

    @Test func `a few run at once, the others wait, and the end waits for all`() async throws {
        let counts = Mutex((running: 0, most: 0, ran: 0))
        let failures = Mutex<[String]>([])
        let runner = HookRunner { facts in
            counts.withLock {
                $0.running += 1
                $0.most = max($0.most, $0.running)
            }
            for _ in 0..<5 { await Task.yield() }
            counts.withLock {
                $0.running -= 1
                $0.ran += 1
            }
            return facts.variables["PAWL_ID"] == "7" ? .exited(2) : .exited(0)
        } failed: { facts, ending in
            failures.withLock { $0.append("\(facts.variables["PAWL_ID"] ?? "") \(ending.words)") }
        }
        for id in 1...20 { await runner.begin(try Self.facts(id)) }
        #expect(await runner.finish() == 1)
        #expect(counts.withLock { $0.ran } == 20)
        #expect((1...HookRunner.mostAtOnce).contains(counts.withLock { $0.most }))
        #expect(failures.withLock { $0 } == ["7 ended with status 2"])
        #expect(await runner.finish() == 1)
    }

    @Test(
        arguments: [
            ("exit 0", HookEnding.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .signalled(9)),
            // It begins with no signal held back or ignored: a closed pipe ends it as it ends any other.
            ("kill -PIPE $$; exit 0", .signalled(13)), ("kill -TERM $$; exit 0", .signalled(15)),
            ("read x && exit 1; exit 0", .exited(0)), ("test \"$PAWL_ID\" = 'a b' && test \"$1\" = 'x y'", .exited(0)),
        ] as [(String, HookEnding)])
    func `a program runs with its words and its facts, and nothing to read`(_ script: String, _ expected: HookEnding) async {
        let command = HookCommand(path: "/bin/sh", words: ["sh", "-c", script, "sh", "x y"])
        #expect(await ChildProcess.run(command, environment: ["PAWL_ID=a b", "PATH=/bin:/usr/bin"]) == expected)
    }

    @Test func `what cannot be started says why`() async {
        let ending = await ChildProcess.run(HookCommand(path: "/nonexistent/x", words: ["x"]), environment: [])
        #expect(ending == .notStarted("No such file or directory"))
        #expect(ending.words == "could not be started: No such file or directory")
    }

    @Test func `the environment is read whole`() {
        #expect(Environment.all["PATH"] == Environment.value("PATH"))
        #expect(Environment.all.count > 1)
    }
}
