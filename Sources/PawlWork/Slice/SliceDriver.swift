import Pawl
package import PawlCore
package import PawlEngine
import PawlJobs
package import PawlStore
import Synchronization

/// Performs the actions of a ``SliceMachine``.
package final class SliceDriver: Sendable {
    /// The ports of a driver.
    package struct Ports: Sendable {
        package var store: any Store
        package var fetches: any ItemFetchPort
        package var storage: any Storage
        package var digests: any DigestFactory
        package var runtime: any Runtime
        /// The spool's directory, which exists.
        package var spool: String

        package init(
            store: any Store, fetches: any ItemFetchPort, storage: any Storage, digests: any DigestFactory,
            runtime: any Runtime, spool: String
        ) {
            (self.store, self.fetches, self.storage, self.digests) = (store, fetches, storage, digests)
            (self.runtime, self.spool) = (runtime, spool)
        }
    }

    private enum Spool {
        case closed
        case open(SliceSpool)
        /// Not to be opened any more.
        case givenUp

        var opened: SliceSpool? { if case .open(let spool) = self { spool } else { nil } }

        /// Lets other processes have it.
        mutating func giveUp() {
            opened?.close()
            self = .givenUp
        }
    }

    private struct State {
        var machine: SliceMachine
        var sealed: SliceSpool.Sealed?
        var isGathering = false
        var hasFewLeft = false
    }

    package let slice: Slice
    private let ports: Ports
    private let state: Locked<State>
    private let spool = Locked(Spool.closed)
    /// One step at a time.
    private let executor: any WorkExecutor
    private let blocking: any WorkExecutor
    private let begun: Instant
    private let few: Int
    private let hasFewLeft: @Sendable () -> Void
    private let ended: @Sendable (SliceMachine.End) -> Void

    /// - Parameters:
    ///   - few: a number of items.
    ///   - hasFewLeft: called once no more than so many have no end yet: another slice may begin.
    ///   - ended: called once, and last.
    package init(
        _ slice: Slice, maximumFailed: Double, _ ports: Ports, few: Int = 0,
        hasFewLeft: @escaping @Sendable () -> Void = {},
        ended: @escaping @Sendable (SliceMachine.End) -> Void
    ) {
        (self.slice, self.ports, self.few, self.hasFewLeft, self.ended) = (slice, ports, few, hasFewLeft, ended)
        state = Locked(State(machine: SliceMachine(slice, maximumFailed: maximumFailed)))
        executor = ports.runtime.makeControlExecutor()
        blocking = ports.runtime.makeSyncExecutor()
        begun = ports.runtime.now
    }

    package func start() { handle(.start) }

    /// Abandons the slice. What is in the spool stays.
    package func stop() { handle(.stop) }

    // MARK: The machine

    private func handle(_ event: SliceMachine.Event) {
        executor.submit { [self] in
            if let action = state.withLock({ $0.machine.handle(event) }) { perform(action) }
        }
    }

    private func perform(_ action: SliceMachine.Action) {
        switch action {
        case .getManifest: getManifest()
        case .openSpool: onDisk { [self] () throws(StorageError) in try openSpool() }
        case .gather: gather()
        case .storeFiles: storeFiles()
        case .seal: onDisk { [self] () throws(StorageError) in try seal() }
        case .putData(let data):
            guard let body = state.withLock({ $0.sealed?.data }) else { return }
            ports.store.put(data.key, body) { [self] in handle($0) { .put } }
        case .createManifest:
            guard let body = state.withLock({ $0.sealed?.manifest }) else { return }
            ports.store.create(.manifest(slice.id), body) { [self] in handle($0) { .created($0) } }
        case .deleteData(let key): ports.store.delete(key) { [self] in handle($0) { .deleted } }
        case .clear: clear()
        case .end(let end): self.end(end)
        }
    }

    private func handle<Value>(_ result: Result<Value, StoreError>, _ event: (Value) -> SliceMachine.Event) {
        switch result {
        case .success(let value): handle(event(value))
        case .failure(let error): handle(.storeFailed(error))
        }
    }

    private func onDisk(_ work: @escaping @Sendable () throws(StorageError) -> Void) {
        blocking.submit { [self] in
            do throws(StorageError) { try work() } catch { failed(error) }
        }
    }

    private func failed(_ error: StorageError) {
        handle(.spoolFailed(DownloadError.storage(error, directory: ports.spool).message))
    }

    // MARK: Steps

    private func getManifest() {
        ports.store.get(.manifest(slice.id)) { [self] result in
            // Reading may block.
            blocking.submit { [self] in
                switch result {
                case .success(nil): handle(.got(nil))
                case .success(let body?):
                    do throws(WorkError) {
                        handle(.got(try ManifestReader(body).head))
                    } catch {
                        let key = StoreKey.manifest(slice.id)
                        handle(.unreadable(WorkError(.batch, "“\(key)”: \(error.message)")))
                    }
                case .failure(let error): handle(.storeFailed(error))
                }
            }
        }
    }

    private var machine: String { ports.storage.owner.hostName }

    private func openSpool() throws(StorageError) {
        let opened = try SliceSpool(
            slice, in: ports.storage.openDirectory(ports.spool), on: machine, digests: ports.digests,
            random: ports.runtime.random)
        let attempt = opened.attempt
        spool.withLock { spool in
            if case .closed = spool { spool = .open(opened) } else { opened.close() }
        }
        handle(.opened(attempt: attempt))
    }

    private func gather() {
        let items = spool.withLock { spool in
            spool.opened.map { spool in
                spool.open.map { ItemToFetch(spool.items[$0], fileName: spool.fileName(of: slice.first + $0)) }
            }
        }
        state.withLock { $0.isGathering = true }
        var (readable, others): ([ItemToFetch], [Int: JobSpecError]) = ([], [:])
        for next in items ?? [] {
            switch next.item.spec {
            case .success: readable.append(next)
            case .failure(let error): others[next.item.number] = error
            }
        }
        onDisk { [self, readable, others] () throws(StorageError) in
            for (item, error) in others {
                try change { (spool) throws(StorageError) in try spool.addFailure(item, FailedItem(error)) }
            }
            ports.fetches.fetch(readable, self)
            noteProgress()
        }
    }

    /// Changes the spool, unless it was given up.
    private func change(_ body: (inout SliceSpool) throws(StorageError) -> Void) throws(StorageError) {
        try spool.withLock { (spool) throws(StorageError) in
            guard var opened = spool.opened else {
                throw StorageError(operation: "write", name: "spool", reason: .stale)
            }
            // Only one holds it, so that nothing is copied.
            spool = .closed
            defer { spool = .open(opened) }
            try body(&opened)
        }
    }

    /// Goes on once each item has an end.
    private func noteProgress() {
        let counts = spool.withLock { $0.opened.map { ($0.decided, $0.ourFailures) } }
        guard let (decided, ourFailures) = counts else { return }
        let (isLast, areFew) = state.withLock { state in
            // With too many failures, the rest is not waited for.
            let isLast = decided == slice.count || state.machine.areTooMany(ourFailures)
            guard state.isGathering, isLast || slice.count - decided <= few else { return (false, false) }
            if isLast { state.isGathering = false }
            defer { state.hasFewLeft = true }
            return (isLast, !state.hasFewLeft)
        }
        if areFew { hasFewLeft() }
        if isLast { handle(.gathered(ourFailures: ourFailures)) }
    }

    private func storeFiles() {
        blocking.submit { [self] in
            let files = spool.withLock { $0.opened?.separate } ?? []
            let delivery = FileDelivery(files, ports, on: blocking) { [self] item, other in
                // Given up meanwhile: nobody needs it.
                try? change { (spool) throws(StorageError) in spool.noteStored(item, other: other) }
            } ended: { [self] in
                handle($0) { .storedFiles }
            }
            delivery.begin()
        }
    }

    private func seal() throws(StorageError) {
        let milliseconds = Int64(saturating: (ports.runtime.now - begun) / .milliseconds(1))
        var sealed: SliceSpool.Sealed?
        try change { (spool) throws(StorageError) in sealed = try spool.seal(milliseconds: milliseconds) }
        guard let sealed else { return }
        state.withLock { $0.sealed = sealed }
        handle(.sealed(sealed.head))
    }

    private func clear() {
        state.withLock { $0.sealed = nil }
        blocking.submit { [self] in
            // Failing to remove something only costs space.
            try? spool.withLock { $0.opened }?.remove()
            spool.withLock { $0.giveUp() }
            try? SliceSpool.clear(slice, in: ports.storage.openDirectory(ports.spool), on: machine)
            handle(.cleared)
        }
    }

    private func end(_ end: SliceMachine.End) {
        ports.fetches.stop(self)
        // Nothing writes to it from now on, and another process may have it.
        spool.withLock { $0.giveUp() }
        ended(end)
    }
}

// MARK: Items

extension SliceDriver: ItemListener {
    package func received(_ item: Int, _ bytes: [UInt8], _ facts: FinishedFacts) throws(StorageError) {
        do throws(StorageError) {
            try change { (spool) throws(StorageError) in try spool.add(item, facts, bytes) }
        } catch {
            if error.reason != .stale { failed(error) }
            throw error
        }
        noteProgress()
    }

    package func completed(_ item: Int, _ facts: FinishedFacts) {
        onDisk { [self] () throws(StorageError) in
            let directory = try ports.storage.openDirectory(ports.spool)
            try change { (spool) throws(StorageError) in
                guard !spool.isDecided(item) else { return }
                let name = spool.fileName(of: item)
                let file = try directory.open(name, writable: false)
                defer { try? file.close() }
                let status = try file.status()
                try spool.add(item, facts, copying: file, size: status.size)
                try? directory.remove(name, ifStill: status.identity)
            }
            noteProgress()
        }
    }

    package func failed(_ item: Int, _ error: DownloadError) {
        // Not the file's fault: it is left for another try.
        if Self.ofThisMachine.contains(error.code) { return handle(.spoolFailed(error.message)) }
        onDisk { [self] () throws(StorageError) in
            try change { (spool) throws(StorageError) in try spool.addFailure(item, FailedItem(error)) }
            noteProgress()
        }
    }

    private static let ofThisMachine: Set<DownloadError.Code> = [
        .diskFull, .diskError, .notWritable, .partialFileChanged, .journal, .locked, .fileExists, .tooFewThreads,
    ]
}
