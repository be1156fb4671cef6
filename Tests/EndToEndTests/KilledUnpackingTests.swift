import PawlTestKit
import Testing

extension EndToEnd {
    /// The real program, killed with `kill -9` as it enters the n-th system call of a kind while it unpacks; n rises
    /// until a run completes. Each kill must leave either the old state or the new one, and the same command must then
    /// produce the new one.
    @Suite("B9 Unpacking killed at every system call", .serialized, .timeLimit(.minutes(10)))
    struct KilledUnpackingTests {
        enum Story: String, CaseIterable {
            case fresh
            /// Exchanges the names of the old directory and the new one.
            case replacing
            /// The archive's only directory has the target's name and is renamed as a whole.
            case unnested
        }

        private let directory: TemporaryDirectory
        private var target: String { directory.file("target") }

        init() async throws {
            directory = try TemporaryDirectory("killed")
            let script = """
                cd "$0"; mkdir -p tree/sub; echo one > tree/a; echo two > tree/sub/b; ln -s ../a tree/sub/link; ln tree/a tree/same
                tar -cf flat.tar -C tree .; mv tree target; tar -cf nested.tar target; rm -r target
                """
            let output = try await Subprocess.run("sh", ["-ec", script, directory.path])
            #expect(output.ending == .exited(0), "\(output.standardError)")
        }

        @Test(arguments: Story.allCases)
        func
            `Z10 unpacking killed at any system call leaves the old directory or the new one, and the next run succeeds`(
                _ story: Story
            ) async throws
        {
            var kills = 0
            for kind in try await kinds(story) {
                var number = 0
                while true {
                    number += 1
                    try set(story)
                    guard try await run(story, killedAt: kind, number) else { break }
                    kills += 1
                    try expectOldOrNew(story, "\(kind) \(number)")
                    // Also one that finds the work done leaves nothing of the killed run.
                    let again = try await Program.run(command(story, story == .replacing ? "replace" : "skip"))
                    #expect(again.ending == ExitCode.done, "\(kind) \(number): \(again.standardError)")
                    #expect(try isNew(), "\(kind) \(number)")
                    #expect(
                        try Files.names(directory.path) == ["flat.tar", "nested.tar", "target"], "\(kind) \(number)")
                }
            }
            // With no kills, the test would prove nothing.
            #expect(kills > 20, "killed \(kills) times only")
        }

        @Test(arguments: [
            "renameat2:error=EINVAL", "openat2:error=ENOSYS", "openat2:error=EPERM", "linkat:error=EPERM",
        ])
        func `Z10 Z01 a system call that the system or file system lacks is replaced by another way`(
            _ fault: String
        ) async throws {
            for story in Story.allCases {
                try set(story)
                #expect(try await run(story, with: fault) == ExitCode.done, "\(story)")
                #expect(try isNew(), "\(story)")
                #expect(try Files.names(directory.path) == ["flat.tar", "nested.tar", "target"], "\(story)")
            }
        }

        @Test(arguments: [
            "pwrite64:error=EIO", "pwrite64:error=ENOSPC", "syncfs:error=EIO", "fsync:error=EIO",
            "mkdirat:error=EROFS:when=2", "symlinkat:error=EPERM",
            "renameat2:error=EIO",
        ])
        func `Z10 D04 D08 a failing call while unpacking leaves the old directory and nothing beside it`(
            _ fault: String
        ) async throws {
            for story in Story.allCases {
                try set(story)
                let ending = try await run(story, with: fault)
                #expect(ending != ExitCode.done, "\(story)")
                #expect(
                    try Files.names(directory.path) == ["flat.tar", "nested.tar"]
                        + (story == .replacing ? ["target"] : []), "\(story)")
                if story == .replacing { #expect(try Files.names(target) == ["old"]) }
            }
        }

        private func run(_ story: Story, with fault: String) async throws -> Subprocess.Ending {
            let call = String(fault.prefix { $0 != ":" })
            return try await strace(["-o", "/dev/null", "-e", "trace=\(call)", "-e", "inject=\(fault)"], story).wait(
                timeout: .seconds(30))
        }

        private func command(_ story: Story, _ ifExists: String = "replace") -> [String] {
            [
                "extract", "-q", directory.file(story == .unnested ? "nested.tar" : "flat.tar"), "-d", target,
                "--if-exists", ifExists,
            ]
        }

        private func set(_ story: Story) throws {
            Files.remove(target)
            guard story == .replacing else { return }
            try Files.makeDirectory(target)
            try Files.write(Array("old".utf8), to: "\(target)/old")
        }

        private func expectOldOrNew(_ story: Story, _ moment: String) throws {
            if story == .replacing, try Files.names(target) == ["old"] { return }
            if story != .replacing, !Files.exists(target) { return }
            #expect(try isNew(), "\(moment)")
        }

        private func isNew() throws -> Bool {
            guard try Files.listing(target).keys.sorted() == ["a", "same", "sub", "sub/b", "sub/link"] else {
                return false
            }
            return try Files.text("\(target)/same") == "one\n" && Files.text("\(target)/sub/b") == "two\n"
                && Files.text("\(target)/sub/link") == "one\n"
        }

        // MARK: Under strace

        /// The target's parent and all files made in it; the calls of the program's startup are left out.
        private var paths: [String] {
            let fresh = directory.file("target.part")
            let made = [
                "", "/pawl", "/old", "/new", "/new/sub", "/new/target", "/new/target/sub", "/new/a", "/new/sub/b",
                "/new/target/a", "/new/target/sub/b",
            ]
            return [directory.path, target] + made.map { fresh + $0 }
        }

        private func strace(_ options: [String], _ story: Story) throws -> Subprocess {
            try Subprocess(
                "strace",
                ["-f", "-qq"] + paths.flatMap { ["-P", $0] } + options + [Program.path.get()] + command(story))
        }

        private func kinds(_ story: Story) async throws -> [String] {
            try set(story)
            let trace = directory.path + ".trace"
            defer { Files.remove(trace) }
            let output = try await strace(["-o", trace], story).output(timeout: .seconds(30))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            // A call's line is "1234 openat(…". A resumed call was named on an earlier line.
            let kinds = try Files.text(trace).split(separator: "\n").compactMap { line -> String? in
                let call = line.drop { $0 != " " }.drop { $0 == " " }
                guard let end = call.firstIndex(of: "("), call.first?.isLetter == true else { return nil }
                return String(call[..<end])
            }
            return Set(kinds).sorted()
        }

        /// Returns false if the program completed without being killed.
        private func run(_ story: Story, killedAt kind: String, _ number: Int) async throws -> Bool {
            let options = ["-o", "/dev/null", "-e", "trace=\(kind)", "-e", "inject=\(kind):signal=KILL:when=\(number)"]
            // strace ends as its child did.
            return try await strace(options, story).wait(timeout: .seconds(30)) == .signalled(9)
        }
    }
}
