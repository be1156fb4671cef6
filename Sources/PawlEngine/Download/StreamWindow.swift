package import PawlCore
import Synchronization

/// The unread part of a stream: bytes go in at any position, and come out in order.
///
/// The machine ensures that nothing far ahead of the reader goes in; bytes already read are dropped.
package final class StreamWindow: Sendable {
    private struct State {
        /// By the position of their first byte; none overlaps another.
        var pieces: [Int64: [UInt8]] = [:]
        var held = RangeSet()
        var position: Int64 = 0
        var isEnded = false
        var waiter: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    package init() {}

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        let waiter = state.withLock { state -> (@Sendable () -> Void)? in
            let range = ByteRange(offset..<offset + Int64(bytes.count))
            var missing = RangeSet(range)
            missing.remove(ByteRange(0..<max(0, state.position)))
            missing.subtract(state.held)
            for part in missing.ranges {
                // Proven: the part lies within the bytes.
                let first = Int(part.start - offset)
                state.pieces[part.start] = Array(bytes[first..<first + Int(part.count)])
                state.held.insert(part)
            }
            guard state.pieces[state.position] != nil else { return nil }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }

    /// Nothing more will come.
    package func end() {
        let waiter = state.withLock { state -> (@Sendable () -> Void)? in
            state.isEnded = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?()
    }

    package enum Next: Sendable {
        case bytes([UInt8])
        /// `ready` will be called once.
        case wait
        case ended
    }

    /// The next bytes in order; they leave the window. For one reader.
    package func next(ready: @escaping @Sendable () -> Void) -> Next {
        state.withLock { state in
            guard let bytes = state.pieces.removeValue(forKey: state.position) else {
                if state.isEnded { return .ended }
                state.waiter = ready
                return .wait
            }
            state.position += Int64(bytes.count)
            state.held.remove(ByteRange(0..<state.position))
            return .bytes(bytes)
        }
    }

    /// How many bytes were taken.
    package var position: Int64 { state.withLock { $0.position } }

    /// How many are held.
    package var count: Int64 { state.withLock { $0.held.count } }
}

/// A disk for one download whose bytes go to a ``StreamWindow``: nothing is there before it, and nothing remains.
package struct StreamStorage: Storage {
    private let window: StreamWindow

    package init(_ window: StreamWindow) { self.window = window }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory { StreamDirectory(window: window) }

    package var owner: Owner { Owner(processID: 0, bootID: [], startTime: 0, hostName: "") }

    package func isRunning(_ other: Owner) -> Bool? { false }
}

private final class StreamDirectory: StorageDirectory {
    private let window: StreamWindow
    private let file = Locked<(name: String, file: StreamFile)?>(nil)

    init(window: StreamWindow) { self.window = window }

    var path: String { "-" }

    func create(_ name: String) throws(StorageError) -> any StorageFile {
        let made = StreamFile(window: window)
        file.withLock { $0 = (name, made) }
        return made
    }

    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        throw StorageError(operation: "open", name: name, reason: .notFound)
    }

    func status(_ name: String) throws(StorageError) -> FileStatus? {
        try file.withLock { $0?.name == name ? $0?.file : nil }?.status()
    }

    func names() throws(StorageError) -> [String] { [] }

    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        file.withLock { $0?.name = newName }
    }

    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) { file.withLock { $0 = nil } }
    func sync() throws(StorageError) {}
    func availableBytes() throws(StorageError) -> Int64 { .max }
    func fileSystem() throws(StorageError) -> UInt64 { 0 }
    var newFilePermissions: UInt16 { 0o600 }
}

private final class StreamFile: StorageFile {
    private let window: StreamWindow
    private let size = Locked<Int64>(0)

    init(window: StreamWindow) { self.window = window }

    func status() throws(StorageError) -> FileStatus {
        FileStatus(
            identity: FileIdentity(device: 0, inode: 1), kind: .regular, size: size.withLock { $0 }, occupied: 0, linkCount: 1,
            permissions: 0o600, modified: 0)
    }

    func allocate(_ size: Int64) throws(StorageError) -> Bool {
        self.size.withLock { $0 = max($0, size) }
        return false
    }

    func truncate(to size: Int64) throws(StorageError) { self.size.withLock { $0 = size } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        size.withLock { $0 = max($0, offset + Int64(bytes.count)) }
        window.write(bytes, at: offset)
    }

    /// Bytes handed over cannot be read again.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        throw StorageError(operation: "read", name: "-", reason: .notSupported)
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
