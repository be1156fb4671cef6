import PawlEngine

/// A directory of the simulated disk. Its changes become durable in the order in which they were made, and only through
/// its own sync.
final class SimulatedFolder {
    private enum Change {
        case link(String, SimulatedInode)
        case unlink(String)
        case rename(String, String)

        func apply(to entries: inout [String: SimulatedInode]) {
            switch self {
            case .link(let name, let inode): entries[name] = inode
            case .unlink(let name): entries[name] = nil
            case .rename(let name, let newName):
                entries[newName] = entries[name]
                entries[name] = nil
            }
        }
    }

    let identity: FileIdentity
    private(set) var entries: [String: SimulatedInode] = [:]
    private var durable: [String: SimulatedInode] = [:]
    private var unsynced: [Change] = []

    init(_ identity: FileIdentity) { self.identity = identity }

    subscript(_ name: String) -> SimulatedInode? { entries[name] }

    /// In the order of their names: a dictionary's own order differs between runs.
    var inodes: [SimulatedInode] {
        entries.sorted { $0.key < $1.key }.map(\.value)
    }

    func link(_ name: String, to inode: SimulatedInode) {
        inode.linkCount += 1
        change(.link(name, inode))
    }

    func unlink(_ name: String) {
        entries[name]?.linkCount -= 1
        change(.unlink(name))
    }

    func rename(_ name: String, to newName: String) {
        guard name != newName else { return }
        entries[newName]?.linkCount -= 1
        change(.rename(name, newName))
    }

    private func change(_ change: Change) {
        change.apply(to: &entries)
        unsynced.append(change)
    }

    func sync() {
        durable = entries
        unsynced.removeAll(keepingCapacity: true)
    }

    /// Leaves the directory as after a power loss: the first few unsynced changes survive, the others do not.
    func losePower(_ chance: inout SimulatedChance) {
        for change in unsynced.prefix(Int.random(in: 0...unsynced.count, using: &chance)) {
            change.apply(to: &durable)
        }
        entries = durable
        unsynced.removeAll(keepingCapacity: true)
        for inode in entries.values { inode.linkCount = 0 }
        for inode in entries.values { inode.linkCount += 1 }
    }
}
