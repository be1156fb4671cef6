import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// nginx derives its strong entity tags from the modification second and the length, so two files of one second and
    /// length share a tag.
    @Suite("Files replaced within the same second", .serialized, .timeLimit(.minutes(5)))
    struct SameSecondTests {
        private static let size = 12 << 20

        enum Way: String, CaseIterable, CustomTestStringConvertible {
            case plain, compressed, proxied

            var testDescription: String { rawValue }

            /// Slow enough for further connections to be worthwhile.
            var places: [RealServer.Place] {
                var place = RealServer.Place(rawValue)
                place.bytesPerSecond = 2 << 20
                place.compression = self == .compressed
                guard self == .proxied else { return [place] }
                place.proxies = RealServer.Place.plain.name
                return [place, .plain]
            }
        }

        @Test(arguments: Way.allCases)
        func
            `V19 nginx: a file replaced within the second of its request arrives in one version, and the slow download is explained`(
                _ way: Way
            ) async throws
        {
            let old = Files.randomBytes(Self.size)
            let new = Files.randomBytes(Self.size)
            let world = try await World(places: way.places, content: old)
            // The latest modification time that is plausible for the server's clock, so that no delay makes the file
            // old.
            let second = Int64(Date().timeIntervalSince1970) + 30
            try world.server.put(old, at: World.name, modified: second)
            let download = try Program.start(world.get(in: try #require(way.places.first), "-x", "8", "--json"))
            try await until("bytes come") {
                try #require(download.running(), "it ended: \(download.standardError)")
                return Files.exists(world.partial)
            }
            // The name gets a new file; nginx continues with the one that it has open.
            try world.server.put(new, at: World.name, modified: second)
            let ending = try await download.wait(timeout: .seconds(60))
            #expect(ending == ExitCode.done, "\(download.standardError)")
            try world.expectOnly(old)
            #expect(download.standardOutput.contains("\"recentlyModified\""))
            try await world.server.stop()
        }
    }
}
