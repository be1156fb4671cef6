import Pawl
package import PawlCore
package import PawlEngine
package import PawlStore

/// Reads what has been done in a batch.
package struct BatchReader: Sendable {
    package let plan: BatchPlan
    private let store: any Store
    private let digests: any DigestFactory

    /// Counts of what the manifests say.
    package struct Report: Sendable {
        package var slices = 0
        package var items = 0
        package var completed = 0
        /// The bytes of the completed files.
        package var bytes: Int64 = 0
        /// The number of failures by their codes.
        package var failures: [ExactText: Int] = [:]

        package var failed: Int { failures.values.reduce(0, +) }
    }

    package init(_ plan: BatchPlan, _ store: any Store, _ digests: any DigestFactory) {
        (self.plan, self.store, self.digests) = (plan, store, digests)
    }

    /// Opens a batch, which stays open as long as the process lives.
    package static func open(_ batch: BatchStore) async throws -> BatchReader {
        let store = try batch.open(LiveRuntime(eventLoops: 1))
        return BatchReader(try await BatchStore.plan(of: store), store, SystemDigests())
    }

    /// Returns the counts.
    package func report() async throws(WorkError) -> Report {
        var report = Report()
        try await forEachManifest { (manifest) throws(WorkError) in
            report.slices += 1
            report.items += manifest.head.items
            report.completed += manifest.head.completed
            report.bytes += manifest.head.fetched
            // Only the lines tell why.
            guard manifest.head.failed > 0 else { return }
            while let line = try manifest.next() {
                guard let failure = line.failure else { continue }
                report.failures[ExactText(failure.code), default: 0] += 1
            }
        }
        return report
    }

    /// Calls `emit` with the lines of items that have failed, as they stand in their shards.
    ///
    /// - Parameters:
    ///   - codes: only those that failed so; empty: all.
    ///   - emit: returns false if no more are wanted.
    package func failed(_ codes: Set<ExactText>, _ emit: ([UInt8]) -> Bool) async throws(WorkError) {
        var (shard, items): (Int, Set<Int>) = (0, [])
        var isWanted = true
        try await forEachManifest { (manifest) throws(WorkError) in
            guard isWanted else { return }
            if manifest.head.id.shard != shard {
                isWanted = try await lines(of: shard, where: items.contains, emit)
                (shard, items) = (manifest.head.id.shard, [])
            }
            guard manifest.head.failed > 0 else { return }
            while let line = try manifest.next() {
                guard let failure = line.failure, codes.isEmpty || codes.contains(ExactText(failure.code)) else {
                    continue
                }
                items.insert(failure.item)
            }
        }
        if isWanted { _ = try await lines(of: shard, where: items.contains, emit) }
    }

    /// Calls `emit` with the lines of items that are in no manifest yet.
    ///
    /// - Parameter emit: returns false if no more are wanted.
    package func missing(_ emit: ([UInt8]) -> Bool) async throws(WorkError) {
        var done: [Int: [Range<Int>]] = [:]
        try await forEachManifest { (manifest) throws(WorkError) in
            let head = manifest.head
            done[head.id.shard, default: []].append(head.first..<head.first + head.items)
        }
        for shard in 0..<plan.shards {
            let ranges = (done[shard] ?? []).sorted { $0.lowerBound < $1.lowerBound }
            var next = 0
            let isWanted = try await lines(
                of: shard,
                where: { item in
                    while next < ranges.count, ranges[next].upperBound <= item { next += 1 }
                    return next == ranges.count || !ranges[next].contains(item)
                }, emit)
            guard isWanted else { return }
        }
    }

    /// Data that no manifest names.
    package struct Orphan: Sendable {
        package enum State: Sendable {
            /// Another attempt has committed its slice, so nobody will name it.
            case superseded
            /// An attempt that is still at work may own it.
            case open
        }

        package let object: StorePage.Object
        package let state: State
    }

    /// Returns the data that no manifest names. Listed before the manifests are: what is put meanwhile is none.
    package func orphans() async throws(WorkError) -> [Orphan] {
        var objects: [StorePage.Object] = []
        do throws(StoreError) {
            try await store.forEach(in: StoreKey.data) { objects.append($0) }
        } catch {
            throw WorkError(error)
        }
        var (named, committed, items): (Set<StoreKey>, Set<SliceID>, Int64) = ([], [], 0)
        try await forEachManifest { (manifest) throws(WorkError) in
            committed.insert(manifest.head.id)
            items += Int64(manifest.head.items)
            if let data = manifest.head.data { named.insert(data.key) }
            guard plan.form == .files else { return }
            while let line = try manifest.next() {
                guard case .completed(let file)? = ItemOutcome(jsonValue: line)?.end, case .object(let key) = file.place
                else { continue }
                named.insert(key)
            }
        }
        return objects.filter { !named.contains($0.key) }.map { object in
            // The name of a file does not tell which slice it is of.
            let isSuperseded =
                switch plan.form {
                case .tar: object.key.slice.map(committed.contains) ?? false
                case .files: items == plan.items
                }
            return Orphan(object: object, state: isSuperseded ? .superseded : .open)
        }
    }

    /// Deletes data that nobody will name.
    package func delete(_ orphan: Orphan) async throws(WorkError) {
        guard orphan.state == .superseded else { return }
        do throws(StoreError) {
            try await store.delete(orphan.object.key)
        } catch {
            throw WorkError(error)
        }
    }

    /// Reads all manifests and all data, and compares them.
    ///
    /// - Parameter problem: told of what is missing or differs, in a sentence.
    package func verify(_ problem: (String) -> Void) async throws(WorkError) {
        try await forEachManifest { (manifest) throws(WorkError) in
            let head = manifest.head
            var data: StoreBody?
            do throws(StoreError) {
                if let named = head.data {
                    data = try await whole(named.key, problem)
                    if let data {
                        let digest = try data.sha256(by: digests)
                        if data.length != named.bytes || digest != named.sha256 {
                            problem("“\(named.key)” is not what its manifest says: it was changed or damaged.")
                        }
                    }
                }
                let (completed, failed) = try await checkItems(of: manifest, in: data, problem)
                if (completed, failed) != (head.completed, head.failed) || completed + failed != head.items {
                    problem("“\(StoreKey.manifest(head.id))” has other lines than it says.")
                }
            } catch {
                throw WorkError(error)
            }
        } unreadable: { key, error in
            problem("“\(key)”: \(error.message)")
        }
    }

    private func checkItems(
        of manifest: ManifestReader, in data: StoreBody?, _ problem: (String) -> Void
    ) async throws(StoreError) -> (completed: Int, failed: Int) {
        var (completed, failed, next) = (0, 0, manifest.head.first)
        while true {
            let line: JSONValue?
            do throws(WorkError) {
                line = try manifest.next()
            } catch {
                problem("“\(StoreKey.manifest(manifest.head.id))”: \(error.message)")
                return (completed, failed)
            }
            guard let line else { return (completed, failed) }
            guard let outcome = ItemOutcome(jsonValue: line), outcome.item == next else { return (completed, failed) }
            next += 1
            guard case .completed(let file) = outcome.end else {
                failed += 1
                continue
            }
            completed += 1
            switch file.place {
            case .member(let name):
                guard let data else { continue }
                let digest = try digest(of: file, in: data)
                if digest != file.sha256 {
                    problem("“\(name)” of “\(manifest.head.id)” is not what its manifest says.")
                }
            case .object(let key):
                guard let found = try await whole(key, problem) else { continue }
                let digest = try found.sha256(by: digests)
                if found.length != file.bytes || digest != file.sha256 {
                    problem("“\(key)” is not what its manifest says: it was changed or damaged.")
                }
            }
        }
    }

    /// Returns an object; nil for one that is missing or damaged, which is told.
    private func whole(_ key: StoreKey, _ problem: (String) -> Void) async throws(StoreError) -> StoreBody? {
        do throws(StoreError) {
            if let body = try await store.get(key) { return body }
        } catch {
            guard error.kind == .damaged else { throw error }
            problem(error.message)
            return nil
        }
        problem("“\(key)” is missing, which a manifest names.")
        return nil
    }

    /// Returns the digest of a file in a tar; nil for one that is not in it.
    private func digest(of file: CompletedItem, in data: StoreBody) throws(StoreError) -> [UInt8]? {
        guard let start = file.offset else { return nil }
        let end = start.addingReportingOverflow(file.bytes)
        guard !end.overflow, end.partialValue <= data.length else { return nil }
        return try data.sha256(of: ByteRange(start..<end.partialValue), by: digests)
    }

    // MARK: Objects

    /// In the order of the slices.
    ///
    /// - Parameter unreadable: told of one that cannot be read, which is an error unless it says otherwise.
    private func forEachManifest(
        _ body: (ManifestReader) async throws(WorkError) -> Void,
        unreadable: (StoreKey, WorkError) throws(WorkError) -> Void = { (key, error) throws(WorkError) in
            throw WorkError(.batch, "“\(key)”: \(error.message)")
        }
    ) async throws(WorkError) {
        var keys: [StoreKey] = []
        do throws(StoreError) {
            try await store.forEach(in: StoreKey.manifests) { if $0.key.slice != nil { keys.append($0.key) } }
        } catch {
            throw WorkError(error)
        }
        for key in keys {
            let object: StoreBody?
            do throws(StoreError) { object = try await store.get(key) } catch { throw WorkError(error) }
            guard let object else { continue }
            let manifest: ManifestReader
            do throws(WorkError) {
                manifest = try ManifestReader(object)
            } catch {
                try unreadable(key, error)
                continue
            }
            guard manifest.head.batch.isExactly(plan.batch) else {
                throw WorkError(.batch, "“\(key)” is of another batch.")
            }
            try await body(manifest)
        }
    }

    /// - Returns: false if no more are wanted.
    private func lines(
        of shard: Int, where isWanted: (Int) -> Bool, _ emit: ([UInt8]) -> Bool
    ) async throws(WorkError) -> Bool {
        let key = StoreKey.shard(shard)
        let body: StoreBody?
        do throws(StoreError) { body = try await store.get(key) } catch { throw WorkError(error) }
        guard let body else { throw WorkError(.batch, "The batch has no “\(key)”.") }
        do throws(GzipReader.Failure) {
            let reader = try ShardReader(body)
            var item = 0
            while case let lines = try reader.next(1000), !lines.isEmpty {
                for line in lines {
                    if isWanted(item), !emit(line) { return false }
                    item += 1
                }
            }
            return true
        } catch {
            throw WorkError(.batch, "“\(key)” of the batch cannot be read. \(error.message)")
        }
    }
}

extension JSONValue {
    /// The item and the code of a line of a manifest that is a failure.
    fileprivate var failure: (item: Int, code: String)? {
        guard let outcome = ItemOutcome(jsonValue: self), case .failed(let failure) = outcome.end else {
            return nil
        }
        return (outcome.item, failure.code)
    }
}
