import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// FAULTS V15 and N14 against real servers: several sources, some of which have another file, lie, fail or are slow.
@Suite("B2 Several sources")
struct SourceTests {
    private static let content = FileBehaviour.pattern(count: 1_500_000)

    /// The content with one changed byte in the middle.
    private static func spoilt(_ content: [UInt8] = content) -> [UInt8] {
        var bytes = content
        bytes[bytes.count / 2] ^= 1
        return bytes
    }

    private static func server(_ content: [UInt8] = content, _ change: (inout FileBehaviour) -> Void = { _ in }) throws -> ScriptedServer {
        var behaviour = FileBehaviour(content: content)
        change(&behaviour)
        return try ScriptedServer(file: behaviour)
    }

    private static func mirrors(_ servers: ScriptedServer...) throws -> [Source] {
        try servers.map { Source(url: try HTTPURL(parsing: $0.url("/mirrored/file.bin"))) }
    }

    private static func pieces(of content: [UInt8], length: Int) throws -> PieceHashes {
        let hashes = stride(from: 0, to: content.count, by: length).compactMap { start in
            Sums.sha256(Array(content[start..<min(content.count, start + length)]))?.bytes
        }
        return try PieceHashes(algorithm: .sha256, pieceLength: Int64(length), hashes: hashes)
    }

    @Test func `V15 without a digest, bytes of two servers are never mixed, although their files have the same length, ETag and date and differ in one byte`() async throws {
        let mirror = try Self.server(Self.spoilt())
        defer { mirror.stop() }
        let mirrors = try Self.mirrors(mirror)
        let trial = try Trial(Self.content) { $0.statusOverrides = Dictionary(uniqueKeysWithValues: (2...60).map { ($0, 404) }) }
        let after = try await trial.run { spec in
            spec.settings.maximumConnections = 1
            spec.settings.mirrors = mirrors
        }
        // The first source sufficed.
        after.expectWhole(Self.content)
        #expect(mirror.requests.isEmpty)

        let cut = try Trial(Self.content) {
            $0.cut = FileBehaviour.Cut(afterBytes: 900_000, .finish, pause: .milliseconds(50))
            $0.statusOverrides = Dictionary(uniqueKeysWithValues: (2...60).map { ($0, 404) })
        }
        let failedOver = try await cut.run { spec in
            spec.settings.maximumConnections = 1
            spec.settings.mirrors = mirrors
        }
        failedOver.expectWhole(Self.spoilt())
        #expect(mirror.requests.first?.fields.first("Range") == "bytes=0-")
        #expect(mirror.requests.first?.fields.first("If-Range") == nil)
    }

    @Test(arguments: [true, false])
    func `V15 N14 with a digest, sources are mixed, and a source with one wrong byte does not spoil the file`(_ isMirror: Bool) async throws {
        let other = try Self.server(isMirror ? Self.spoilt() : Self.content) { $0.bytesPerSecond = 2_000_000 }
        defer { other.stop() }
        let mirrors = try Self.mirrors(other)
        let trial = try Trial(isMirror ? Self.content : Self.spoilt()) { $0.bytesPerSecond = 2_000_000 }
        let after = try await trial.run { spec in
            spec.settings.digest = Sums.sha256(Self.content)
            spec.settings.mirrors = mirrors
        }
        after.expectWhole(Self.content, verified: true)
        #expect(!other.requests.isEmpty)
    }

    @Test func `a wrong byte from one source costs little more than its piece`() async throws {
        let liar = try Self.server(Self.spoilt()) { $0.bytesPerSecond = 1_000_000 }
        defer { liar.stop() }
        let trial = try Trial(Self.content) { $0.bytesPerSecond = 1_000_000 }
        let mirrors = try Self.mirrors(liar)
        let pieces = try Self.pieces(of: Self.content, length: 65_536)
        let after = try await trial.run { spec in
            spec.settings.pieceHashes = pieces
            spec.settings.maximumConnections = 2
            spec.settings.mirrors = mirrors
        }
        after.expectWhole(Self.content, verified: true)
        let wrong = after.reports.count { if case .pieceWrong = $0 { true } else { false } }
        #expect(wrong <= 2)
        // Bytes that the system holds for a connection that is cut off were sent in vain.
        #expect(after.bodyBytes + liar.bodyBytesSent < Self.content.count + (wrong + 1) * 65_536 + 400_000)
    }

    @Test(arguments: ["404", "length", "ranges", "dies", "slow"])
    func `downloads complete despite a source that is gone, differs, ignores ranges, fails or is slow`(_ what: String) async throws {
        let misfit = try Self.server(what == "length" ? Self.content + [1] : Self.content) {
            switch what {
            case "404": $0.statusOverrides = Dictionary(uniqueKeysWithValues: (1...60).map { ($0, 404) })
            case "ranges": $0.honoursRanges = false
            case "dies": $0.cut = FileBehaviour.Cut(afterBytes: 1000, .reset)
            case "slow": $0.bytesPerSecond = 2000
            default: break
            }
        }
        let good = try Self.server { $0.bytesPerSecond = 1_000_000 }
        defer {
            misfit.stop()
            good.stop()
        }
        let mirrors = try Self.mirrors(misfit, good)
        let trial = try Trial(Self.content) { $0.bytesPerSecond = 1_000_000 }
        let after = try await trial.run { spec in
            spec.settings.digest = Sums.sha256(Self.content)
            spec.settings.mirrors = mirrors
        }
        after.expectWhole(Self.content, verified: true)
        #expect(!misfit.requests.isEmpty && !good.requests.isEmpty)
        switch what {
        case "404": #expect(after.reports.contains { if case .sourceFailed(_, let error) = $0 { error.code == .notFound } else { false } })
        case "length", "ranges": #expect(after.reports.contains { if case .mirrorDiffers = $0 { true } else { false } })
        default: break
        }
    }
}
