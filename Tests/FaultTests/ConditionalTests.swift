import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// Downloading only newer files, and the facts about its origin that a finished file carries.
@Suite struct `B4 Conditional requests` {
    static let content = FileBehaviour.pattern(count: 100_000)
    static let old = [UInt8](repeating: 7, count: 5000)
    /// The modification time of the file of `Served`: 2020-01-01.
    static let modified: Int64 = 1_577_836_800

    private static func trial(
        ignoresConditions: Bool = false, _ change: (inout Served) -> Void = { _ in }
    ) throws -> Trial {
        var served = Served(content)
        change(&served)
        return try Trial(content) { [served] request, connection in
            let isAsked = request.fields.first("If-Modified-Since") == HTTPDate(secondsSinceEpoch: modified).imfFixdate
            if isAsked, !ignoresConditions { return try connection.reply(304, ["ETag: \"v1\""]) }
            try served.answer(request, connection)
        }
    }

    private static func leaveTarget(_ trial: Trial, modified: Int64) throws {
        try Files.write(old, to: trial.target)
        try Files.setModified(trial.target, secondsSinceEpoch: modified)
    }

    private static func expectUntouched(_ after: Aftermath) {
        #expect(after.outcome?.skipReason == .notNewer, "\(after.phase)")
        #expect(after.names == [Trial.name] && after.files[Trial.name] == old)
        #expect(after.reports.contains(.skipped(.notNewer)))
        #expect(after.requests.count == 1 && after.requests.first?.fields.first("If-Modified-Since") != nil)
    }

    @Test func `a file that the server reports as not modified is not downloaded`() async throws {
        let trial = try Self.trial()
        try Self.leaveTarget(trial, modified: Self.modified)
        let after = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        Self.expectUntouched(after)
        #expect(after.bodyBytes == 0)
        #expect(after.ranges == ["bytes=0-"])
    }

    @Test(arguments: [modified, modified + 1, 4_000_000_000])
    func `if the server ignores If-Modified-Since, its Last-Modified still shows that the file is not newer`(
        _ time: Int64
    ) async throws {
        let trial = try Self.trial(ignoresConditions: true)
        try Self.leaveTarget(trial, modified: time)
        let after = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        Self.expectUntouched(after)
    }

    @Test(arguments: [true, false])
    func `an older file is replaced by a newer one`(_ ignores: Bool) async throws {
        let trial = try Self.trial(ignoresConditions: ignores)
        try Self.leaveTarget(trial, modified: Self.modified - 1)
        let after = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        after.expectWhole(Self.content)
        #expect(after.requests.count == 1)
    }

    @Test func `without an existing file, the file is downloaded without If-Modified-Since`() async throws {
        let trial = try Self.trial()
        let after = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        after.expectWhole(Self.content)
        #expect(after.requests.allSatisfy { $0.fields.first("If-Modified-Since") == nil })
    }

    @Test func `an older file stays if the download of the newer one fails`() async throws {
        let trial = try Trial(Self.content) { request, connection in
            if request.number > 1 { return try connection.reply(404) }
            try Served(Self.content).answer(request, connection, cut: 50_000)
        }
        try Self.leaveTarget(trial, modified: 0)
        let after = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        #expect(after.error?.code == .notFound)
        #expect(after.files[Trial.name] == Self.old)
    }

    @Test func `with a name chosen by the server, the existing file is compared once the name is known`() async throws {
        let trial = try Self.trial(ignoresConditions: true) {
            $0.lines = ["Content-Disposition: attachment; filename=\"file.bin\""]
        }
        try Self.leaveTarget(trial, modified: Self.modified)
        let after = try await trial.runAlone(path: "/download") {
            $0.onlyIfNewer = true
            $0.ifExists = .replace
            $0.fileName = nil
        }
        #expect(after.outcome?.skipReason == .notNewer)
        #expect(after.names == [Trial.name] && after.files[Trial.name] == Self.old)
    }

    @Test func `a signed link gets no If-Modified-Since, and the date of its response decides`() async throws {
        let trial = try Self.trial()
        try Self.leaveTarget(trial, modified: Self.modified)
        let after = try await trial.runAlone(path: "/file.bin?X-Amz-Signature=1") {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        #expect(after.outcome?.skipReason == .notNewer)
        #expect(after.requests.map { $0.fields.first("If-Modified-Since") } == [nil])
    }

    @Test(arguments: [true, false])
    func `V23 a newer file gets a name of its own where existing files are not to be replaced`(
        isNamedByServer: Bool
    ) async throws {
        let trial = try Self.trial()
        try Self.leaveTarget(trial, modified: Self.modified - 1)
        func run() async throws -> Aftermath {
            try await trial.runAlone {
                ($0.onlyIfNewer, $0.ifExists) = (true, .rename)
                if isNamedByServer { $0.fileName = nil }
            }
        }
        let after = try await run()
        #expect(after.files == [Trial.name: Self.old, "file (1).bin": Self.content])
        try Files.setModified(trial.target, secondsSinceEpoch: Self.modified)
        let again = try await run()
        #expect(again.outcome?.skipReason == .notNewer)
        #expect(again.files == after.files)
    }

    @Test(arguments: [true, false])
    func `V23 where an existing file is an error, a newer one is not stored and one that is not newer is no error`(
        isNewer: Bool
    ) async throws {
        let trial = try Self.trial(ignoresConditions: true)
        try Self.leaveTarget(trial, modified: isNewer ? Self.modified - 1 : Self.modified)
        let after = try await trial.runAlone { ($0.onlyIfNewer, $0.ifExists) = (true, .fail) }
        #expect(after.files == [Trial.name: Self.old])
        if isNewer {
            #expect(after.error?.code == .fileExists)
        } else {
            #expect(after.outcome?.skipReason == .notNewer)
        }
    }

    // MARK: Time and origin of the file

    @Test func `the finished file carries the server's time, its URL and its digest, and the next run sends its ETag`()
        async throws
    {
        let trial = try Trial(Self.content) { request, connection in
            if request.fields.first("If-None-Match") == "\"v1\"" { return try connection.reply(304) }
            try Served(Self.content).answer(request, connection)
        }
        let digest = try #require(Sums.sha256(Self.content))
        let after = try await trial.runAlone(path: "/file.bin?x=1&token=sesame") {
            $0.settings.keepsRemoteTime = true
            $0.settings.recordsOrigin = true
            $0.settings.digest = digest
        }
        after.expectWhole(Self.content, verified: true)
        let directory = try POSIXStorage().openDirectory(trial.directory.path)
        #expect(try directory.status(Trial.name)?.modified == Self.modified)
        let file = try directory.open(Trial.name, writable: true)
        // On a file system without extended attributes, the download reports that instead.
        if after.reports.contains(.attributesNotKept) { return }
        func text(_ name: String) throws -> String? {
            try file.attribute(name).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(try text("user.xdg.origin.url") == trial.server.url("/file.bin?x=1"))
        #expect(try text("user.xdg.checksum.sha256") == digest.hex)
        try file.setModified(0)
        let again = try await trial.runAlone {
            $0.onlyIfNewer = true; $0.ifExists = .replace
        }
        #expect(again.outcome?.skipReason == .notNewer)
        #expect(again.requests.count == 1)
    }

    @Test func `if neither time nor origin can be stored, the download still completes and reports both`() async throws
    {
        let trial = try Self.trial { $0.lastModified = "Fri, 01 Jan 2100 00:00:00 GMT" }
        let storage = FaultyStorage(POSIXStorage(), .failing(.setAttribute, call: 1, with: .noSpace))
        let after = try await trial.run(
            {
                $0.settings.keepsRemoteTime = true
                $0.settings.recordsOrigin = true
            }, storage: storage)
        after.expectWhole(Self.content)
        #expect(after.reports.contains(.attributesNotKept))
        #expect(after.reports.contains(.timeNotKept("Fri, 01 Jan 2100 00:00:00 GMT")))
    }
}
