import PawlCore
import PawlEngine
import Synchronization

/// Counts the wrong tokens that each client sends.
///
/// A client is an IPv4 address, or an IPv6 network of 64 bits, the smallest that providers give to a customer
/// (RFC 6177): one machine may use any address of it.
final class AttemptLimit: Sendable {
    private struct Entry {
        var count: Int
        var since: Int64
    }

    /// Entries in two generations: those that nobody touches are gone after the next turn, without a search for them.
    private struct State {
        var young: [[UInt8]: Entry] = [:]
        var old: [[UInt8]: Entry] = [:]
        var turned: Int64 = 0
    }

    /// The largest number of entries in each generation.
    private static let maximumEntries = 5000

    private let state = Locked(State())
    private let maximum: Int
    /// The length of a generation, in seconds.
    private let period: Int64

    init(maximum: Int = 10, period: Int64 = 60) {
        self.maximum = maximum
        self.period = period
    }

    /// The clients that are remembered.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }

    /// Counts a wrong token.
    ///
    /// - Returns: the seconds until the next one may be sent, if this one is too many.
    func fail(_ address: String, at now: Int64) -> Int? {
        let client = Self.network(of: address)
        return state.withLock { state in
            // Clocks may be set back.
            let isOver = now - state.turned >= period || now < state.turned
            if isOver || state.young.count >= Self.maximumEntries {
                (state.old, state.young, state.turned) = (state.young, [:], now)
            }
            let known = state.young[client] ?? state.old.removeValue(forKey: client)
            var entry = known ?? Entry(count: 0, since: now)
            if now - entry.since >= period || now < entry.since { entry = Entry(count: 0, since: now) }
            entry.count += 1
            state.young[client] = entry
            return entry.count > maximum ? Int(period - (now - entry.since)) : nil
        }
    }

    /// Returns what one client may have of the network.
    static func network(of address: String) -> [UInt8] {
        guard let address = IPAddress(address) else { return Array(address.utf8) }
        return address.isIPv6 ? Array(address.bytes.prefix(8)) : address.bytes
    }
}
