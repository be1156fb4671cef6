import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

extension EndToEnd {
    /// The real program, killed with `kill -9` as it enters the n-th system call of a kind on the target's files; n
    /// rises until a run completes. This covers every intermediate state of the files, and the same command runs again
    /// in each.
    @Suite("B7 Killed at every system call", .serialized, .timeLimit(.minutes(10)))
    struct KillAtEachCallTests {
        enum Story: String, CaseIterable {
            /// A file that is held in memory until it is whole.
            case held
            /// A new partial file, complete before the first checkpoint is due.
            case fresh
            /// Resumes from a journal, so the finishing sequence writes one more record.
            case resumed
            /// Like `resumed`, and the file is read back and verified before it gets its name.
            case verified
            /// Like `resumed`, with an older file under the final name.
            case replacing
            /// All bytes are durable and verified; only the rename is left.
            case renaming
            /// The server fails halfway, so the program creates the journal to save its progress.
            case saving
        }

        @Test(arguments: Story.allCases)
        func
            `J13 J01 D17 a program killed at any call on its files leaves no false name or claim, and the same command completes`(
                _ story: Story
            ) async throws
        {
            let scene = try await Scene(story)
            var kills = 0
            for paths in scene.pathSets {
                try scene.set()
                let kinds = try await scene.kinds(paths)
                for kind in kinds {
                    var number = 0
                    while true {
                        number += 1
                        let moment = "\(story), \(paths.count) paths, \(kind) \(number)"
                        try scene.set()
                        guard try await scene.run(killedAt: kind, number, on: paths) else { break }
                        kills += 1
                        try scene.world.expectNothingFalse(moment, former: scene.former)
                        try await scene.expectEnd(moment)
                    }
                }
            }
            // With no kills, the test would prove nothing. What is held makes few calls.
            #expect(kills > (story == .held ? 8 : 12), "killed \(kills) times only")
        }
    }

    private final class Scene: Sendable {
        let story: KillAtEachCallTests.Story
        let world: ScriptedWorld
        private let failing = Switch()
        private let digest: String

        static let old = Array("what was there before\n".utf8)

        init(_ story: KillAtEachCallTests.Story) async throws {
            self.story = story
            let content = FileBehaviour.pattern(count: story == .fresh ? 200_000 : 70_000)
            let switched = failing
            let good = FileScript(FileBehaviour(content: content))
            var broken = FileBehaviour(content: content)
            broken.cut = .init(afterBytes: 40_000)
            let bad = FileScript(broken)
            world = try ScriptedWorld(content) { [switched] request, connection in
                guard switched.isOn else { return try good.answer(request, connection) }
                let isFirst = request.fields.first("Range") == "bytes=0-"
                guard isFirst else { return try connection.send("HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n") }
                try bad.answer(request, connection)
            }
            let copy = try TemporaryDirectory("digest")
            try Files.write(content, to: copy.file("content"))
            digest = try await Files.sha256(copy.file("content"))
        }

        var former: [UInt8]? { story == .replacing ? Self.old : nil }

        private var command: [String] {
            let options =
                switch story {
                case .held, .fresh, .resumed, .renaming, .saving: [] as [String]
                case .verified: ["--checksum", "sha-256:" + digest]
                case .replacing: ["--if-exists", "replace"]
                }
            return world.get(["-q", "-x", "1"] + options)
        }

        /// strace counts calls per thread and kind, so the paths that different threads use are traced separately.
        var pathSets: [[String]] {
            [[world.directory.path], [world.target, world.partial], [world.journal]]
        }

        /// Restores the files that an earlier run left.
        func set() throws {
            try world.clear()
            failing.set(story == .saving)
            switch story {
            case .held, .fresh, .saving: break
            case .resumed, .verified: try world.leave(durable: 0..<40_000)
            case .replacing:
                try world.leave(durable: 0..<40_000)
                try Files.write(Self.old, to: world.target)
            case .renaming: try world.leave(durable: 0..<70_000) { $0.state = .verified }
            }
        }

        // MARK: Under strace

        private func strace(_ options: [String], on paths: [String]) throws -> Subprocess {
            try Subprocess(
                "strace",
                ["-f", "-qq"] + paths.flatMap { ["-P", $0] } + options + [Program.path.get()] + command)
        }

        /// The kinds of system calls that a complete run makes on these paths.
        func kinds(_ paths: [String]) async throws -> [String] {
            let trace = world.directory.path + ".trace"
            defer { Files.remove(trace) }
            let output = try await strace(["-o", trace], on: paths).output(timeout: .seconds(30))
            let expected = story == .saving ? ExitCode.refused : ExitCode.done
            #expect(output.ending == expected, "\(story): \(output.standardError)")
            // A call's line is "1234 openat(…". A resumed call was named on an earlier line.
            let kinds = try Files.text(trace).split(separator: "\n").compactMap { line -> String? in
                let call = line.drop { $0 != " " }.drop { $0 == " " }
                guard let end = call.firstIndex(of: "("), call.first?.isLetter == true else { return nil }
                return String(call[..<end])
            }
            return Set(kinds).sorted()
        }

        /// Returns false if the program completed without being killed.
        func run(killedAt kind: String, _ number: Int, on paths: [String]) async throws -> Bool {
            let options = ["-o", "/dev/null", "-e", "trace=\(kind)", "-e", "inject=\(kind):signal=KILL:when=\(number)"]
            // strace ends as its child did.
            return try await strace(options, on: paths).wait(timeout: .seconds(30)) == .signalled(9)
        }

        // MARK: Running the command again

        func expectEnd(_ moment: String) async throws {
            failing.set(false)
            let wasWhole = Files.exists(world.target) && former == nil
            let isNamed = wasWhole && !Files.exists(world.journal)
            let requestsBefore = world.server.requests.count
            let output = try await Program.run(command)
            // Without a journal, only a checksum shows that the complete file is the one that the command asks for.
            let expected = isNamed && story != .verified ? ExitCode.fileExists : ExitCode.done
            #expect(output.ending == expected, "\(moment): \(output.standardError)")
            if story == .renaming || wasWhole {
                #expect(world.server.requests.count == requestsBefore, "\(moment): asked for what it had")
            }
            try world.expectOnly(moment)
        }
    }
}
