package import PawlCore
package import PawlEngine
import Synchronization

/// A fault layer over any storage: the calls that a ``FaultPlan`` names fail, capabilities can be taken away, and a
/// test can act at the very moment of a call. All other calls pass through.
package final class FaultyStorage: Storage {
    package typealias Operation = SimulatedDisk.Operation

    package struct Call: Hashable, Sendable {
        package let operation: Operation
        /// The file's name, or a directory's path.
        package let name: String
    }

    /// How much of its work a failing call has done before it reports the error.
    package enum Extent: Hashable, Sendable, CaseIterable {
        /// Nothing, except that a write has written its first half and a close has closed the file, as on Linux.
        case none
        /// All of it: only the reply is wrong, as when a file server's reply is lost.
        case all
    }

    fileprivate struct State {
        var plan: FaultPlan
        var calls: [Call] = []
        var failures: [Call] = []
        var openFiles = 0
        var before: (@Sendable (Call) -> Void)?
    }

    fileprivate let state: Locked<State>
    fileprivate let extent: Extent
    fileprivate let features: SimulatedDisk.Features
    private let base: any Storage

    package init(
        _ base: any Storage, _ plan: FaultPlan = FaultPlan(), extent: Extent = .none,
        features: SimulatedDisk.Features = SimulatedDisk.Features()
    ) {
        self.base = base
        self.extent = extent
        self.features = features
        state = Locked(State(plan: plan))
    }

    /// Sets an action that runs on the calling thread before each call; it may block, as a slow disk does.
    package func before(_ action: @escaping @Sendable (Call) -> Void) { state.withLock { $0.before = action } }

    package var plan: FaultPlan {
        get { state.withLock { $0.plan } }
        set { state.withLock { $0.plan = newValue } }
    }

    /// Every call so far, in order.
    package var calls: [Call] { state.withLock { $0.calls } }

    /// The calls that were made to fail.
    package var failures: [Call] { state.withLock { $0.failures } }

    package func count(of operation: Operation) -> Int { calls.count { $0.operation == operation } }

    /// Files that were opened and not closed.
    package var openFileCount: Int { state.withLock { $0.openFiles } }

    package var owner: Owner { base.owner }

    package func isRunning(_ other: Owner) -> Bool? { base.isRunning(other) }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
        FaultyDirectory(
            storage: self,
            base: try perform(.openDirectory, path) { () throws(StorageError) in try base.openDirectory(path) })
    }

    fileprivate func perform<Result>(
        _ operation: Operation, _ name: String, faulted: () -> Void = {}, _ body: () throws(StorageError) -> Result
    ) throws(StorageError) -> Result {
        let call = Call(operation: operation, name: name)
        let (reason, before) = state.withLock { state in
            state.calls.append(call)
            let reason = state.plan.next(operation)
            if reason != nil { state.failures.append(call) }
            return (reason, state.before)
        }
        before?(call)
        guard let reason else { return try body() }
        switch extent {
        case .none: faulted()
        case .all: _ = try body()
        }
        throw StorageError(operation: operation.call, name: name, reason: reason)
    }
}

private struct FaultyDirectory: StorageDirectory {
    let storage: FaultyStorage
    let base: any StorageDirectory

    var path: String { base.path }
    var newFilePermissions: UInt16 { base.newFilePermissions }

    func create(_ name: String) throws(StorageError) -> any StorageFile {
        FaultyFile(
            storage, name, try storage.perform(.create, name) { () throws(StorageError) in try base.create(name) })
    }

    func createUnnamed() throws(StorageError) -> (any StorageFile)? {
        guard storage.features.hasUnnamedFiles else { return nil }
        let file = try storage.perform(.createUnnamed, path) { () throws(StorageError) in try base.createUnnamed() }
        return file.map { FaultyFile(storage, path, $0) }
    }

    func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool {
        guard storage.features.linksUnnamedFiles, let file = file as? FaultyFile else { return false }
        return try storage.perform(.link, name) { () throws(StorageError) in try base.link(file.base, to: name) }
    }

    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        FaultyFile(
            storage, name,
            try storage.perform(.open, name) { () throws(StorageError) in try base.open(name, writable: writable) })
    }

    func status(_ name: String) throws(StorageError) -> FileStatus? {
        try storage.perform(.status, name) { () throws(StorageError) in try base.status(name) }
    }

    func names() throws(StorageError) -> [String] {
        try storage.perform(.names, path) { () throws(StorageError) in try base.names() }
    }

    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        try storage.perform(.rename, name) { () throws(StorageError) in
            try base.rename(name, to: newName, replacing: replacing)
        }
    }

    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        try storage.perform(.remove, name) { () throws(StorageError) in try base.remove(name, ifStill: identity) }
    }

    func sync() throws(StorageError) {
        try storage.perform(.directorySync, path) { () throws(StorageError) in try base.sync() }
    }

    func syncFileSystem() throws(StorageError) -> Bool {
        guard storage.features.syncsFileSystems else { return false }
        return try storage.perform(.fileSystemSync, path) { () throws(StorageError) in try base.syncFileSystem() }
    }

    func identity() throws(StorageError) -> FileIdentity {
        try storage.perform(.fileStatus, path) { () throws(StorageError) in try base.identity() }
    }

    func availableBytes() throws(StorageError) -> Int64 {
        try storage.perform(.availableBytes, path) { () throws(StorageError) in try base.availableBytes() }
    }
}

private final class FaultyFile: StorageFile {
    private let storage: FaultyStorage
    private let name: String
    let base: any StorageFile
    private let isOpen = Locked(true)

    init(_ storage: FaultyStorage, _ name: String, _ base: any StorageFile) {
        self.storage = storage
        self.name = name
        self.base = base
        storage.state.withLock { $0.openFiles += 1 }
    }

    deinit { noteClosed() }

    private func noteClosed() {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { storage.state.withLock { $0.openFiles -= 1 } }
    }

    func status() throws(StorageError) -> FileStatus {
        try storage.perform(.fileStatus, name) { () throws(StorageError) in try base.status() }
    }

    func allocate(_ size: Int64) throws(StorageError) -> Bool {
        try storage.perform(.allocate, name) { () throws(StorageError) in
            if storage.features.reservesSpace { return try base.allocate(size) }
            try base.truncate(to: size)
            return false
        }
    }

    func truncate(to size: Int64) throws(StorageError) {
        try storage.perform(.truncate, name) { () throws(StorageError) in try base.truncate(to: size) }
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try storage.perform(.write, name) {
            try? base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
        } _: { () throws(StorageError) in
            try base.write(bytes, at: offset)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try storage.perform(.read, name) { () throws(StorageError) in try base.read(into: buffer, at: offset) }
    }

    func syncData() throws(StorageError) {
        try storage.perform(.syncData, name) { () throws(StorageError) in try base.syncData() }
    }

    func sync() throws(StorageError) {
        try storage.perform(.sync, name) { () throws(StorageError) in try base.sync() }
    }

    func lock() throws(StorageError) -> Bool {
        try storage.perform(.lock, name) { () throws(StorageError) in
            guard storage.features.hasLocks else {
                throw StorageError(operation: "fcntl", name: name, reason: .notSupported)
            }
            return try base.lock()
        }
    }

    func dropCache() { base.dropCache() }

    func setPermissions(_ mode: UInt16) throws(StorageError) {
        try storage.perform(.setPermissions, name) { () throws(StorageError) in try base.setPermissions(mode) }
    }

    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) {
        try storage.perform(.setModified, name) { () throws(StorageError) in try base.setModified(secondsSinceEpoch) }
    }

    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool {
        try storage.perform(.setMark, name) { () throws(StorageError) in
            storage.features.hasMarks ? try base.setMark(mark) : false
        }
    }

    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool {
        try storage.perform(.setAttribute, self.name) { () throws(StorageError) in
            storage.features.hasMarks ? try base.setAttribute(name, to: value) : false
        }
    }

    func attribute(_ name: String) throws(StorageError) -> [UInt8]? {
        try storage.perform(.attribute, self.name) { () throws(StorageError) in
            guard storage.features.hasMarks else {
                throw StorageError(operation: "fgetxattr", name: self.name, reason: .notSupported)
            }
            return try base.attribute(name)
        }
    }

    func removeAttribute(_ name: String) throws(StorageError) {
        try storage.perform(.setAttribute, self.name) { () throws(StorageError) in
            if storage.features.hasMarks { try base.removeAttribute(name) }
        }
    }

    func mark() throws(StorageError) -> [UInt8]? {
        try storage.perform(.mark, name) { () throws(StorageError) in storage.features.hasMarks ? try base.mark() : nil
        }
    }

    func removeMark() throws(StorageError) {
        try storage.perform(.setMark, name) { () throws(StorageError) in
            if storage.features.hasMarks { try base.removeMark() }
        }
    }

    func nextData(from position: Int64) throws(StorageError) -> ByteRange? { try base.nextData(from: position) }

    func created() throws(StorageError) -> Int64? { try base.created() }

    func close() throws(StorageError) {
        guard isOpen.withLock({ $0 }) else { return }
        noteClosed()
        try storage.perform(.close, name) {
            try? base.close()
        } _: { () throws(StorageError) in
            try base.close()
        }
    }
}
