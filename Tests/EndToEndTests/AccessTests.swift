import PawlCore
import PawlTestKit
import Testing

extension EndToEnd {
    /// Servers that restrict access to their files: each kind of credential, over several connections, across an
    /// interruption. No secret may be left in any file or output.
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct AccessTests {
        static let content = Files.randomBytes((3 << 20) + 5)
        static let login = ["--user", "user:secret"]
        static let secrets = ["secret", "sesame", "dXNlcjpzZWNyZXQ"]

        struct Gate: CustomTestStringConvertible, Sendable {
            let kind: RealServer.Kind
            let access: RealServer.Access
            let right: [String]
            /// Credentials that the server refuses with 401 or 403 (exit code 4).
            let wrong: [[String]]
            var name = ""

            var testDescription: String { "\(kind.rawValue) \(access) \(name)" }
        }

        static let gates: [Gate] =
            RealServer.Kind.allCases.flatMap { kind in
                [
                    Gate(
                        kind: kind, access: .basic, right: login,
                        wrong: [["--user", "user:guess"], [], login + ["--digest"]]),
                    Gate(
                        kind: kind, access: .bearer, right: ["--bearer", "open-sesame"],
                        wrong: [["--bearer", "guess"], []]),
                ]
            } + [
                Gate(kind: .apache2, access: .digest(.md5), right: login, wrong: [["--user", "user:guess"], []]),
                Gate(
                    kind: .lighttpd, access: .digest(.md5), right: login + ["--digest"],
                    wrong: [["--user", "user:guess", "--digest"], []]),
                Gate(kind: .lighttpd, access: .digest(.sha256), right: login, wrong: [["--user", "user:guess"], []]),
            ]

        @Test(arguments: gates)
        func
            `a password-protected file is downloaded over several connections and resumed, and refused to wrong credentials`(
                _ gate: Gate
            ) async throws
        {
            let place = RealServer.Place.guarded(gate.access, bytesPerSecond: 512 << 10)
            let world = try await World(.init(kind: gate.kind, scheme: .http), places: [place], content: Self.content)
            let command = world.get(in: place, "-x", "4", "--json")
            for words in gate.wrong { try await Self.expectRefusal(command + words, holding: [], in: world) }

            let held = try await world.interrupt(command + gate.right + ["--max-speed", "100k"]) { $0.kill9() }
            #expect(held > 0)
            for name in try Files.names(world.directory.path) {
                try Self.expectNoSecret(in: Files.read(world.directory.file(name)), name)
            }
            try await Self.expectRefusal(
                command + gate.wrong[0], holding: ["file.bin.part", "file.bin.pawl"], in: world)

            let output = try await Program.run(command + gate.right + ["--header", "X-Run: last"])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try Self.expectNoSecret(in: Array((output.standardOutput + output.standardError).utf8), "what it wrote")
            try world.expectOnly(Self.content)

            let last = try await world.server.stopAndReadLog().filter { $0.run == "last" }
            #expect(last.contains { $0.status == 206 }, "\(last)")
            let refused = last.count { $0.status == 401 }
            // All connections share a Digest nonce once one of them has received it. Basic and bearer credentials go
            // with the first request.
            if case .digest = gate.access { #expect(refused == 1, "\(last)") } else { #expect(refused == 0, "\(last)") }
        }

        @Test(arguments: [RealServer.Kind.apache2, .lighttpd])
        func `a server that forgets its Digest nonces midway is answered with a fresh challenge response`(
            _ kind: RealServer.Kind
        ) async throws {
            let place = RealServer.Place.guarded(.digest(.md5), bytesPerSecond: 256 << 10)
            let world = try await World(.init(kind: kind, scheme: .http), places: [place], content: Self.content)
            let download = try Program.start(world.get(in: place, "-q", "-x", "3") + Self.login)
            try await until("bytes are stored") { world.hasStoredBytes }
            try await world.server.stop()
            try #require(download.running(), "it ended before: \(download.standardError)")
            try await world.server.start()
            let output = try await download.output()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            try await world.server.stop()
        }

        @Test(arguments: RealServer.Kind.allCases)
        func `logins can also come from a netrc file, a URL or the environment`(_ kind: RealServer.Kind) async throws {
            let access: RealServer.Access = kind == .nginx ? .basic : .digest(.md5)
            let place = RealServer.Place.guarded(access)
            let world = try await World(.init(kind: kind, scheme: .http), places: [place], content: Self.content)
            let home = try TemporaryDirectory("home")
            for (name, password) in [("right", "secret"), ("wrong", "guess")] {
                try Files.write("machine 127.0.0.1 login user password \(password)\n".utf8, to: home.file(name))
                try Files.setMode(home.file(name), 0o600)
            }
            try await Self.expectRefusal(
                world.get(in: place, "--netrc-file", home.file("wrong")), holding: [], in: world)
            let named = world.get(in: place, "-q").map { $0.replacing("http://", with: "http://user:secret@") }
            for command in [world.get(in: place, "-q", "--netrc-file", home.file("right")), named] {
                let output = try await Program.run(command)
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                try world.expectOnly(Self.content)
                Files.remove(world.target)
            }
            try await world.server.stop()
        }

        @Test func `probe logs in as get does, and so does a request for a checksum list from the same origin`()
            async throws
        {
            let place = RealServer.Place.guarded(.digest(.md5))
            let world = try await World(.init(kind: .apache2, scheme: .http), places: [place], content: Self.content)
            let url = world.server.url(World.name, in: place)
            let refused = try await Program.run("probe", url)
            #expect(refused.ending == ExitCode.refused, "\(refused.standardError)")
            let probed = try await Program.run(["probe", url, "--json"] + Self.login)
            #expect(probed.ending == ExitCode.done, "\(probed.standardError)")
            #expect(probed.standardOutput.contains("\"acceptsRanges\":true"), "\(probed.standardOutput)")

            try world.server.put(
                try await Metalinks(Self.content, pieceLength: 1 << 20).list(World.name).utf8, at: "SHA256SUMS")
            let list = world.server.url("SHA256SUMS", in: place)
            let output = try await Program.run(world.get(in: place, "-q", "--checksum-file", list) + Self.login)
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            let verified = try await Program.run(["verify", world.target, "--checksum-file", list] + Self.login)
            #expect(verified.ending == ExitCode.done, "\(verified.standardError)")
            #expect(try await Program.run("verify", world.target, "--checksum-file", list).ending == ExitCode.refused)
            try await world.server.stop()
        }

        /// Runs a program at a terminal and types at its prompt. Prints the exit code, whether the prompt hid the
        /// input, whether the terminal echoes again afterwards, and all that it showed.
        private static let typist = """
            import os, pty, select, sys, termios
            typed, words = bytes(sys.argv[1], "ascii").decode("unicode_escape").encode(), sys.argv[2:]
            child, terminal = pty.fork()
            if child == 0:
                os.execv(words[0], words)
            shown, silent = b"", False
            while True:
                if not select.select([terminal], [], [], 20)[0]: sys.exit("nothing more came: " + repr(shown))
                try: new = os.read(terminal, 4096)
                except OSError: break
                if not new: break
                shown += new
                if b"Password of user: " in shown and typed:
                    silent = not termios.tcgetattr(terminal)[3] & termios.ECHO
                    os.write(terminal, typed)
                    typed = b""
            echoes = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), silent, echoes, repr(shown))
            """

        @Test(arguments: [
            ("secret\\r", "0"), ("secrXX\\x7f\\x7fet\\n", "0"), ("guess\\n", "4"), ("secret\\x03", "130"),
            ("\\x04", "64"),
        ])
        func `a password typed at the prompt is not echoed, and the terminal is restored`(
            _ typed: String, _ code: String
        ) async throws {
            let place = RealServer.Place.guarded(.basic)
            let world = try await World(places: [place], content: Self.content)
            let command = [try Program.path.get()] + world.get(in: place, "--user", "user")
            let output = try await Subprocess.run("python3", ["-c", Self.typist, typed] + command)
            let said = output.standardOutput
            #expect(said.hasPrefix("\(code) True True "), "\(said) \(output.standardError)")
            #expect(said.contains("Password of user: ") && !said.contains("secr") && !said.contains("guess"), "\(said)")
            if code == "0" {
                try world.expectOnly(Self.content)
            } else {
                #expect(try Files.names(world.directory.path).isEmpty)
            }
            try await world.server.stop()
        }

        // MARK: Cookies

        @Test(arguments: RealServer.Kind.allCases)
        func `a gate's cookie is sent with each range request, saved to a file, and skips the gate on the next run`(
            _ kind: RealServer.Kind
        ) async throws {
            let place = RealServer.Place.guarded(.cookie, bytesPerSecond: 512 << 10)
            let world = try await World(.init(kind: kind, scheme: .http), places: [place], content: Self.content)
            let jar = try TemporaryDirectory("jar")
            let command = world.get(in: place, "-q", "-x", "3")
            _ = try await world.interrupt(command + ["--max-speed", "100k"])

            for (run, words) in [
                ("gate", ["--save-cookies", jar.file("cookies.txt")]),
                ("file", ["--cookies", jar.file("cookies.txt")]),
                ("word", ["--cookie", "other=1; \(RealServer.Login.cookie)"]),
            ] {
                let output = try await Program.run(command + words + ["--header", "X-Run: \(run)"])
                #expect(output.ending == ExitCode.done, "\(output.standardError)")
                try world.expectOnly(Self.content)
                Files.remove(world.target)
            }
            #expect(try Files.status(jar.file("cookies.txt")).mode & 0o777 == 0o600)
            let log = try await world.server.stopAndReadLog()
            #expect(log.contains { $0.run == "gate" && $0.path.hasPrefix("/gate/") })
            #expect(!log.contains { $0.run != "gate" && $0.run != nil && $0.path.hasPrefix("/gate/") }, "\(log)")
            #expect(
                log.contains { $0.run == "file" && $0.status == 206 }
                    && log.contains { $0.run == "word" && $0.status == 206 })
        }

        // MARK: Certificates

        @Test(arguments: RealServer.Kind.allCases)
        func
            `a server that requires a client certificate accepts ours on each connection, and refuses a missing or foreign one`(
                _ kind: RealServer.Kind
            ) async throws
        {
            let place = RealServer.Place.slow
            let world = try await World(
                .init(kind: kind, scheme: .https), places: [place], asksForCertificates: true, content: Self.content)
            let others = try await CertificateAuthority()
            let stranger = try await others.makeClient()
            let client = try await #require(world.authority).makeClient()
            let command = world.get(in: place, "-x", "4", "-q")
            for words in [[], ["--certificate", stranger.both]] {
                let output = try await Program.run(command + words)
                #expect(
                    output.ending == ExitCode.refused || output.ending == ExitCode.network, "\(output.standardError)")
                // nginx lets the handshake pass and answers 400.
                #expect(
                    output.standardError.contains(kind == .nginx ? "400" : "certificate"), "\(output.standardError)")
                #expect(try Files.names(world.directory.path).isEmpty)
            }
            _ = try await world.interrupt(
                command + ["--certificate", client.certificate, "--private-key", client.key, "--max-speed", "100k"])
            let output = try await Program.run(command + ["--certificate", client.both])
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            try world.expectOnly(Self.content)
            try await world.server.stop()
        }

        // MARK: Helpers

        private static func expectRefusal(
            _ command: [String], holding names: [String], in world: World,
            at location: SourceLocation = #_sourceLocation
        ) async throws {
            let output = try await Program.run(command)
            #expect(output.ending == ExitCode.refused, "\(output.standardError)", sourceLocation: location)
            #expect(
                output.standardError.contains("40"), "no word of what was wrong: \(output.standardError)",
                sourceLocation: location)
            try expectNoSecret(
                in: Array((output.standardOutput + output.standardError).utf8), "what it wrote", at: location)
            #expect(try Files.names(world.directory.path) == names, sourceLocation: location)
        }

        private static func expectNoSecret(
            in bytes: [UInt8], _ place: String, at location: SourceLocation = #_sourceLocation
        ) throws {
            for secret in secrets {
                #expect(
                    bytes.firstRange(of: Array(secret.utf8)) == nil, "\(place) holds “\(secret)”",
                    sourceLocation: location)
            }
        }
    }
}
