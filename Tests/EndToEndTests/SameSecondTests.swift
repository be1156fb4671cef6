import Foundation
import PawlTestKit
import Testing

extension EndToEnd {
    /// nginx makes its strong entity tags of the second and the length, so a file that is replaced within the second has the same one.
    @Suite("Files that are replaced within the second", .serialized, .timeLimit(.minutes(5)))
    struct SameSecondTests {
        private static let size = 12 << 20

        enum Way: String, CaseIterable, CustomTestStringConvertible {
            case plain, compressed, proxied

            var testDescription: String { rawValue }

            /// Slow enough for more connections to be worth it.
            var places: [RealServer.Place] {
                var place = RealServer.Place(rawValue)
                place.bytesPerSecond = 2 << 20
                place.compression = self == .compressed
                guard self == .proxied else { return [place] }
                place.proxies = RealServer.Place.plain.name
                return [place, .plain]
            }
        }

        @Test(arguments: RealServer.Scheme.allCases, Way.allCases)
        func `V19 nginx: a file that is replaced in the second in which it is served comes in one version, and the command says why slowly`(
            _ scheme: RealServer.Scheme, _ way: Way
        ) async throws {
            let old = Files.randomBytes(Self.size)
            let new = Files.randomBytes(Self.size)
            let world = try await World(World.Origin(kind: .nginx, scheme: scheme), places: way.places, content: old)
            // As late as the server's clock may be read, so that no delay makes the file old.
            let second = Int64(Date().timeIntervalSince1970) + 30
            try world.server.put(old, at: World.name, modified: second)
            let download = try Program.start(world.get(in: try #require(way.places.first), "-x", "8", "--json"))
            try await until("bytes come") {
                try #require(download.running(), "it ended: \(download.standardError)")
                return Files.exists(world.partial)
            }
            // A new file under the name: nginx goes on with the one that it has open.
            try world.server.put(new, at: World.name, modified: second)
            let ending = try await download.wait(timeout: .seconds(60))
            #expect(ending == ExitCode.done, "\(download.standardError)")
            try world.expectOnly(old)
            #expect(download.standardOutput.contains("\"recentlyModified\""))
            try await world.server.stop()
        }
    }
}
