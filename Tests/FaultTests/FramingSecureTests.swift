import Pawl
import PawlCore
import PawlTestKit
import Testing

@Suite struct `B3 Framing over TLS` {
    @Test func `L12 all announced bytes without close_notify are a whole file`() async throws {
        let trial = try Trial(tls: try await ServerTLS.shared()) { behaviour in
            behaviour.closesAfterResponse = true
            behaviour.sendsCloseNotify = false
        }
        let after = try await trial.run()
        after.expectWhole(trial.content)
    }
}
