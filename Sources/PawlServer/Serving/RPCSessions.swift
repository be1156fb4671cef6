import PawlCore
import PawlEngine
import Synchronization

/// The sessions that have not shown the token. Without a bound they could keep the owner out.
///
/// Places are shared out fairly: the one that comes when all are taken gets one from the network with the most, and
/// there from the page with the most. Whoever fills the places therefore loses its own, and a session of the owner has
/// one until it has shown the token, which takes it a moment.
final class RPCSessions: Sendable {
    /// Programs of this machine, which may listen without a token, and all others: neither takes the places of the
    /// other.
    enum Kind: CaseIterable { case local, foreign }

    /// A page of one origin, or all programs that name none, at an address.
    private struct Party: Hashable, Sendable {
        var network: [UInt8]
        var origin: ExactText?

        init(_ client: ClientIdentity) {
            network = AttemptLimit.network(of: client.address)
            origin = client.origin.map { ExactText($0) }
        }
    }

    /// A place that a session has taken.
    struct Place: Hashable, Sendable {
        fileprivate let kind: Kind
        fileprivate let number: UInt64
    }

    private struct Session: Sendable {
        var place: Place
        var party: Party
        var end: @Sendable () -> Void
    }

    private struct State {
        /// The sessions of each kind, oldest first.
        var sessions: [Kind: [Session]] = [:]
        var next: UInt64 = 0
    }

    /// The most sessions of a kind.
    static let maximum = 64

    private let state = Locked(State())

    /// Takes a place, and ends the session that has to make way.
    ///
    /// - Parameter end: called on any thread, if the session has to make way for another.
    /// - Returns: nil for a page that has the most places itself.
    func enter(_ kind: Kind, _ client: ClientIdentity, _ end: @escaping @Sendable () -> Void) -> Place? {
        let party = Party(client)
        let (place, former) = state.withLock { state -> (Place?, Session?) in
            var sessions = state.sessions[kind] ?? []
            var former: Session?
            if sessions.count >= Self.maximum {
                guard let index = Self.index(thatMakesWayFor: party, in: sessions) else { return (nil, nil) }
                former = sessions.remove(at: index)
            }
            state.next += 1
            let place = Place(kind: kind, number: state.next)
            sessions.append(Session(place: place, party: party, end: end))
            state.sessions[kind] = sessions
            return (place, former)
        }
        former?.end()
        return place
    }

    /// Gives a place back; nothing happens if the session had to make way.
    func leave(_ place: Place) { state.withLock { $0.sessions[place.kind]?.removeAll { $0.place == place } } }

    /// Returns the oldest session of the largest party in the largest network, the new one counted with them.
    private static func index(thatMakesWayFor party: Party, in sessions: [Session]) -> Int? {
        let parties = sessions.map(\.party) + [party]
        let networks = Dictionary(parties.map { ($0.network, 1) }, uniquingKeysWith: +)
        let most = networks.values.max()
        guard let network = sessions.first(where: { networks[$0.party.network] == most })?.party.network else {
            return nil
        }
        let counts = Dictionary(
            parties.filter { $0.network == network }.map { ($0, 1) }, uniquingKeysWith: +)
        let largest = counts.values.max()
        guard let index = sessions.firstIndex(where: { counts[$0.party] == largest }) else { return nil }
        // A page is one program, which has enough. Programs may be those of several users, or behind one proxy.
        return party.origin != nil && sessions[index].party == party ? nil : index
    }
}
