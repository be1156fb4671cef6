package import PawlCore
package import PawlEngine

/// An open file of a ``SimulatedDisk``, closed at the latest with its last reference.
package final class SimulatedFile: StorageFile {
    private let disk: SimulatedDisk
    let handle: Int
    private let name: String
    private let generation: Int

    init(disk: SimulatedDisk, handle: Int, name: String, generation: Int) {
        self.disk = disk
        self.handle = handle
        self.name = name
        self.generation = generation
    }

    deinit {
        disk.release(handle: handle)
    }

    package func status() throws(StorageError) -> FileStatus {
        try read(.fileStatus) { state, inode in
            var status = inode.status
            if !state.features.tellsHoles { status.occupied = max(status.occupied, status.size) }
            return status
        }
    }

    package func allocate(_ size: Int64) throws(StorageError) -> Bool {
        try change(.allocate) { state, inode throws(StorageError.Reason) in try state.allocate(inode, size) }
    }

    package func truncate(to size: Int64) throws(StorageError) {
        try change(.truncate) { state, inode throws(StorageError.Reason) in try state.truncate(inode, to: size) }
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try change(.write) { state, inode in
            state.writePart(inode, bytes, at: offset)
        } _: { state, inode throws(StorageError.Reason) in
            try state.write(inode, bytes, at: offset)
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try read(.read) { _, inode throws(StorageError.Reason) in
            guard offset >= 0 else { throw .other(errno: 22) }
            return inode.read(into: buffer, at: offset)
        }
    }

    package func syncData() throws(StorageError) {
        try read(.syncData) { _, inode in
            inode.loseUnsynced()
        } _: { _, inode throws(StorageError.Reason) in
            try inode.reportUnseenError()
            inode.syncData()
        }
    }

    package func sync() throws(StorageError) {
        try read(.sync) { _, inode in
            inode.loseUnsynced()
        } _: { _, inode throws(StorageError.Reason) in
            try inode.reportUnseenError()
            inode.sync()
        }
    }

    package func lock() throws(StorageError) -> Bool {
        try change(.lock) { state, inode throws(StorageError.Reason) in
            guard state.features.hasLocks else { throw .notSupported }
            guard inode.lockHolder == nil || inode.lockHolder == handle else { return false }
            inode.lockHolder = handle
            return true
        }
    }

    /// Does nothing: data that a failed sync lost reads back until a power loss, and systems need not take the advice.
    package func dropCache() {}

    package func setPermissions(_ mode: UInt16) throws(StorageError) {
        try read(.setPermissions) { $1.attributes.permissions = mode & 0o7777 }
    }

    package func setModified(_ secondsSinceEpoch: Int64) throws(StorageError) {
        try read(.setModified) { $1.attributes.modified = secondsSinceEpoch }
    }

    package func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool {
        try change(.setMark) { state, inode in
            guard state.features.hasMarks else { return false }
            inode.attributes.mark = mark
            return true
        }
    }

    package func mark() throws(StorageError) -> [UInt8]? {
        try read(.mark) { $1.attributes.mark }
    }

    package func removeMark() throws(StorageError) {
        try change(.setMark) { $1.attributes.mark = nil }
    }

    package func nextData(from position: Int64) throws(StorageError) -> ByteRange? {
        try read(.fileStatus) { state, inode in
            guard !state.features.tellsHoles else { return inode.nextData(from: position) }
            return position < inode.size ? ByteRange(position..<inode.size) : nil
        }
    }

    package func created() throws(StorageError) -> Int64? {
        try read(.fileStatus) { state, inode in state.features.recordsCreation ? inode.created : nil }
    }

    package func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool {
        try change(.setAttribute) { state, inode throws(StorageError.Reason) in
            guard state.features.hasMarks else { return false }
            // All extended attributes of a file must fit into one block.
            guard value.count <= 4096 else { throw .noSpace }
            inode.attributes.extended[name] = value
            return true
        }
    }

    package func attribute(_ name: String) throws(StorageError) -> [UInt8]? {
        try read(.attribute) { state, inode throws(StorageError.Reason) in
            guard state.features.hasMarks else { throw .notSupported }
            return inode.attributes.extended[name]
        }
    }

    package func removeAttribute(_ name: String) throws(StorageError) {
        try change(.setAttribute) { $1.attributes.extended[name] = nil }
    }

    /// A close that is made to fail still closes the file, as on Linux.
    package func close() throws(StorageError) {
        guard disk.isOpen(handle) else { return }
        try disk.perform(.close, name, generation: generation) { [handle] in
            $0.close(handle)
        } _: { [handle] in
            $0.close(handle)
        }
    }
}

extension SimulatedFile {
    private typealias Body<Result> = (inout SimulatedDiskState, SimulatedInode) throws(StorageError.Reason) -> Result
    private typealias Fault = (inout SimulatedDiskState, SimulatedInode) -> Void

    /// Performs a call that any open file allows.
    private func read<Result: Sendable>(
        _ operation: SimulatedDisk.Operation, faulted: Fault = { _, _ in }, _ body: Body<Result>
    ) throws(StorageError) -> Result {
        try disk.perform(operation, name, generation: generation) { state in
            if let inode = state.handles[handle]?.inode { faulted(&state, inode) }
        } _: { state throws(StorageError.Reason) in
            try body(&state, state.handle(handle).inode)
        }
    }

    /// Performs a call that only a file open for writing allows.
    private func change<Result: Sendable>(
        _ operation: SimulatedDisk.Operation, faulted: Fault = { _, _ in }, _ body: Body<Result>
    ) throws(StorageError) -> Result {
        try read(operation, faulted: faulted) { state, _ throws(StorageError.Reason) in
            try body(&state, state.writableInode(handle))
        }
    }
}

extension SimulatedInode {
    /// Reports the error once, to the first caller that syncs.
    fileprivate func reportUnseenError() throws(StorageError.Reason) {
        guard hasUnseenError else { return }
        hasUnseenError = false
        loseUnsynced()
        throw .inputOutput
    }
}
