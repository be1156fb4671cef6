import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite struct `B3 Framing over TLS` {
    @Test func `L11 a file whose end only the closed TLS connection marks is complete with close_notify`() async throws
    {
        let trial = try Trial(tls: try await ServerTLS.shared()) { behaviour in
            behaviour.honoursRanges = false
            behaviour.framing = .untilClose
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
    }

    @Test func `L11 a file whose end only the closed TLS connection marks is incomplete without close_notify`()
        async throws
    {
        let trial = try Trial(tls: try await ServerTLS.shared()) { behaviour in
            behaviour.honoursRanges = false
            behaviour.framing = .untilClose
            behaviour.sendsCloseNotify = false
        }
        let after = try await trial.run()
        after.expectFailure(.network, of: trial.content)
        after.expectCost(requests: 30)
    }

    @Test(arguments: [FileBehaviour.Framing.contentLength, .chunked(size: 9000)])
    func `L12 a body that is complete by its framing needs no close_notify`(framing: FileBehaviour.Framing) async throws
    {
        let trial = try Trial(tls: try await ServerTLS.shared()) { behaviour in
            behaviour.framing = framing
            behaviour.honoursRanges = false
            behaviour.closesAfterResponse = true
            behaviour.sendsCloseNotify = false
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
        after.expectCost(requests: 1)
    }

    @Test(arguments: [true, false])
    func `L12 a body shorter than announced is incomplete, with or without close_notify`(notifies: Bool) async throws {
        let trial = try Trial(tls: try await ServerTLS.shared()) { behaviour in
            behaviour.cut = .init(afterBytes: 120_000, requests: 1...1, pause: .milliseconds(50))
            behaviour.sendsCloseNotify = notifies
        }
        let after = try await trial.run { $0.settings.maximumConnections = 1 }
        after.expectWhole(trial.content)
        #expect(after.requests.count == 2)
    }
}
