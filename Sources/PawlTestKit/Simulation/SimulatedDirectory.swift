package import PawlCore
package import PawlEngine

/// An open directory of a ``SimulatedDisk``.
package struct SimulatedDirectory: StorageDirectory {
    private let disk: SimulatedDisk
    package let path: String
    private let generation: Int

    init(disk: SimulatedDisk, path: String, generation: Int) {
        self.disk = disk
        self.path = path
        self.generation = generation
    }

    package var newFilePermissions: UInt16 { 0o644 }

    package func create(_ name: String) throws(StorageError) -> any StorageFile {
        let handle = try perform(.create, name) { state, folder throws(StorageError.Reason) in
            guard folder[name] == nil else { throw .exists }
            let inode = state.makeInode(kind: .regular, permissions: 0o600)
            folder.link(name, to: inode)
            return state.open(inode, writable: true)
        }
        return SimulatedFile(disk: disk, handle: handle, name: name, generation: generation)
    }

    package func createUnnamed() throws(StorageError) -> (any StorageFile)? {
        let handle = try perform(.createUnnamed, nil) { state, _ -> Int? in
            guard state.features.hasUnnamedFiles else { return nil }
            return state.open(state.makeInode(kind: .regular, permissions: newFilePermissions), writable: true)
        }
        return handle.map { SimulatedFile(disk: disk, handle: $0, name: path, generation: generation) }
    }

    package func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool {
        guard let file = file as? SimulatedFile else { return false }
        return try perform(.link, name) { state, folder throws(StorageError.Reason) in
            guard state.features.linksUnnamedFiles else { return false }
            guard folder[name] == nil else { throw .exists }
            folder.link(name, to: try state.handle(file.handle).inode)
            return true
        }
    }

    package func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile {
        let handle = try perform(.open, name) { state, folder throws(StorageError.Reason) in
            guard let inode = folder[name] else { throw .notFound }
            switch inode.kind {
            case .regular: return state.open(inode, writable: writable)
            case .directory: throw .isADirectory
            case .symbolicLink: throw .symbolicLink
            case .other: throw .notSupported
            }
        }
        return SimulatedFile(disk: disk, handle: handle, name: name, generation: generation)
    }

    package func status(_ name: String) throws(StorageError) -> FileStatus? {
        try perform(.status, name) { [path] state, folder in
            folder[name]?.status ?? state.folders["\(path)/\(name)"].map { FileStatus(directory: $0.identity) }
        }
    }

    package func names() throws(StorageError) -> [String] {
        try perform(.names, nil) { [path] state, folder in state.names(folder, at: path) }
    }

    package func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError) {
        if !replacing, disk.features.renamesByLinking { return try renameByLinking(name, to: newName) }
        try perform(.rename, name) { state, folder throws(StorageError.Reason) in
            try Self.check(newName)
            guard folder[name] != nil else { throw .notFound }
            // Another spelling of the same name is free.
            let replaced = folder.areOne(name, newName) ? nil : folder[newName]
            guard replacing || replaced == nil else { throw .exists }
            guard replaced?.kind != .directory else { throw .isADirectory }
            folder.rename(name, to: newName)
            if let replaced { state.freeSpace(of: replaced) }
        }
    }

    /// The process may end between the two calls.
    private func renameByLinking(_ name: String, to newName: String) throws(StorageError) {
        try perform(.rename, name) { _, folder throws(StorageError.Reason) in
            try Self.check(newName)
            guard let inode = folder[name] else { throw .notFound }
            guard folder[newName] == nil else { throw .exists }
            folder.link(newName, to: inode)
        }
        try perform(.remove, name) { _, folder in folder.unlink(name) }
    }

    package func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError) {
        try perform(.remove, name) { state, folder throws(StorageError.Reason) in
            guard let inode = folder[name] else { return }
            guard inode.identity == identity else { throw .exists }
            guard inode.kind != .directory else { throw .isADirectory }
            folder.unlink(name)
            state.freeSpace(of: inode)
        }
    }

    /// A failed sync leaves the changes as they were: some may be durable, and all are after the next successful sync.
    package func sync() throws(StorageError) {
        try perform(.directorySync, nil) { _, folder in folder.sync() }
    }

    /// A failed one loses what was not durable. Whoever syncs one of the files later is told.
    package func syncFileSystem() throws(StorageError) -> Bool {
        try disk.perform(.fileSystemSync, path, generation: generation) { state in
            state.failWriteback()
        } _: { state throws(StorageError.Reason) in
            guard state.features.syncsFileSystems else { return false }
            try state.sync()
            return true
        }
    }

    package func identity() throws(StorageError) -> FileIdentity {
        try perform(.fileStatus, nil) { _, folder in folder.identity }
    }

    package func availableBytes() throws(StorageError) -> Int64 {
        try perform(.availableBytes, nil) { state, _ in state.available }
    }
}

extension SimulatedDirectory {
    private func perform<Result: Sendable>(
        _ operation: SimulatedDisk.Operation, _ name: String?,
        _ body: (inout SimulatedDiskState, SimulatedFolder) throws(StorageError.Reason) -> Result
    ) throws(StorageError) -> Result {
        try disk.perform(operation, name ?? path, generation: generation) { state throws(StorageError.Reason) in
            if let name { try Self.check(name) }
            guard let folder = state.folders[path] else { throw .stale }
            return try body(&state, folder)
        }
    }

    /// Answers such names as a system does, or as the live storage does where the system would take them for a path.
    private static func check(_ name: String) throws(StorageError.Reason) {
        let isComponent = !name.isEmpty && name != "." && name != ".."
        guard isComponent, !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) else {
            throw .other(errno: 22)
        }
        guard name.utf8.count <= 255 else { throw .nameTooLong }
    }
}

extension FileStatus {
    fileprivate init(directory identity: FileIdentity) {
        self.init(
            identity: identity, kind: .directory, size: 0, occupied: 0, linkCount: 2, permissions: 0o755, modified: 0)
    }
}
