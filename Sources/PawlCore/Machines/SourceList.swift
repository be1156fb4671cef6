/// Identifies one source of a download.
package struct SourceID: Hashable, Strideable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    /// The URL that the caller gave. Its mirrors follow, then those that a server named.
    package static let own = SourceID(0)

    package func distance(to other: SourceID) -> Int { other.number - number }

    package func advanced(by count: Int) -> SourceID { SourceID(number + count) }
}

/// The sources of one download, in the order in which they are tried. Sources are added, never removed, so an id
/// stays valid.
package struct SourceList: RandomAccessCollection, MutableCollection, Sendable {
    private var states: [SourceState]

    init(_ states: [SourceState]) { self.states = states }

    package var startIndex: SourceID { .own }

    package var endIndex: SourceID { SourceID(states.count) }

    package subscript(id: SourceID) -> SourceState {
        get { states[id.number] }
        // In place: a copy of the state would copy its ranges with every block stored.
        _modify { yield &states[id.number] }
    }

    mutating func append(_ state: SourceState) { states.append(state) }
}
