import Pawl
import PawlCore
package import PawlEngine
package import PawlStore
import PawlSystem

/// The store of a batch by its name, as people type it.
package enum BatchStore {
    /// - Throws: for a name that means no store of this version.
    package static func open(_ name: String, _ runtime: any Runtime) throws(WorkError) -> any Store {
        if let scheme = scheme(of: name) {
            throw WorkError(.store, "There is no store for “\(scheme)://” here. A batch is a directory.")
        }
        return DirectoryStore(name, storage: POSIXStorage(), runtime: runtime, digests: SystemDigests()) { path in
            let isMade = mkdir(path, 0o777) == 0 || errno == EEXIST
            return isMade ? nil : StorageError(operation: "mkdir", name: path, errno: errno)
        }
    }

    private static func scheme(of name: String) -> String? {
        let scheme = name.utf8.prefix { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) }
        guard !scheme.isEmpty, name.utf8.dropFirst(scheme.count).starts(with: "://".utf8) else { return nil }
        return String(scheme)
    }

    /// Returns the plan of a batch. A store that fails for the moment is asked again.
    package static func plan(of store: any Store, _ runtime: any Runtime) async throws(WorkError) -> BatchPlan {
        var patience = StorePatience()
        while true {
            let found: Result<[UInt8]?, StoreError>
            do throws(StoreError) {
                found = .success(try await store.get(.plan)?.bytes(atMost: maximumPlan))
            } catch {
                found = .failure(error)
            }
            switch found {
            case .success(let bytes?): return try BatchPlan(parsing: bytes)
            case .success(nil):
                throw WorkError(.batch, "There is no batch here: its “\(StoreKey.plan)” is missing.")
            case .failure(let error):
                let wait = try patience.wait(after: error, at: runtime.now)
                try? await Pause.sleep(for: wait)
            }
        }
    }

    /// Creates an object twice: a store that lets that pass would let one manifest replace another.
    static func probe(_ store: any Store, _ batch: String) async throws(WorkError) {
        guard let key = StoreKey("probe-\(batch)") else { return }
        do throws(StoreError) {
            let first = try await store.create(key, StoreBody([]))
            let second = try await store.create(key, StoreBody([]))
            try await store.delete(key)
            guard first == .created, second == .exists else {
                throw StoreError(
                    .refused, "This store ignores that an object is there already; a batch there would not be safe.")
            }
        } catch {
            throw WorkError(error)
        }
    }

    private static let maximumPlan = 1 << 20
}
