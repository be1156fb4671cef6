import PawlCore
import Testing

@Suite struct DownloadOptionsTests {
    /// Options that all differ from their defaults.
    private static func changed() throws -> DownloadOptions {
        var options = DownloadOptions()
        options.maximumConnections = 3
        options.maximumBytesPerSecond = 77
        options.stallTimeout = .milliseconds(1500)
        options.responseTimeout = .seconds(7)
        options.maximumTime = .seconds(3600)
        options.streamWindow = 5 << 20
        options.allowsInsecureRedirect = true
        options.allowsOnlyDigest = true
        options.preferredLocations = ["at", "de"]
        options.usesServerMirrors = true
        options.digest = try Digest(parsing: "sha-256:" + String(repeating: "0a", count: 32))
        options.computedDigest = .md5
        options.pieceHashes = try PieceHashes(
            algorithm: .sha1, pieceLength: 1000, hashes: (0..<3).map { [UInt8](repeating: 0x1f + $0, count: 20) })
        options.expectedSize = 2500
        options.maximumFileSize = 1 << 40
        options.maximumRetries = 3
        options.maximumRetryTime = .seconds(90)
        options.waitsForNetwork = true
        options.ignoresRetryAfter = true
        options.allowsWebPage = true
        options.requiresComplete = true
        options.onChange = .fail
        options.ranges = try RangeSelection(parsing: "0-499,500-,-500")
        options.isSparse = true
        options.ifExists = .rename
        options.onlyIfNewer = true
        options.adoptsPartialFile = true
        options.keepsRemoteTime = true
        options.recordsOrigin = true
        options.sync = .none
        return options
    }

    /// A new property fails here until it is changed above and has an entry.
    @Test func `every property of DownloadOptions is an option with a unique name that can be written and read`() throws
    {
        let usual = DownloadOptions()
        let changed = try Self.changed()
        let properties = zip(Mirror(reflecting: usual).children, Mirror(reflecting: changed).children).map {
            usual, changed in
            #expect(
                String(describing: usual.value) != String(describing: changed.value),
                "“\(usual.label ?? "?")” is not changed in this test")
            return usual.label
        }
        #expect(Set(DownloadOptions.all.map { $0.path as AnyKeyPath }).count == properties.count)
        #expect(Set(DownloadOptions.all.map(\.name)).count == properties.count)

        var found = DownloadOptions()
        for option in DownloadOptions.all {
            #expect(option.texts(usual).isEmpty, "\(option.name)")
            for text in option.texts(changed) { #expect(option.take(text, &found), "\(option.name)") }
        }
        #expect(found == changed)
    }

    @Test func `guarantees are the options that requests must share to share a download`() throws {
        let changed = try Self.changed()
        var guarantees = DownloadOptions()
        guarantees.digest = changed.digest
        guarantees.computedDigest = changed.computedDigest
        guarantees.pieceHashes = changed.pieceHashes
        guarantees.expectedSize = changed.expectedSize
        guarantees.sync = changed.sync
        guarantees.maximumFileSize = changed.maximumFileSize
        guarantees.requiresComplete = true
        guarantees.onChange = .fail
        guarantees.allowsWebPage = true
        guarantees.allowsInsecureRedirect = true
        guarantees.allowsOnlyDigest = true
        #expect(changed.guarantees == guarantees)
    }

    @Test func `impossible and contradictory option values are reported`() throws {
        func problem(_ change: (inout DownloadOptions) throws -> Void) rethrows -> String? {
            var options = DownloadOptions()
            try change(&options)
            return options.problem?.message
        }
        #expect(problem { _ in } == nil)
        #expect(problem { $0.maximumConnections = 17 }?.contains("17 connections") == true)
        #expect(problem { $0.maximumConnections = 0 } != nil)
        #expect(problem { $0.maximumBytesPerSecond = 0 } != nil)
        #expect(problem { $0.maximumTime = .zero } != nil)
        #expect(problem { $0.stallTimeout = .seconds(-1) } != nil)
        #expect(problem { $0.responseTimeout = .zero } != nil)
        #expect(problem { $0.expectedSize = -1 } != nil)
        #expect(problem { $0.maximumFileSize = -1 } != nil)
        #expect(problem { $0.maximumFileSize = 0 } == nil)
        #expect(problem { $0.isSparse = true }?.contains("ranges") == true)
        #expect(
            try problem {
                $0.ranges = try RangeSelection(parsing: "0-9")
                $0.adoptsPartialFile = true
            } != nil)
        #expect(
            problem {
                $0.onlyIfNewer = true
                $0.adoptsPartialFile = true
            } != nil)
        #expect(
            try problem {
                $0.pieceHashes = try PieceHashes(
                    algorithm: .sha1, pieceLength: 1000, hashes: [[UInt8](repeating: 1, count: 20)])
                $0.expectedSize = 2500
            } != nil)
    }
}
