import PawlArchive
import PawlCore
import PawlEngine
import PawlSystem
import Synchronization
import Testing

@testable import Pawl
@testable import PawlJobs

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct HookTests {
    private static func job(
        _ url: String = "http://h.example/", _ change: (inout JobSpec) -> Void = { _ in }
    ) -> JobFile {
        var spec = JobSpec(url)
        change(&spec)
        return JobFile(spec: spec)
    }

    private static func outcome(_ result: DownloadResult, _ unpacked: UnpackedFile? = nil) -> JobOutcome {
        .completed(FetchedFile(target: FileTarget(path: result.path), result: result), unpacked)
    }

    private static let words = FailureWords { failure in
        switch failure {
        case .download(let error): error.message
        case .archive(let error): error.message
        default: ""
        }
    } exitCode: { step, _ in
        step == .fetch ? 4 : 18
    }

    // MARK: The command

    @Test func `a missing hook program is an error before any download`() {
        let hooks = LiveHooks(Self.words)
        var spec = JobSpec("http://h.example/")
        for (program, isThere) in [("sh", true), ("/bin/sh", true), ("nothere-at-all", false), ("./nothere", false)] {
            spec.hook = [program, "x"]
            if isThere {
                #expect(throws: Never.self) { try hooks.check(spec) }
            } else {
                #expect(throws: JobFailure.self) { try hooks.check(spec) }
            }
        }
    }

    @Test func `program names are looked up in PATH, and only executables are found`() {
        #expect(HookCommand.find("sh")?.hasSuffix("/sh") == true)
        #expect(HookCommand.find("/bin/sh") == "/bin/sh")
        #expect(HookCommand.find("/etc/passwd") == nil)
        #expect(HookCommand.find("/etc") == nil)
        #expect(HookCommand.find("no-such-program-anywhere") == nil)
    }

    // MARK: The facts of a hook

    @Test func `a hook's facts describe a completed file`() throws {
        let digest = try Digest(parsing: "md5:5eb63bbbe01eeed093cb22bb8f5acdc3")
        var found = FinishedFacts(fileName: "a.iso", byteCount: 42, finalURL: "http://h.example/a.iso")
        (found.isVerified, found.digest) = (true, digest)
        let result = DownloadResult(found, in: "down")
        let file = Self.job("http://h.example/a.iso?k=v") { $0.options.digest = digest }
        let facts = try #require(
            HookFacts("3", file, Self.outcome(result), Self.words, workingDirectory: Array("/home/u".utf8)))
        #expect(facts.paths == ["PAWL_FILE": Array("/home/u/down/a.iso".utf8)])
        #expect(
            facts.variables == [
                "PAWL_ID": "3", "PAWL_URL": "http://h.example/a.iso?k=…", "PAWL_STATUS": "completed",
                "PAWL_BYTES": "42",
                "PAWL_COMPLETE": "yes", "PAWL_VERIFIED": "yes", "PAWL_SKIPPED": "no",
                "PAWL_DIGEST": "md5:5eb63bbbe01eeed093cb22bb8f5acdc3",
            ])
    }

    @Test func `a hook's facts describe a failure, and no facts of another download are inherited`() throws {
        let error = DownloadError(.notFound, "There is no\u{0} such file.", recovery: .giveUp)
        let facts = try #require(Self.failure(1, error))
        #expect(facts.paths["PAWL_FILE"] == nil)
        let inherited = ["PAWL_FILE=/old", "PAWL_DIGEST=x", "PATH=/bin", "PAWL_OTHER=kept"].map { Array($0.utf8) }
        #expect(
            facts.environment(inheriting: inherited).map { String(decoding: $0, as: UTF8.self) } == [
                "PATH=/bin", "PAWL_OTHER=kept", "PAWL_CODE=notFound", "PAWL_ERROR=There is no such file.",
                "PAWL_EXIT_CODE=4", "PAWL_ID=1",
                "PAWL_STATUS=failed", "PAWL_URL=http://h.example/",
            ])
    }

    @Test func `a stopped file runs no hook`() {
        #expect(
            HookFacts(
                "1", Self.job(), .stopped(.fetch, fetched: nil), Self.words, workingDirectory: [UInt8(ascii: "/")])
                == nil)
    }

    // MARK: Running

    private static func failure(_ id: Int, _ error: DownloadError) -> HookFacts? {
        HookFacts(
            String(id), job(), .failed(.fetch, .download(error), fetched: nil), words,
            workingDirectory: [UInt8(ascii: "/")])
    }

    @Test func `a hook's facts tell what was unpacked and what was not`() throws {
        let directory = Array("/srv".utf8)
        let result = DownloadResult.file("a.zip", existed: false)
        let unpacked = UnpackedFile(
            target: FileTarget(path: "down/a"), result: ExtractionResult(directory: "down/a", members: 1, bytes: 1))
        let facts = try #require(
            HookFacts("1", Self.job(), Self.outcome(result, unpacked), Self.words, workingDirectory: directory))
        #expect(
            facts.variables["PAWL_EXTRACTED"] == "yes" && facts.paths["PAWL_DIRECTORY"] == Array("/srv/down/a".utf8))
        let damaged = JobFailure.archive(ArchiveError(.damaged, "“x” is damaged.", member: "x"))
        let failed = JobOutcome.failed(
            .unpack, damaged, fetched: FetchedFile(target: FileTarget(path: "a.zip"), result: result))
        let other = try #require(HookFacts("1", Self.job(), failed, Self.words, workingDirectory: directory))
        #expect(
            other.variables["PAWL_EXTRACTED"] == "no" && other.variables["PAWL_CODE"] == "damaged"
                && other.variables["PAWL_EXIT_CODE"] == "18")
        #expect(other.variables["PAWL_STATUS"] == "completed" && other.paths["PAWL_FILE"] == Array("/srv/a.zip".utf8))
        let stray = other.environment(inheriting: ["PAWL_DIRECTORY=/old", "HOME=/h"].map { Array($0.utf8) })
        #expect(!stray.contains(Array("PAWL_DIRECTORY=/old".utf8)) && stray.contains(Array("HOME=/h".utf8)))
    }

    @Test func `only a few hooks run at once, and each reports its end`() async throws {
        let counts = Mutex((running: 0, most: 0))
        let runner = HookRunner()
        let (endings, ended) = AsyncStream.makeStream(of: HookEnding.self)
        for id in 1...20 {
            runner.begin {
                counts.withLock {
                    $0.running += 1
                    $0.most = max($0.most, $0.running)
                }
                for _ in 0..<5 { await Task.yield() }
                counts.withLock { $0.running -= 1 }
                return .exited(id == 7 ? 2 : 0)
            } _: {
                ended.yield($0)
            }
        }
        var heard: [HookEnding] = []
        for await ending in endings {
            heard.append(ending)
            if heard.count == 20 { break }
        }
        #expect(heard.count { $0 == .exited(2) } == 1 && heard.count { $0 == .exited(0) } == 19)
        #expect((1...HookRunner.maximumAtOnce).contains(counts.withLock { $0.most }))
    }

    @Test(
        arguments: [
            ("exit 0", HookEnding.exited(0)), ("exit 7", .exited(7)), ("kill -9 $$", .signalled(9)),
            // A hook starts with no signal blocked or ignored, so a closed pipe ends it like any other program.
            ("kill -PIPE $$; exit 0", .signalled(13)), ("kill -TERM $$; exit 0", .signalled(15)),
            ("read x && exit 1; exit 0", .exited(0)), ("test \"$PAWL_ID\" = 'a b' && test \"$1\" = 'x y'", .exited(0)),
        ] as [(String, HookEnding)])
    func `a hook runs with its arguments and facts, and without input`(_ script: String, _ expected: HookEnding) async {
        let command = HookCommand(path: "/bin/sh", words: ["sh", "-c", script, "sh", "x y"])
        #expect(
            await ChildProcess.run(command, environment: ["PAWL_ID=a b", "PATH=/bin:/usr/bin"].map { Array($0.utf8) })
                == expected)
    }

    @Test(arguments: [true, false])
    func `P17 a program is not started if its service stops before its turn comes`(_ mayStart: Bool) async {
        let hooks = LiveHooks(Self.words, in: .own).named("a", end: "P17 \(mayStart)") { mayStart }
        let file = Self.job { $0.hook = ["sh", "-c", "exit 5"] }
        let error = JobFailure.download(DownloadError(.notFound, "It is not there.", recovery: .giveUp))
        let ending = await withCheckedContinuation { continuation in
            hooks.run(JobFileID(1), file, .failed(.fetch, error, fetched: nil)) { continuation.resume(returning: $0) }
        }
        #expect(ending == (mayStart ? .exited(5) : .notRun))
    }

    @Test func `a program that cannot be started gives the reason`() async {
        let ending = await ChildProcess.run(HookCommand(path: "/nonexistent/x", words: ["x"]), environment: [])
        #expect(ending == .notStarted("No such file or directory"))
    }

    @Test func `P03 bytes that are not UTF-8 in the environment or the working directory arrive unchanged`()
        async throws
    {
        let latin = Array("NAME=caf".utf8) + [0xE9]
        let result = DownloadResult.file("f", existed: false)
        let facts = try #require(
            HookFacts("1", Self.job(), Self.outcome(result), Self.words, workingDirectory: Array("/caf".utf8) + [0xE9]))
        let environment = facts.environment(inheriting: [latin, Array("ODD".utf8), Array("PATH=/bin:/usr/bin".utf8)])
        #expect(environment.first == latin && environment[1] == Array("ODD".utf8))
        #expect(environment.contains(Array("PAWL_FILE=/caf".utf8) + [0xE9] + "/f".utf8))
        let script = "x=$(printf 'caf\\351'); test \"$NAME\" = \"$x\" && test \"$PAWL_FILE\" = \"/$x/f\""
        let command = HookCommand(path: "/bin/sh", words: ["sh", "-c", script])
        #expect(await ChildProcess.run(command, environment: environment) == .exited(0))
    }

    @Test func `the whole environment is read`() {
        let path = Environment.value("PATH").map { Array("PATH=\($0)".utf8) }
        #expect(path.map(Environment.entries.contains) == true)
        #expect(Environment.entries.count > 1)
    }

    #if os(Linux)
    // MARK: Descriptors and signals of a hook

    /// A hook whose exit status is the number of its descriptors: three, and the directory in which it counts them.
    private static let counting = HookCommand(path: "/bin/sh", words: ["sh", "-c", "set -- /proc/$$/fd/*; exit $#"])

    @Test(arguments: [false, true])
    func `P02 a socket that another program would inherit is not inherited by a hook`(_ avoidsCloseRange: Bool) async {
        let sockets = (0..<300).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for socket in sockets where socket >= 0 { close(socket) } }
        #expect(sockets.allSatisfy { $0 >= 0 && fcntl($0, F_GETFD) == 0 })
        let ending = await ChildProcess.run(Self.counting, environment: [], avoidsCloseRange: avoidsCloseRange)
        #expect(ending == .exited(4))
        #expect(sockets.allSatisfy { fcntl($0, F_GETFD) == 0 }, "ours are as they were")
    }

    private final class Flag: Sendable {
        let isSet = Mutex(false)
    }

    /// Event loops open sockets all the time, and do not mark them close-on-exec.
    ///
    /// Chance decides which sockets are open when a hook starts. In 250 starts, the test finds a leak that occurs
    /// often, and hardly one that needs a socket to open within the few instructions between the closing of descriptors
    /// and the start of the program. It never fails without a leak.
    @Test(arguments: [false, true])
    func `P02 sockets opened while hooks start are not inherited`(_ avoidsCloseRange: Bool) async {
        let done = Flag()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                while !done.isSet.withLock({ $0 }) {
                    let sockets = (0..<20).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
                    for socket in sockets { close(socket) }
                    await Task.yield()
                }
            }
            for _ in 0..<250 {
                let ending = await ChildProcess.run(Self.counting, environment: [], avoidsCloseRange: avoidsCloseRange)
                #expect(ending == .exited(4))
            }
            done.isSet.withLock { $0 = true }
        }
    }

    /// Exits with 0 if it leads its process group: the fifth field of its status is its own number then (proc(5)).
    private static let leading = HookCommand(
        path: "/bin/sh", words: ["sh", "-c", "read -r line </proc/$$/stat; set -- $line; test \"$5\" = $$"])

    @Test func `P16 Ctrl-C at a terminal ends a hook together with the command, and never a hook of the service`()
        async
    {
        #expect(await ChildProcess.run(Self.leading, environment: []) == .exited(1))
        #expect(await ChildProcess.run(Self.leading, environment: [], in: .inherited) == .exited(1))
        #expect(await ChildProcess.run(Self.leading, environment: [], in: .own) == .exited(0))
    }

    @Test func `P01 a signal that Pawl was started ignoring stays ignored in a hook, as nohup requires`() async {
        let former = signal(SIGUSR2, SIG_IGN)
        defer { signal(SIGUSR2, former) }
        let command = HookCommand(path: "/bin/sh", words: ["sh", "-c", "kill -USR2 $$; exit 3"])
        #expect(await ChildProcess.run(command, environment: []) == .exited(3))
    }

    @Test func `P01 the signals that Pawl ignores itself have their default action in a hook`() async {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        for number in [SIGPIPE, SIGXFSZ] {
            let command = HookCommand(path: "/bin/sh", words: ["sh", "-c", "kill -\(number) $$; exit 0"])
            #expect(await ChildProcess.run(command, environment: []) == .signalled(number))
        }
    }
    #endif
}

private final class Flag: Sendable {
    let isSet = Mutex(false)
}
