import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// `--adopt`: another program's file is resumed only if the server's answer permits it; otherwise it stays unchanged.
@Suite struct `B6 Adopted files` {
    static let content = FileBehaviour.pattern(count: 300_000)

    private struct Snapshot: Equatable {
        let files: [String: Files.Status]
        let contents: [String: [UInt8]]

        init(_ trial: Trial) throws {
            files = try Files.listing(trial.directory.path)
            contents = try Dictionary(
                uniqueKeysWithValues: files.keys.map { ($0, try Files.read(trial.directory.file($0))) })
        }
    }

    /// Expects this error, and no change to any name, byte, mark or time.
    @discardableResult
    private func expectUntouched(
        _ trial: Trial, _ code: DownloadError.Code, _ change: (inout Plan) -> Void = { _ in },
        at location: SourceLocation = #_sourceLocation
    ) async throws -> DownloadError? {
        let before = try Snapshot(trial)
        let after = try await trial.run {
            $0.adoptsPartialFile = true
            $0.settings.retry.maximumTriesWithoutProgress = 1
            change(&$0)
        }
        #expect(after.error?.code == code, "\(after.phase)", sourceLocation: location)
        let isUntouched = try Snapshot(trial) == before
        #expect(isUntouched, "something was changed: \(after.names)", sourceLocation: location)
        for name in after.names {
            let file = try POSIXStorage().openDirectory(trial.directory.path).open(name, writable: false)
            #expect(try file.mark() == nil, "\(name) is marked", sourceLocation: location)
        }
        return after.error
    }

    // MARK: Refused by the server

    enum Answer: CaseIterable { case notFound, refusedConnection, cutBeforeTheBody, loginPage }

    @Test(arguments: Answer.allCases, ["", ".part"])
    func `D26 a file to be adopted stays unchanged under its name when no response shows that it matches`(
        _ answer: Answer, _ suffix: String
    ) async throws {
        let trial = try Trial(Self.content) { request, connection in
            switch answer {
            case .notFound: try connection.send("HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n")
            case .refusedConnection: break
            case .cutBeforeTheBody:
                try connection.send(DiskScript.head(request, Self.content))
                connection.close()
            case .loginPage:
                try connection.send(
                    "HTTP/1.1 401 Who?\r\nWWW-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n")
            }
        }
        try Files.write(trial.content.prefix(200_000), to: trial.target + suffix)
        if answer == .refusedConnection { trial.server.stop() }
        let code: DownloadError.Code =
            switch answer {
            case .notFound: .notFound
            case .refusedConnection: .network
            // The last request has no range, and still gets a part (R32).
            case .cutBeforeTheBody: .badResponse
            case .loginPage: .unauthorized
            }
        try await expectUntouched(trial, code)
    }

    enum Other { case otherBytes, muchLonger, emptyOnTheServer }

    private static func held(_ other: Other) -> [UInt8] {
        switch other {
        case .otherBytes: FileBehaviour.pattern(count: 200_000, seed: 9)
        case .emptyOnTheServer: content + [0]
        // Longer than the overlap for comparison, so that the requested range lies beyond the end of the server's file.
        case .muchLonger: content + FileBehaviour.pattern(count: 100_000, seed: 9)
        }
    }

    @Test(arguments: [Other.muchLonger, .emptyOnTheServer], ["", ".part"])
    func
        `D26 R21 with --on-change fail, a file to be adopted that differs from the server's is an error and stays unchanged`(
            _ other: Other, _ suffix: String
        ) async throws
    {
        let trial = try Trial(other == .emptyOnTheServer ? [] : Self.content)
        try Files.write(Self.held(other), to: trial.target + suffix)
        let error = try await expectUntouched(trial, .changed) { $0.settings.onChange = .fail }
        #expect(error?.message.isEmpty == false)
    }

    @Test(arguments: [Other.otherBytes, .emptyOnTheServer])
    func `D26 R21 a file to be adopted under its final name that differs from the server's stays unchanged`(
        _ other: Other
    ) async throws {
        let trial = try Trial(other == .emptyOnTheServer ? [] : Self.content)
        try Files.write(Self.held(other), to: trial.target)
        let error = try await expectUntouched(trial, .changed)
        #expect(error?.message.contains("“file.bin” is the beginning") == true, "\(error?.message ?? "")")
    }

    @Test func `D26 a file to be adopted with a wrong digest keeps its name, and the error names the file`()
        async throws
    {
        let trial = try Trial()
        try Files.write(trial.content, to: trial.target)
        let error = try await expectUntouched(trial, .digestMismatch) { $0.settings.digest = Sums.sha256([9]) }
        #expect(error?.message.contains("“file.bin”") == true, "\(error?.message ?? "")")
    }

    // MARK: Refused by the file's state

    @Test(arguments: ["truncated", "preallocated", "hole inside", "hole in a shorter file"])
    func `D26 a file with gaps is not adopted: no request is sent, and the error says where the first gap is`(
        _ kind: String
    ) async throws {
        let trial = try Trial()
        let file = try POSIXStorage().openDirectory(trial.directory.path).create(Trial.name)
        switch kind {
        case "truncated": try file.truncate(to: 300_000)
        case "preallocated": guard try file.allocate(300_000) else { return }
        case "hole inside": try file.truncate(to: 300_000)
        default: try file.truncate(to: 250_000)
        }
        try file.write(Array(trial.content[..<65_536]), at: 0)
        let size = Int(try file.status().size)
        try file.write(Array(trial.content[(size - 10_000)..<size]), at: Int64(size) - 10_000)
        // On a file system without sparse files there is no hole to find.
        guard try file.nextData(from: 0) == ByteRange(0..<65_536) else { return }
        try file.close()
        let error = try await expectUntouched(trial, .journal)
        #expect(error?.message.contains("at byte 65536") == true, "\(error?.message ?? "")")
        #expect(trial.server.requests.isEmpty)
    }

    @Test(
        arguments: ["file.bin.aria2", "file.bin.part.aria2", "file.bin.st", "file.bin.lftp-pget-status"], ["", ".part"])
    func `D26 adoption is refused beside another program's control file, and the error names that file`(
        _ control: String, _ suffix: String
    ) async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(200_000), to: trial.target + suffix)
        try Files.write([0, 1], to: trial.directory.file(control))
        let error = try await expectUntouched(trial, .journal)
        #expect(error?.message.contains("“\(control)”") == true, "\(error?.message ?? "")")
        #expect(trial.server.requests.isEmpty)
    }

    /// In pieces of 16 KiB, of which so many are there from the beginning, and one at the end.
    private func control(of total: Int, pieces: Int) -> [UInt8] {
        let (length, count) = (16_384, (total - 1) / 16_384 + 1)
        func bytes(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var field = [UInt8](repeating: 0, count: (count - 1) / 8 + 1)
        for piece in Array(0..<pieces) + [count - 1] { field[piece / 8] |= 0x80 >> UInt8(piece % 8) }
        return bytes(1, 2) + bytes(0, 8) + bytes(length, 4) + bytes(total, 8) + bytes(0, 8) + bytes(field.count, 4)
            + field + bytes(0, 4)
    }

    @Test(arguments: ["as it says", "after a power cut", "with gaps"])
    func `D26 the beginning of a file of aria2's is continued as far as its control file says and the disk shows`(
        _ kind: String
    ) async throws {
        let trial = try Trial()
        var bytes = trial.content
        let (pieces, total) = (10, trial.content.count)
        let held = pieces * 16_384
        // aria2 fills the file with zeros first (prealloc), or leaves gaps.
        for index in held..<(total - 16_384) { bytes[index] = 0 }
        let lost = 5 * 16_384
        if kind == "after a power cut" { for index in lost..<(lost + 8192) { bytes[index] = 0 } }
        if kind == "with gaps" {
            let file = try POSIXStorage().openDirectory(trial.directory.path).create(Trial.name)
            try file.truncate(to: Int64(total))
            try file.write(Array(bytes[..<lost]), at: 0)
            try file.close()
        } else {
            try Files.write(bytes, to: trial.target)
        }
        try Files.write(control(of: total, pieces: pieces), to: trial.target + ".aria2")
        let after = try await trial.run { $0.adoptsPartialFile = true }
        #expect(after.error == nil)
        #expect(try Files.read(trial.target) == trial.content)
        let start = (kind == "as it says" ? held : lost) - 4096
        #expect(after.ranges.contains { $0.hasPrefix("bytes=\(start)-") }, "\(after.ranges)")
    }

    @Test func `D26 a file of aria2's that has another length on the server is left as it is`() async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(200_000), to: trial.target)
        try Files.write(control(of: trial.content.count + 5, pieces: 10), to: trial.target + ".aria2")
        try await expectUntouched(trial, .changed)
    }

    @Test func `D26 if both the target and the partial file exist, neither is adopted or changed`() async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(1000), to: trial.target)
        try Files.write(trial.content.prefix(2000), to: trial.partial)
        try await expectUntouched(trial, .fileExists)
    }

    @Test(.needsMarks) func `D26 Pawl's own partial file without its journal is not adopted and stays in place`()
        async throws
    {
        let trial = try Trial()
        try trial.leave(durable: 0..<200_000)
        let file = try POSIXStorage().openDirectory(trial.directory.path).open("file.bin.part", writable: true)
        try #require(try file.setMark([UInt8](repeating: 5, count: 16)))
        try file.close()
        Files.remove(trial.journal)
        let before = try Snapshot(trial)
        let after = try await trial.run { $0.adoptsPartialFile = true }
        #expect(after.error?.code == .journal)
        #expect(after.requests.isEmpty)
        let isUntouched = try Snapshot(trial) == before
        #expect(isUntouched)
    }

    // MARK: Resumed

    @Test(arguments: ["", ".part"])
    func `D26 an adopted file that is a prefix of the server's is resumed, and the finished file carries no mark`(
        _ suffix: String
    ) async throws {
        let trial = try Trial()
        try Files.write(trial.content.prefix(200_000), to: trial.target + suffix)
        let after = try await trial.run { $0.adoptsPartialFile = true }
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 100_000 + 2 * 4096)
        #expect(try POSIXStorage().openDirectory(trial.directory.path).open(Trial.name, writable: false).mark() == nil)
    }

    @Test(arguments: ["", ".part"])
    func `D26 an empty file is adopted, even if the server ignores ranges`(_ suffix: String) async throws {
        let trial = try Trial { $0.honoursRanges = false }
        try Files.write([UInt8](), to: trial.target + suffix)
        let after = try await trial.run { $0.adoptsPartialFile = true }
        after.expectWhole(trial.content)
        #expect(after.requests.count == 1)
    }

    @Test func `D26 R18 a complete file to be adopted is compared at its beginning and its end, and never renamed`()
        async throws
    {
        let trial = try Trial()
        try Files.write(trial.content, to: trial.target)
        let inode = try Files.status(trial.target).inode
        let storage = FaultyStorage(POSIXStorage())
        let after = try await trial.run({ $0.adoptsPartialFile = true }, storage: storage)
        after.expectWhole(trial.content)
        #expect(after.bodyBytes <= 2 * 4096)
        #expect(after.ranges == ["bytes=0-4095", "bytes=295904-299999"])
        #expect(storage.count(of: .rename) == 0)
        #expect(try Files.status(trial.target).inode == inode)
    }

    @Test
    func `D26 J01 an adopted file gets a journal while it is downloaded, and the next run resumes it without --adopt`()
        async throws
    {
        let gated = try GatedTrial(Self.content, free: 250_000)
        let trial = gated.trial
        try Files.write(trial.content.prefix(200_000), to: trial.target)
        let first = try await trial.run(
            {
                $0.adoptsPartialFile = true
                $0.settings.maximumConnections = 1
            },
            during: { driver in
                try await gated.wait("the journal") { Files.exists(trial.journal) && !Files.exists(trial.target) }
                driver.pause()
            })
        #expect(first.phase == .paused)
        #expect(first.names == ["file.bin.part", "file.bin.pawl"])
        first.expectTruth(about: trial.content)
        #expect(first.record?.durable.count ?? 0 >= 200_000)
        gated.gate.open()
        let second = try await trial.run()
        second.expectWhole(trial.content)
        #expect(second.bodyBytes <= 100_000 + 4096)
    }
}
