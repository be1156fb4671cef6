import PawlCore
import PawlEngine
import Synchronization

/// How many wrong tokens an address may send.
final class AttemptLimit: Sendable {
    private let state = Locked<[ExactText: (count: Int, since: Int64)]>([:])
    private let maximum: Int
    /// In seconds.
    private let period: Int64
    /// More are not remembered; a new address then takes the place of all that are over.
    private static let maximumAddresses = 10_000

    init(maximum: Int = 10, period: Int64 = 60) {
        self.maximum = maximum
        self.period = period
    }

    /// Counts a wrong token.
    ///
    /// - Returns: the seconds until the next one may be sent, if this one is too many.
    func fail(_ address: String, at now: Int64) -> Int? {
        state.withLock { state in
            let address = ExactText(address)
            var entry = state[address] ?? (0, now)
            if now - entry.since >= period || now < entry.since { entry = (0, now) }
            entry.count += 1
            if state.count >= Self.maximumAddresses { state = state.filter { now - $0.value.since < period } }
            state[address] = entry
            return entry.count > maximum ? Int(period - (now - entry.since)) : nil
        }
    }
}
