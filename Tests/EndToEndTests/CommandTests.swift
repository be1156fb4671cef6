import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// The program as users and scripts see it: exit codes, streams, events and the files it leaves.
    @Suite(.serialized, .timeLimit(.minutes(3)))
    struct CommandTests {
        static let content = Files.randomBytes((2 << 20) + 17)

        // MARK: Success

        @Test func `--quiet prints nothing`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run(world.get("--quiet"))
            #expect(output.ending == ExitCode.done)
            #expect(output.standardOutput.isEmpty && output.standardError.isEmpty, "\(output)")
            try world.expectOnly(Self.content)
        }

        @Test func `without -o, the file gets the name in the URL`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run("get", "-q", world.server.url(World.name), "-d", world.directory.path)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
        }

        @Test func `without a terminal, messages go to stderr and contain no escape codes`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run(world.get())
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(
                !(output.standardOutput + output.standardError).contains("\u{1B}"), "escape codes without a terminal")
            #expect(!output.standardError.isEmpty)
        }

        // MARK: Digests

        @Test(arguments: ["sha-256": "sha256sum", "sha-512": "sha512sum", "sha-1": "sha1sum", "md5": "md5sum"])
        func `a file with the right digest is reported as verified, and pawl verify accepts that digest and no other`(
            algorithm: String, tool: String
        ) async throws {
            let world = try await World(content: Self.content)
            try Files.write(Self.content, to: world.directory.file("original"))
            let digest = try await Subprocess.run(tool, [world.directory.file("original")]).standardOutput
                .prefix { $0 != " " }
            let checksum = "\(algorithm):\(digest)"

            let output = try await Program.run(world.get("--json", "--checksum", checksum))
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            let completed = try Program.events(in: output.standardOutput).dropLast().last
            #expect(completed?["verified"] as? Bool == true)

            let verified = try await Program.run("verify", world.target, "--checksum", checksum)
            #expect(verified.ending == ExitCode.done, "\(verified.standardError)")
            let wrong = "\(algorithm):" + String(repeating: "0", count: digest.count)
            let refused = try await Program.run("verify", world.target, "--checksum", wrong)
            #expect(refused.ending == ExitCode.digestMismatch, "\(refused.standardError)")
        }

        @Test func `without libcrypto a checksum is refused before the first request, and everything else works`()
            async throws
        {
            let world = try await World(content: Self.content)
            // A library of this name that is none is what a system without it looks like, to dlopen(3).
            for name in ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so.4", "libcrypto.so"] {
                try Files.write([], to: world.directory.file(name))
            }
            let hidden = ["LD_LIBRARY_PATH": world.directory.path]
            let target = world.directory.path + "/checked"
            let checksum = "sha-256:" + String(repeating: "0", count: 64)
            let refused = try await Subprocess.run(
                Program.path.get(), ["get", world.server.url(World.name), "-o", target, "--checksum", checksum],
                environment: hidden)
            #expect(refused.ending == ExitCode.usage, "\(refused)")
            #expect(
                refused.standardError.contains("libcrypto") && refused.standardError.contains("libssl3"),
                "\(refused.standardError)")
            #expect(!Files.exists(target) && !Files.exists(target + ".part"))

            let plain = try await Subprocess.run(
                Program.path.get(), ["get", "-q", world.server.url(World.name), "-o", target], environment: hidden)
            #expect(plain.ending == ExitCode.done, "\(plain)")
            #expect(try Files.read(target) == Self.content)
        }

        @Test func `a checksum that libcrypto refuses, as in FIPS mode, is an error before the first request`()
            async throws
        {
            let world = try await World(content: Self.content)
            // config(5): without the default provider no function is there.
            let configuration = """
                openssl_conf = start
                [start]
                providers = providers
                [providers]
                base = base
                [base]
                activate = 1

                """
            try Files.write(Array(configuration.utf8), to: world.directory.file("openssl.cnf"))
            let target = world.directory.path + "/checked"
            let output = try await Subprocess.run(
                Program.path.get(),
                [
                    "get", world.server.url(World.name), "-o", target, "--checksum",
                    "md5:" + String(repeating: "0", count: 32),
                ],
                environment: ["OPENSSL_CONF": world.directory.file("openssl.cnf")])
            #expect(
                output.ending == ExitCode.usage && output.standardError.contains("refuses to compute md5"), "\(output)")
            #expect(!Files.exists(target) && !Files.exists(target + ".part"))
        }

        // MARK: Events and status

        @Test func `--json prints one event per line, with progress at most four times a second`() async throws {
            let world = try await World(content: Self.content)
            let began = ContinuousClock.now
            let output = try await Program.run(world.get("--json", "--max-speed", "1M"))
            let seconds = (ContinuousClock.now - began) / .seconds(1)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")

            let events = try Program.events(in: output.standardOutput)
            let names = events.map { $0["event"] as? String ?? "none" }
            #expect(names.first == "started")
            #expect(names.suffix(2) == ["completed", "summary"])
            #expect(
                Set(names).isSubset(of: ["started", "resumed", "progress", "segment", "completed", "summary"]),
                "\(names)")
            #expect(events.dropLast().allSatisfy { $0["id"] as? Int == 1 })
            let completed = events.dropLast().last
            let progress = events.filter { $0["event"] as? String == "progress" }
            #expect(!progress.isEmpty && Double(progress.count) <= 4 * seconds + 2, "\(progress.count) in \(seconds) s")
            for event in progress {
                #expect(event["bytes"] is Int && event["rate"] != nil && event["connections"] != nil, "\(event)")
                #expect(event["total"] as? Int == Self.content.count)
            }
            #expect(completed?["bytes"] as? Int == Self.content.count)
            #expect(completed?["complete"] as? Bool == true)
            #expect(completed?["verified"] as? Bool == false)
            #expect(completed?["file"] as? String == world.target)
        }

        @Test func `--json reports a failure as an event with code, message and exit code`() async throws {
            let world = try await World(content: Self.content)
            let output = try await Program.run("get", "--json", world.server.url("missing"), "-o", world.target)
            #expect(output.ending == ExitCode.refused)
            let failed = try #require(try Program.events(in: output.standardOutput).dropLast().last)
            #expect(failed["event"] as? String == "failed")
            #expect(failed["exitCode"] as? Int == 4)
            #expect(failed["code"] is String && failed["message"] is String, "\(failed)")
            #expect(try Files.names(world.directory.path).isEmpty)
        }

        @Test func `pawl status shows the bytes that the journal claims, and the partial file has them`() async throws {
            let world = try await World(in: TemporaryDirectory.memory, content: Self.content)
            let held = try await world.interrupt(world.get("-q", "--max-speed", "100k"))
            let status = try #require(try await Program.status(of: world.target))
            #expect(status.durableBytes == held && status.resumableBytes == held)
            #expect(status.total == Int64(Self.content.count))
            for range in status.durable {
                let claimed = Int(range[0])..<Int(range[1])
                let right = try Files.read(world.partial)[claimed] == Self.content[claimed]
                #expect(right, "the journal claims \(claimed), which is not there")
            }
            let forPeople = try await Program.run("status", world.target)
            #expect(forPeople.ending == ExitCode.done && !forPeople.standardOutput.isEmpty)
        }

        @Test func `pawl status of a missing file fails with one clear line`() async throws {
            let directory = try TemporaryDirectory()
            let output = try await Program.run("status", directory.file("nothing"))
            #expect(output.ending != ExitCode.done)
            expectOneClearLine(output)
        }

        @Test func `pawl probe reports the file's length and stores nothing`() async throws {
            let world = try await World(content: Self.content)
            let before = try Files.listing(world.directory.path)
            let output = try await Program.run("probe", world.server.url(World.name), "--json")
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Program.events(in: output.standardOutput.replacingOccurrences(of: "\n", with: "")).count == 1)
            #expect(output.standardOutput.contains("\(Self.content.count)"))
            let forPeople = try await Program.run("probe", world.server.url(World.name))
            #expect(forPeople.ending == ExitCode.done && !forPeople.standardOutput.isEmpty)
            #expect(try Files.listing(world.directory.path) == before)
        }

        // MARK: Failures

        @Test func `an untrusted certificate ends the program with the network's exit code, and no file is created`()
            async throws
        {
            let world = try await World(.init(kind: .nginx, scheme: .https), content: Self.content)
            let output = try await Program.run(
                "get", world.server.url(World.name), "-o", world.target, timeout: .seconds(150))
            #expect(output.ending == ExitCode.network)
            expectOneClearLine(output)
            #expect(try Files.names(world.directory.path).isEmpty)
        }

        @Test func `H10 secrets appear in no output, no error and no journal`() async throws {
            let world = try await World(content: Self.content)
            let secrets = ["s3cretUser", "s3cretPassword", "s3cretToken", "s3cretHeader"]
            let url =
                world.server.url(World.name)
                .replacingOccurrences(of: "http://", with: "http://s3cretUser:s3cretPassword@") + "?token=s3cretToken"
            let command = ["get", url, "-o", world.target, "--header", "X-Key: s3cretHeader"]

            let download = try Program.start(command + ["--json", "--max-speed", "100k"])
            try await world.untilTheJournalClaimsBytes(of: download)
            download.interrupt()
            let output = try await download.output()
            let status = try await Program.run("status", world.target, "--json")
            let missing = try await Program.run(
                "get", url.replacingOccurrences(of: World.name, with: "missing"), "-o", world.directory.file("missing")
            )
            #expect(missing.ending == ExitCode.refused, "\(missing.standardError)")
            expectOneClearLine(missing)
            let journal = String(decoding: try Files.read(world.journal), as: UTF8.self)
            for secret in secrets {
                for (place, text) in [
                    ("stdout", output.standardOutput), ("stderr", output.standardError),
                    ("status", status.standardOutput),
                    ("the error", missing.standardError + missing.standardOutput), ("the journal", journal),
                ] {
                    #expect(!text.contains(secret), "\(secret) in \(place)")
                }
            }
        }
    }
}

/// Expects an error for people: one line of text without Swift internals. A pointer to help may follow.
func expectOneClearLine(_ output: Subprocess.Output, at location: SourceLocation = #_sourceLocation) {
    let lines = output.standardError.split(separator: "\n")
    if output.ending == ExitCode.usage {
        let others = lines.dropFirst().filter { line in
            !["Usage:", "Help:", "See ", "Try ", " "].contains { line.hasPrefix($0) }
        }
        #expect(!lines.isEmpty && others.isEmpty, "\(output.standardError)", sourceLocation: location)
    } else {
        #expect(lines.count == 1, "\(output.standardError)", sourceLocation: location)
    }
    #expect((lines.first?.count ?? 0) >= 20, "says too little: \(lines)", sourceLocation: location)
    for word in ["Fatal error", "Error Domain", "Optional(", "errno", "Swift/"] {
        #expect(!output.standardError.contains(word), "\(output.standardError)", sourceLocation: location)
    }
}
