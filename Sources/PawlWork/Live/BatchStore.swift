package import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem

/// The store of a batch by its name, as people type it.
package struct BatchStore: Sendable {
    /// `s3://bucket/prefix`, or a directory.
    package var name: String
    /// Proxies, certificates and the like, for the servers of a store.
    package var network: Downloader.Configuration
    /// The directory for large objects that are read.
    package var spool: String
    /// Told in a sentence why the store fails, which is waited for.
    package var failing: @Sendable (String) -> Void

    package init(
        _ name: String, network: Downloader.Configuration, spool: String, failing: @escaping @Sendable (String) -> Void
    ) {
        (self.name, self.network, self.spool, self.failing) = (name, network, spool, failing)
    }

    /// The directory, of a batch in one.
    package var directory: String? { scheme == nil ? name : nil }

    /// - Throws: for a name that means no store of this version.
    func open(_ runtime: LiveRuntime) throws(WorkError) -> PatientStore {
        PatientStore(try store(runtime), runtime) { [failing] in failing($0.message) }
    }

    private func store(_ runtime: LiveRuntime) throws(WorkError) -> any Store {
        if let scheme {
            guard scheme.isExactly("s3") else {
                throw WorkError(
                    .store, "There is no store for “\(scheme)://” here. A batch is a directory, or s3://bucket/prefix.")
            }
            do throws(StoreError) {
                return try LiveS3.open(S3Place(parsing: name), runtime, network, spool: spool)
            } catch {
                throw WorkError(error)
            }
        }
        return DirectoryStore(name, storage: POSIXStorage(), runtime: runtime, digests: SystemDigests()) { path in
            let isMade = mkdir(path, 0o777) == 0 || errno == EEXIST
            return isMade ? nil : StorageError(operation: "mkdir", name: path, errno: errno)
        }
    }

    private var scheme: String? {
        let scheme = name.utf8.prefix { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
        guard !scheme.isEmpty, name.utf8.dropFirst(scheme.count).starts(with: "://".utf8) else { return nil }
        return String(scheme)
    }

    /// Returns the plan of a batch.
    static func plan(of store: some Store) async throws(WorkError) -> BatchPlan {
        var bytes: [UInt8]?
        do throws(StoreError) {
            bytes = try await store.get(.plan)?.bytes(atMost: maximumPlan)
        } catch {
            throw WorkError(error)
        }
        guard let bytes else { throw WorkError(.batch, "There is no batch here: its “\(StoreKey.plan)” is missing.") }
        return try BatchPlan(parsing: bytes)
    }

    /// Creates an object twice: a store that lets that pass would let one manifest replace another.
    ///
    /// - Returns: whether it let that pass.
    static func lacksConditions(_ store: some Store, _ batch: String) async throws(WorkError) -> Bool {
        guard let key = StoreKey("probe-\(batch)") else { return true }
        do throws(StoreError) {
            // The first answer does not count: where it was lost, the object is there at the second try.
            _ = try await store.create(key, StoreBody([1]))
            let second = try await store.create(key, StoreBody([2]))
            let found = try await store.get(key)?.bytes(atMost: 1)
            try await store.delete(key)
            guard found == [1] || second == .created else {
                throw StoreError(.refused, "This store does not keep what is put there.")
            }
            return second == .created
        } catch {
            throw WorkError(error)
        }
    }

    private static let maximumPlan = 1 << 20
}
