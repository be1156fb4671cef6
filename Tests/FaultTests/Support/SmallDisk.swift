import Pawl
import PawlCore
import PawlEngine

/// The real disk, reporting less free space than it has, and less still as the partial file grows.
struct SmallDisk: Storage {
    private let base = POSIXStorage()
    private let capacity: Int64

    init(available: Int64) { capacity = available }

    var owner: Owner { base.owner }

    func isRunning(_ other: Owner) -> Bool? { base.isRunning(other) }

    func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
        SmallDirectory(base: try base.openDirectory(path), capacity: capacity)
    }
}

private struct SmallDirectory: StorageDirectory {
    let base: any StorageDirectory
    let capacity: Int64

    func availableBytes() throws(StorageError) -> Int64 {
        max(0, capacity - (try base.status(Trial.name + ".part")?.size ?? 0))
    }

    func identity() throws(StorageError) -> FileIdentity { try base.identity() }

    var path: String { base.path }
    var newFilePermissions: UInt16 { base.newFilePermissions }
    func create(_ name: String) throws(StorageError) -> any StorageFile { try base.create(name) }
    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        try base.open(name, writable: writable)
    }
    func status(_ name: String) throws(StorageError) -> FileStatus? { try base.status(name) }
    func names() throws(StorageError) -> [String] { try base.names() }
    func sync() throws(StorageError) { try base.sync() }

    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        try base.rename(name, to: newName, replacing: replacing)
    }

    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        try base.remove(name, ifStill: identity)
    }
}
