package import PawlCore
package import PawlEngine

/// A storage on which some syncs do nothing but report success, as for a program that forgets them.
///
/// A power-cut test that passes on this storage checks nothing.
package struct UnsyncedStorage: Storage {
    package enum Omission: CaseIterable, Sendable {
        case partialFile
        case journal
        case directory
        case fileSystem
    }

    let base: any Storage
    let omission: Omission

    package init(_ base: any Storage, without omission: Omission) {
        self.base = base
        self.omission = omission
    }

    package var owner: Owner { base.owner }

    package func isRunning(_ other: Owner) -> Bool? { base.isRunning(other) }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
        UnsyncedDirectory(base: try base.openDirectory(path), omission: omission)
    }
}

private struct UnsyncedDirectory: StorageDirectory {
    let base: any StorageDirectory
    let omission: UnsyncedStorage.Omission

    var path: String { base.path }
    var newFilePermissions: UInt16 { base.newFilePermissions }

    func create(_ name: String) throws(StorageError) -> any StorageFile { wrapped(try base.create(name), name) }

    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        wrapped(try base.open(name, writable: writable), name)
    }

    func createUnnamed() throws(StorageError) -> (any StorageFile)? {
        let file = try base.createUnnamed()
        return omission == .partialFile ? file.map { UnsyncedFile(base: $0) } : file
    }

    func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool {
        try base.link((file as? UnsyncedFile)?.base ?? file, to: name)
    }

    private func wrapped(_ file: any StorageFile, _ name: String) -> any StorageFile {
        let isOmitted =
            switch omission {
            case .partialFile: name.hasSuffix(".part")
            case .journal: name.hasSuffix(".pawl")
            case .directory, .fileSystem: false
            }
        return isOmitted ? UnsyncedFile(base: file) : file
    }

    func status(_ name: String) throws(StorageError) -> FileStatus? { try base.status(name) }
    func names() throws(StorageError) -> [String] { try base.names() }

    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        try base.rename(name, to: newName, replacing: replacing)
    }

    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        try base.remove(name, ifStill: identity)
    }

    func sync() throws(StorageError) {
        if omission != .directory { try base.sync() }
    }

    /// Without one of the others, each is synced by itself, and so left out where it is to be.
    func syncFileSystem() throws(StorageError) -> Bool { omission == .fileSystem }
    func identity() throws(StorageError) -> FileIdentity { try base.identity() }
    func availableBytes() throws(StorageError) -> Int64 { try base.availableBytes() }
}

private struct UnsyncedFile: StorageFile {
    let base: any StorageFile

    func syncData() throws(StorageError) {}
    func sync() throws(StorageError) {}

    func status() throws(StorageError) -> FileStatus { try base.status() }
    func allocate(_ size: Int64) throws(StorageError) -> Bool { try base.allocate(size) }
    func truncate(to size: Int64) throws(StorageError) { try base.truncate(to: size) }

    func copy(_ range: ByteRange, from other: any StorageFile) throws(StorageError) {
        try base.copy(range, from: (other as? UnsyncedFile)?.base ?? other)
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try base.write(bytes, at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try base.read(into: buffer, at: offset)
    }

    func lock() throws(StorageError) -> Bool { try base.lock() }
    func dropCache() { base.dropCache() }

    func setPermissions(_ mode: UInt16) throws(StorageError) { try base.setPermissions(mode) }
    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) { try base.setModified(secondsSinceEpoch) }
    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool { try base.setMark(mark) }
    func mark() throws(StorageError) -> [UInt8]? { try base.mark() }
    func removeMark() throws(StorageError) { try base.removeMark() }
    func nextData(from position: Int64) throws(StorageError) -> ByteRange? { try base.nextData(from: position) }
    func created() throws(StorageError) -> Int64? { try base.created() }
    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool {
        try base.setAttribute(name, to: value)
    }
    func attribute(_ name: String) throws(StorageError) -> [UInt8]? { try base.attribute(name) }
    func removeAttribute(_ name: String) throws(StorageError) { try base.removeAttribute(name) }
    func close() throws(StorageError) { try base.close() }
}
