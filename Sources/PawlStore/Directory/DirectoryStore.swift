package import PawlCore
package import PawlEngine
import Synchronization

/// A ``Store`` in a directory, which machines may share: on a local disk, NFS, or a cluster's file system.
///
/// An object has no name before it is whole and durable, and gets it by a call that fails where the name is taken:
/// `link`, or a rename that does not replace.
package final class DirectoryStore: Store {
    package let path: String
    private let storage: any Storage
    private let runtime: any Runtime
    private let digests: any DigestFactory
    private let makeDirectory: @Sendable (_ path: String) -> StorageError?
    private let writing: any WorkExecutor
    /// The folders in which this process has looked for what killed runs left.
    private let cleaned = Locked<Set<ExactText>>([])

    /// - Parameters:
    ///   - path: an existing directory.
    ///   - makeDirectory: makes a directory in an existing one, and returns what keeps it from that. It is no error if
    ///     it is there.
    package init(
        _ path: String, storage: any Storage, runtime: any Runtime, digests: any DigestFactory,
        makeDirectory: @escaping @Sendable (_ path: String) -> StorageError?
    ) {
        (self.path, self.storage, self.runtime, self.digests) = (path, storage, runtime, digests)
        self.makeDirectory = makeDirectory
        writing = runtime.makeSyncExecutor()
    }

    package func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
        submit(to: writing, ended) { [self] () throws(StorageError) in try create(key, body) }
    }

    package func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) {
        submit(to: writing, ended) { [self] () throws(StorageError) in
            guard try create(key, body) == .exists else { return }
            let directory = try folder(of: key)
            let temporary = try temporary(for: key, in: directory, body)
            try name(temporary, key.name, in: directory, replacing: true)
        }
    }

    package func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) {
        submit(to: runtime.diskExecutor, ended) { [self] () throws(StorageError) in
            guard let directory = try existingFolder(key.folders),
                let file = try unlessMissing({ () throws(StorageError) in
                    try directory.open(key.name, writable: false)
                })
            else { return nil }
            let status = try file.status()
            // Another process may have been killed before it could make the name durable.
            try directory.sync()
            return StoreBody(file, length: status.size)
        }
    }

    package func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) {
        submit(to: writing, ended) { [self] () throws(StorageError) in
            guard let directory = try existingFolder(key.folders), let status = try directory.status(key.name) else {
                return
            }
            try directory.remove(key.name, ifStill: status.identity)
            try directory.sync()
        }
    }

    package func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
        submit(to: runtime.diskExecutor, ended) { [self] () throws(StorageError) in
            StorePage(try objects(beneath: [folder]).sorted { $0.key < $1.key })
        }
    }

    // MARK: Steps

    private func create(_ key: StoreKey, _ body: StoreBody) throws(StorageError) -> StoreCreation {
        let directory = try folder(of: key)
        if try directory.status(key.name) != nil {
            try directory.sync()
            return .exists
        }
        if let file = try directory.createUnnamed() {
            // The file is gone with the last descriptor, unless it has a name by then.
            defer { try? file.close() }
            try fill(file, with: body, for: key.name)
            do throws(StorageError) {
                if try directory.link(file, to: key.name) {
                    try directory.sync()
                    return .created
                }
            } catch {
                guard error.reason == .exists else { throw error }
                try directory.sync()
                // A reply that was lost, as over a network.
                return (try? directory.names(file, key.name)) == true ? .created : .exists
            }
        }
        let temporary = try temporary(for: key, in: directory, body)
        do throws(StorageError) {
            try name(temporary, key.name, in: directory, replacing: false)
            return .created
        } catch {
            guard error.reason == .exists else { throw error }
            try directory.sync()
            return .exists
        }
    }

    private typealias Temporary = (file: any StorageFile, name: String)

    /// Returns a file that has all bytes, durably, and a name that no reader takes for an object's.
    private func temporary(
        for key: StoreKey, in directory: any StorageDirectory, _ body: StoreBody
    ) throws(StorageError) -> Temporary {
        let folder = ExactText(key.folders.joined(separator: "/"))
        if cleaned.withLock({ $0.insert(folder).inserted }) { try removeLeftovers(in: directory) }
        let (file, temporary) = try directory.createTemporary(for: key.name, runtime.random())
        do throws(StorageError) {
            try file.setPermissions(directory.newFilePermissions)
            try fill(file, with: body, for: key.name)
        } catch {
            remove((file, temporary), from: directory)
            throw error
        }
        return (file, temporary)
    }

    /// Removes the files that killed runs left. Locks may be seen on one machine only, but those of runs that are at
    /// work are younger.
    private func removeLeftovers(in directory: any StorageDirectory) throws(StorageError) {
        let latest = runtime.secondsSinceEpoch - Self.oldest
        directory.remove(
            try directory.names().filter { name in
                TemporaryName.isOne(name) && (try? directory.status(name)).map { $0.modified < latest } ?? false
            })
    }

    /// A day, in seconds.
    private static let oldest: Int64 = 86_400

    private func name(
        _ temporary: Temporary, _ name: String, in directory: any StorageDirectory, replacing: Bool
    ) throws(StorageError) {
        do throws(StorageError) {
            try directory.rename(temporary.name, to: name, replacing: replacing)
        } catch {
            let isNamed = (try? directory.names(temporary.file, name)) == true
            remove(temporary, from: directory)
            guard isNamed else { throw error }
        }
        // To the end: the lock goes with it.
        try? temporary.file.close()
        try directory.sync()
    }

    private func remove(_ temporary: Temporary, from directory: any StorageDirectory) {
        if let identity = try? temporary.file.status().identity {
            try? directory.remove(temporary.name, ifStill: identity)
        }
        try? temporary.file.close()
    }

    /// Copies all bytes, compares them with their digest, and makes them durable.
    private func fill(_ file: any StorageFile, with body: StoreBody, for name: String) throws(StorageError) {
        var digester = try body.digest.map { (_) throws(StorageError) in try digests.makeDigester(.sha256) }
        var position: Int64 = 0
        while position < body.length {
            let count = Int(clamping: min(Self.pieceLength, body.length - position))
            let piece = try body.content.read(count, at: position)
            guard piece.count == count else { throw Self.damaged(name) }
            piece.withUnsafeBytes { digester?.update($0) }
            try file.write(piece, at: position)
            position += Int64(count)
        }
        if let digest = body.digest, digester?.finalize() != digest { throw Self.damaged(name) }
        try file.sync()
    }

    private static let pieceLength: Int64 = 1 << 20
    /// No other call here is named so.
    private static let comparing = "SHA-256"

    private static func damaged(_ name: String) -> StorageError {
        StorageError(operation: comparing, name: name, reason: .inputOutput)
    }

    private func submit<Value: Sendable>(
        to executor: any WorkExecutor, _ ended: @escaping StoreEnd<Value>,
        _ work: @escaping @Sendable () throws(StorageError) -> Value
    ) {
        executor.submit { [path] in
            do throws(StorageError) {
                ended(.success(try work()))
            } catch {
                guard error.operation.isExactly(Self.comparing) else {
                    // The directory itself has no place in it.
                    return ended(.failure(StoreError(error, in: error.name.isExactly(path) ? "" : path)))
                }
                let message = "The bytes of “\(error.name)” changed on their way to the store."
                ended(.failure(StoreError(.damaged, message)))
            }
        }
    }

    // MARK: Folders

    private func folder(of key: StoreKey) throws(StorageError) -> any StorageDirectory {
        var path = path
        var parent = try storage.openDirectory(path)
        for name in key.folders {
            path += "/" + name
            if let next = try unlessMissing({ () throws(StorageError) in try storage.openDirectory(path) }) {
                parent = next
                continue
            }
            if let error = makeDirectory(path) { throw error }
            try parent.sync()
            parent = try storage.openDirectory(path)
        }
        return parent
    }

    /// - Returns: nil where there is no such folder.
    /// - Throws: if there is no store.
    private func existingFolder(_ names: [String]) throws(StorageError) -> (any StorageDirectory)? {
        let place = ([path] + names).joined(separator: "/")
        if let folder = try unlessMissing({ () throws(StorageError) in try storage.openDirectory(place) }) {
            return folder
        }
        _ = try storage.openDirectory(path)
        return nil
    }

    private func unlessMissing<Value>(_ body: () throws(StorageError) -> Value) throws(StorageError) -> Value? {
        do throws(StorageError) {
            return try body()
        } catch {
            guard error.reason == .notFound else { throw error }
            return nil
        }
    }

    private func objects(beneath folders: [String]) throws(StorageError) -> [StorePage.Object] {
        guard let directory = try existingFolder(folders) else { return [] }
        var objects: [StorePage.Object] = []
        for name in try directory.names() {
            guard let key = StoreKey((folders + [name]).joined(separator: "/")), let status = try directory.status(name)
            else { continue }
            switch status.kind {
            case .regular: objects.append(.init(key, length: status.size))
            case .directory: objects += try self.objects(beneath: folders + [name])
            default: break
            }
        }
        return objects
    }
}
