import Pawl
import PawlCore
import PawlTestKit
import Testing

/// The client library drops bytes that it holds when a connection breaks. A short burst before the end must still make
/// progress.
@Suite struct `B3 Early ends` {
    @Test(arguments: [1000, 60_000, 120_000])
    func `L01 N09 bytes that arrive right before a connection ends are kept`(_ burst: Int) async throws {
        let content = FileBehaviour.pattern(count: 600_000)
        let trial = try Trial(content) { behaviour in
            behaviour.cut = FileBehaviour.Cut(afterBytes: burst, requests: 1...5)
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(content)
        // Each short answer made progress, except those that held only the overlap for comparison.
        let starts = after.requests.prefix(6).compactMap { $0.fields.first("Range") }
        #expect(Set(starts).count >= (burst < 4096 ? 4 : 6), "an answer brought nothing: \(starts)")
    }
}
