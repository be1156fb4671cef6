import Pawl
import PawlCore
import PawlTestKit
import Testing

/// Whole downloads with names from a hostile server, into a directory whose surroundings are watched.
@Suite struct `B8 Names on the disk` {
    /// A name that the server proposes, and the resulting name in the directory.
    struct Proposal: CustomTestStringConvertible, Sendable {
        var target = "/url.bin"
        var field: [UInt8]?
        var expected: String

        init(_ field: String, _ expected: String) {
            self.field = Array(("Content-Disposition: " + field).utf8)
            self.expected = expected
        }

        init(bytes: [UInt8], _ expected: String) {
            field = Array("Content-Disposition: attachment; filename=\"".utf8) + bytes + Array("\"".utf8)
            self.expected = expected
        }

        init(target: String, _ expected: String) {
            self.target = target
            self.expected = expected
        }

        var testDescription: String { field.map { String(decoding: $0, as: UTF8.self) } ?? target }
    }

    static let proposals: [Proposal] = [
        Proposal("attachment; filename=\"../../.ssh/authorized_keys\"", "authorized_keys"),
        Proposal("attachment; filename=\"../passwd\"", "passwd"), Proposal("attachment; filename=../sibling/x", "x"),
        Proposal("attachment; filename=\"/etc/passwd\"", "passwd"), Proposal("attachment; filename=..", "url.bin"),
        Proposal("attachment; filename=.", "url.bin"), Proposal("attachment; filename=\"../\"", "url.bin"),
        Proposal("attachment; filename=\"~/x\"", "x"), Proposal("attachment; filename=\"~\"", "_~"),
        Proposal("attachment; filename=\"..\\\\..\\\\Startup\\\\x.bat\"", "x.bat"),
        Proposal("attachment; filename=\"C:x\"", "C_x"),
        Proposal("attachment; filename*=UTF-8''..%2F..%2Fpasswd", "passwd"),
        Proposal("attachment; filename*=UTF-8''%2e%2e%2f%2e%2e%2fpasswd; filename=y", "passwd"),
        Proposal("attachment; filename*=UTF-8''x%00.txt", "x.txt"),
        Proposal("attachment; filename*=UTF-8''%c0%ae%c0%ae%c0%afx", "url.bin"),
        Proposal("attachment; filename*=UTF-8''a%0d%0aSet-Cookie:%20b", "aSet-Cookie_ b"),
        Proposal("attachment; filename*=UTF-8''%1b%5d0%3bx%07", "]0;x_"),
        Proposal("attachment; filename*=UTF-8''gpj.%e2%80%aeexe", "gpj.exe"),
        Proposal(
            "attachment; filename=\"" + String(repeating: "a", count: 5000) + ".iso\"",
            String(repeating: "a", count: 246) + ".iso"),
        Proposal(
            "attachment; filename*=UTF-8''" + String(repeating: "%F0%9F%98%80", count: 200),
            String(repeating: "😀", count: 62)),
        Proposal("attachment; filename=a; filename=../b", "a"),
        Proposal("attachment; filename=\"../open", "open"),
        Proposal("attachment; filename=\"%2e%2e%2fx\"", "%2e%2e%2fx"), Proposal("attachment; filename=\"-rf\"", "_-rf"),
        Proposal("attachment; filename=\".bashrc\"", "_.bashrc"), Proposal("attachment; filename=\"x. . \"", "x"),
        Proposal("attachment; filename=CON", "_CON"), Proposal("attachment; filename=\"x.part\"", "x.part_"),
        Proposal("attachment; filename=\"url.bin.pawl\"", "url.bin.pawl_"),
        Proposal("attachment; filename=\"url.bin.part.orphan-1\"", "url.bin.part.orphan-1"),
        Proposal(bytes: Array("ä.iso".utf8), "ä.iso"),
        Proposal(bytes: [0x2E, 0x2E, 0x2F, 0xC0, 0xAF, 0x78], "\u{C0}\u{AF}x"),
        Proposal(target: "/%2e%2e%2f", "download"), Proposal(target: "/a/%2e%2e", "download"),
        Proposal(target: "/%2Fetc%2Fpasswd", "passwd"),
        Proposal(target: "/%2e%2e%2f%2e%2e%2fpasswd", "passwd"), Proposal(target: "/a/../../../passwd", "passwd"),
        Proposal(target: "/", "index.html"), Proposal(target: "/a/?b=c", "index.html"),
        Proposal(target: "/..%5C..%5Cx", "x"), Proposal(target: "/a.bin;x=../..", "index.html"),
        Proposal(target: "/a.bin?x=../..", "a.bin"),
        Proposal(target: "/a%00b", "ab"), Proposal(target: "/%7E%2Fx", "x"), Proposal(target: "/x.part", "x.part_"),
    ]

    /// A directory to download into. All directories above it are old, so any change in them shows.
    private struct Surroundings {
        let root: TemporaryDirectory
        let target: String
        private let before: [String: Files.Status]

        init() throws {
            let top = try TemporaryDirectory("names")
            root = top
            target = top.path + "/outer/home/target"
            let directories = [
                "", "/outer", "/outer/.ssh", "/outer/home", "/outer/home/sibling", "/outer/home/Startup",
            ].map { top.path + $0 }
            for directory in directories.dropFirst() + [target] { try Files.makeDirectory(directory) }
            for directory in directories {
                for name in ["authorized_keys", "passwd", "x", "x.bat", "download", "index.html"] {
                    try Files.write(Array("old".utf8), to: "\(directory)/\(name)")
                    try Files.setModified("\(directory)/\(name)", secondsSinceEpoch: 1_000_000_000)
                }
            }
            // A file that is created and removed again changes the directory's modification time.
            for directory in directories.reversed() {
                try Files.setModified(directory, secondsSinceEpoch: 1_000_000_000)
            }
            before = try Self.look(root.path)
        }

        private static func look(_ root: String) throws -> [String: Files.Status] {
            var found = try Files.listing(root).filter { !$0.key.hasPrefix("outer/home/target") }
            found[""] = try Files.status(root)
            // Places where an absolute name, or one relative to the working directory, would have put a file.
            for place in ["/", "/etc", "/etc/passwd", "."] { found["elsewhere: " + place] = try Files.status(place) }
            return found
        }

        func expectUnchanged(at location: SourceLocation = #_sourceLocation) throws {
            let now = try Self.look(root.path)
            let changed = Set(now.keys).union(before.keys).filter { now[$0] != before[$0] }
            #expect(changed.isEmpty, "changed outside the directory: \(changed.sorted())", sourceLocation: location)
        }
    }

    @Test
    func
        `M01 M02 M03 M04 M05 M06 M07 M09 M10 M11 M13 any proposed name becomes one harmless file name, and nothing changes outside the directory`()
        async throws
    {
        let surroundings = try Surroundings()
        let content = FileBehaviour.pattern(count: 1000)
        let proposals = Self.proposals
        let server = try ScriptedServer { request, connection in
            guard let number = request.fields.first("Proposal").flatMap({ Int($0) }) else { return connection.close() }
            let field = proposals[number].field
            try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\nConnection: close\r\n")
            if let field { try connection.send(field + Array("\r\n".utf8)) }
            try connection.send("\r\n")
            try connection.sendBody(content[...])
            connection.close()
        }
        defer { server.stop() }
        let downloader = try Downloader()
        for (number, proposal) in proposals.enumerated() {
            var request = DownloadRequest(server.url(proposal.target), in: surroundings.target)
            request.headers = [HTTPField("Proposal", "\(number)")]
            let result = try await downloader.start(request).result()
            #expect(result.path == surroundings.target + "/" + proposal.expected, "\(proposal.testDescription)")
            #expect(try Files.names(surroundings.target) == [proposal.expected], "\(proposal.testDescription)")
            #expect(try Files.status(result.path).isRegular && Files.read(result.path) == content)
            Files.remove(result.path)
        }
        await downloader.shutdown()
        try surroundings.expectUnchanged()
    }

    private func disposition(_ name: String) -> String { "Content-Disposition: attachment; filename=\"\(name)\"" }

    @Test func `M07 a proposed name that is not UTF-8 is read as ISO 8859-1`() async throws {
        let line = Array("Content-Disposition: attachment; filename=\"na".utf8) + [0xEF] + Array("ve.txt\"\r\n".utf8)
        let trial = try Trial([7]) { request, connection in
            try connection.send(Array("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n".utf8) + line + Array("\r\n".utf8))
            try connection.sendBody([7])
        }
        let after = try await trial.run { $0.fileName = nil }
        #expect(after.names == ["na\u{EF}ve.txt"])
    }

    @Test(arguments: [("\u{E9}.txt", "e\u{301}.txt"), ("e\u{301}.txt", "e\u{301}.txt"), ("file.txt", "FILE.TXT")])
    func `M08 an existing file whose name differs only in Unicode form or case is left unchanged`(
        _ present: String, _ proposed: String
    ) async throws {
        let trial = try Trial { $0.extraFieldLines = [self.disposition(proposed)] }
        try Files.write([1, 2, 3], to: trial.directory.file(present))
        let after = try await trial.run { $0.fileName = nil }
        let composed = proposed == "FILE.TXT" ? proposed : "\u{E9}.txt"
        #expect(try Files.read(trial.directory.file(present)) == [1, 2, 3], "the file that was there")
        if present.utf8.elementsEqual(composed.utf8) {
            after.expectFailure(.fileExists, of: trial.content)
            #expect(after.files.count == 1)
        } else {
            #expect(after.outcome?.isComplete == true)
            #expect(try Files.names(trial.directory.path).count == 2)
            #expect(try Files.isEqual(trial.directory.file(composed), to: trial.content))
        }
    }

    @Test func `M12 a download keeps its first name, whatever later responses and redirects propose`() async throws {
        let content = FileBehaviour.pattern(count: 300_000)
        let trial = try Trial(content) { request, connection in
            guard request.path != "/file.bin" || request.number == 1 else {
                return try connection.send(
                    "HTTP/1.1 302 Found\r\nLocation: /elsewhere/other.iso\r\nContent-Length: 0\r\n\r\n")
            }
            let start = request.fields.first("Range").flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
            try connection.send(
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(start)-\(content.count - 1)/\(content.count)\r\n"
                    + "Content-Length: \(content.count - start)\r\nETag: \"v1\"\r\n"
                    + "Content-Disposition: attachment; filename=name-\(request.number).bin\r\n\r\n")
            try connection.sendBody(content[start..<(request.number == 1 ? 100_000 : content.count)])
            if request.number == 1 { connection.close() }
        }
        let after = try await trial.run {
            $0.fileName = nil
            $0.settings.maximumConnections = 1
        }
        #expect(after.names == ["name-1.bin"])
        #expect(after.files["name-1.bin"] == content)
        #expect(after.ending.finalURL.path == "/elsewhere/other.iso")
    }

    @Test func `M12 a later run resumes under the name in the journal, not the one that the server proposes now`()
        async throws
    {
        let trial = try Trial { $0.extraFieldLines = [self.disposition("other.iso")] }
        try trial.leave(durable: 0..<200_000)
        let after = try await trial.run { $0.fileName = nil }
        after.expectWhole(trial.content)
        #expect(after.bodyBytes < 150_000)
    }

    @Test(arguments: ["../file.bin", "/tmp/file.bin", "..", "", "other.bin", "file.bin\0"])
    func `M12 a journal whose target name does not match its own file name is ignored and left unchanged`(
        _ name: String
    ) async throws {
        let trial = try Trial { $0.extraFieldLines = [self.disposition("fresh.bin")] }
        try trial.leave(durable: 0..<200_000) { $0.targetName = name }
        let (partial, journal) = (try Files.read(trial.partial), try Files.read(trial.journal))
        let after = try await trial.run { $0.fileName = nil }
        #expect(after.files["fresh.bin"] == trial.content)
        #expect(after.names == ["file.bin.part", "file.bin.pawl", "fresh.bin"])
        #expect(
            after.files["file.bin.part"] == partial && after.files["file.bin.pawl"] == journal,
            "nothing of it was touched")
    }

    @Test(arguments: ["x.pawl", "x.PAWL", ".pawl", ".part"])
    func `M13 a name from the user that ends like Pawl's own files is refused`(_ name: String) async throws {
        let trial = try Trial()
        let after = try await trial.run { $0.fileName = name }
        let error = after.expectFailure(.invalidArgument, of: trial.content)
        #expect(error?.message.contains("“\(name)”") == true)
        #expect(after.requests.isEmpty && after.names.isEmpty)
    }

    @Test(arguments: ["x.part", "x.PART", "x.part.part"])
    func `M13 a file may be called as other programs call their partial files`(_ name: String) async throws {
        let trial = try Trial()
        let after = try await trial.run { $0.fileName = name }
        #expect(after.error == nil)
        #expect(after.names == [name])
        #expect(try Files.read(trial.directory.path + "/" + name) == trial.content)
    }

    @Test(arguments: [ExistingFilePolicy.fail, .replace, .rename])
    func `M13 the partial file of an unfinished download is not the target of another`(
        _ policy: ExistingFilePolicy
    ) async throws {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000, path: "/first.bin")
        let (partial, journal) = (try Files.read(trial.partial), try Files.read(trial.journal))
        let after = try await trial.run(path: "/second.bin") {
            $0.fileName = Trial.name + ".part"
            $0.ifExists = policy
        }
        #expect(after.error?.code == .invalidArgument)
        #expect(after.requests.isEmpty)
        #expect(try Files.read(trial.partial) == partial && Files.read(trial.journal) == journal)
    }

    @Test
    func `D15 M13 a name that a running download holds is refused, and the remedies do not include removing its files`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000, path: "/first.bin")
        let held = try POSIXStorage().openDirectory(trial.directory.path).open(Trial.name + ".part", writable: true)
        defer { try? held.close() }
        #expect(try held.lock())
        let error = try await trial.run(path: "/second.bin").error
        #expect(error?.code == .locked && error?.remedies == [.waitForOther, .chooseName])
    }

    @Test func `M13 a name that an unfinished download holds is refused, and that download's files stay unchanged`()
        async throws
    {
        let trial = try Trial {
            $0.extraFieldLines = [self.disposition(Trial.name)]
            $0.etag = "\"another\""
        }
        try trial.leave(durable: 0..<200_000, path: "/first.bin")
        let (partial, journal) = (try Files.read(trial.partial), try Files.read(trial.journal))
        let after = try await trial.run(path: "/second.bin") { $0.fileName = nil }
        let error = after.expectFailure(.journal, keeping: 200_000, of: trial.content)
        #expect(error?.message.contains("was started from \(trial.server.url("/first.bin"))") == true)
        #expect(after.files[Trial.name + ".part"] == partial && after.files[Trial.name + ".pawl"] == journal)
        #expect(after.names == [Trial.name + ".part", Trial.name + ".pawl"])
    }
}
