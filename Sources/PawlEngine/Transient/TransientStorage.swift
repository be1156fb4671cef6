package import PawlCore
import Synchronization

/// A disk for one download, of which nothing remains: nothing is there before it, and its files are kept by what
/// `content` makes for each.
package final class TransientStorage: Storage {
    private let directory: TransientDirectory

    package init(_ content: @escaping @Sendable () -> any FileContent) {
        directory = TransientDirectory(content: content)
    }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory { directory }

    package var owner: Owner { Owner(processID: 0, bootID: [], startTime: 0, hostName: "") }

    package func isRunning(_ other: Owner) -> Bool? { false }

    /// Returns all bytes of the file of this name; nil if there is none.
    package func bytes(of name: String) throws(StorageError) -> [UInt8]? {
        guard let file = directory.file(name) else { return nil }
        return try file.read(Int(clamping: try file.status().size), at: 0)
    }
}

private final class TransientDirectory: StorageDirectory {
    private struct State {
        var files: [ExactText: TransientFile] = [:]
        var lastInode: UInt64 = 0
    }

    private let state = Locked(State())
    private let makeContent: @Sendable () -> any FileContent

    init(content: @escaping @Sendable () -> any FileContent) { makeContent = content }

    var path: String { "-" }

    func file(_ name: String) -> TransientFile? { state.withLock { $0.files[ExactText(name)] } }

    func create(_ name: String) throws(StorageError) -> any StorageFile {
        let content = makeContent()
        let made = state.withLock { state -> TransientFile? in
            guard state.files[ExactText(name)] == nil else { return nil }
            state.lastInode += 1
            let made = TransientFile(content, FileIdentity(device: 0, inode: state.lastInode))
            state.files[ExactText(name)] = made
            return made
        }
        guard let made else { throw StorageError(operation: "open", name: name, reason: .exists) }
        return made
    }

    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        guard let found = file(name) else { throw StorageError(operation: "open", name: name, reason: .notFound) }
        return found
    }

    func status(_ name: String) throws(StorageError) -> FileStatus? { try file(name)?.status() }

    func names() throws(StorageError) -> [String] { state.withLock { $0.files.keys.map(\.text) } }

    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        let failure = state.withLock { state -> StorageError.Reason? in
            guard let file = state.files[ExactText(name)] else { return .notFound }
            guard replacing || state.files[ExactText(newName)] == nil else { return .exists }
            state.files[ExactText(name)] = nil
            state.files[ExactText(newName)] = file
            return nil
        }
        if let failure { throw StorageError(operation: "rename", name: newName, reason: failure) }
    }

    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        let isOther = state.withLock { state -> Bool in
            guard let file = state.files[ExactText(name)] else { return false }
            guard file.identity == identity else { return true }
            state.files[ExactText(name)] = nil
            return false
        }
        if isOther { throw StorageError(operation: "unlink", name: name, reason: .exists) }
    }

    func sync() throws(StorageError) {}
    func availableBytes() throws(StorageError) -> Int64 { .max }
    func identity() throws(StorageError) -> FileIdentity { FileIdentity(device: 0, inode: 0) }
    var newFilePermissions: UInt16 { 0o600 }
}

private final class TransientFile: StorageFile {
    private let content: any FileContent
    let identity: FileIdentity
    private let size = Locked<Int64>(0)

    init(_ content: any FileContent, _ identity: FileIdentity) {
        self.content = content
        self.identity = identity
    }

    func status() throws(StorageError) -> FileStatus {
        FileStatus(
            identity: identity, kind: .regular, size: size.withLock { $0 }, occupied: 0, linkCount: 1,
            permissions: 0o600, modified: 0)
    }

    func allocate(_ size: Int64) throws(StorageError) -> Bool {
        self.size.withLock { $0 = max($0, size) }
        return false
    }

    func truncate(to size: Int64) throws(StorageError) { self.size.withLock { $0 = size } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        size.withLock { $0 = max($0, offset + Int64(bytes.count)) }
        try content.write(bytes, at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try content.read(into: buffer, at: offset)
    }

    func syncData() throws(StorageError) {}
    func sync() throws(StorageError) {}
    func dropCache() {}
    func lock() throws(StorageError) -> Bool { true }
    func setPermissions(_ mode: UInt16) throws(StorageError) {}
    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) {}
    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool { true }
    func mark() throws(StorageError) -> [UInt8]? { nil }
    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool { true }
    func attribute(_ name: String) throws(StorageError) -> [UInt8]? { nil }
    func close() throws(StorageError) {}
}
