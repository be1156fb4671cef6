import PawlCore
import PawlEngine

/// A directory of the simulated disk. Its changes become durable in the order in which they were made, and only through
/// its own sync.
final class SimulatedFolder {
    /// A name as far as this directory tells names apart.
    private enum Key: Hashable {
        case exact(ExactText)
        /// Equal by canonical equivalence.
        case folded(String)
    }

    private struct Entry {
        /// The name as it was spelled first.
        let name: String
        let inode: SimulatedInode
    }

    private enum Change {
        case link(String, SimulatedInode)
        case unlink(String)
        case rename(String, String)

        func apply(to entries: inout [Key: Entry], _ key: (String) -> Key) {
            switch self {
            case .link(let name, let inode): entries[key(name)] = Entry(name: name, inode: inode)
            case .unlink(let name): entries[key(name)] = nil
            case .rename(let name, let newName):
                let (old, new) = (key(name), key(newName))
                guard let inode = entries[old]?.inode else { return }
                // Another spelling of the same name is taken over; a file that replaces another has that one's.
                let spelling = old == new ? newName : entries[new]?.name ?? newName
                entries[old] = nil
                entries[new] = Entry(name: spelling, inode: inode)
            }
        }
    }

    let identity: FileIdentity
    private let folding: SimulatedDisk.NameFolding
    private var entries: [Key: Entry] = [:]
    private var durable: [Key: Entry] = [:]
    private var unsynced: [Change] = []

    init(_ identity: FileIdentity, folding: SimulatedDisk.NameFolding) {
        self.identity = identity
        self.folding = folding
    }

    subscript(_ name: String) -> SimulatedInode? { entries[key(name)]?.inode }

    /// Whether the two are one name here.
    func areOne(_ name: String, _ other: String) -> Bool { key(name) == key(other) }

    /// The files by their names: a dictionary's own order differs between runs.
    var files: [(name: String, inode: SimulatedInode)] {
        entries.values.map { ($0.name, $0.inode) }.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    var names: [String] { files.map(\.name) }

    var inodes: [SimulatedInode] { files.map(\.inode) }

    private func key(_ name: String) -> Key {
        switch folding {
        case .none: .exact(ExactText(name))
        case .forms: .folded(name)
        case .caseAndForms: .folded(name.uppercased().lowercased())
        }
    }

    func link(_ name: String, to inode: SimulatedInode) {
        inode.linkCount += 1
        change(.link(name, inode))
    }

    func unlink(_ name: String) {
        self[name]?.linkCount -= 1
        change(.unlink(name))
    }

    func rename(_ name: String, to newName: String) {
        guard !name.isExactly(newName) else { return }
        if !areOne(name, newName) { self[newName]?.linkCount -= 1 }
        change(.rename(name, newName))
    }

    private func change(_ change: Change) {
        change.apply(to: &entries, key)
        unsynced.append(change)
    }

    func sync() {
        durable = entries
        unsynced.removeAll(keepingCapacity: true)
    }

    /// Leaves the directory as after a power loss: the first few unsynced changes survive, the others do not.
    func losePower(_ chance: inout SimulatedChance) {
        for change in unsynced.prefix(Int.random(in: 0...unsynced.count, using: &chance)) {
            change.apply(to: &durable, key)
        }
        entries = durable
        unsynced.removeAll(keepingCapacity: true)
        for inode in inodes { inode.linkCount = 0 }
        for inode in inodes { inode.linkCount += 1 }
    }
}
