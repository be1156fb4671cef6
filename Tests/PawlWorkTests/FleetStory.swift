import PawlCore
import PawlEngine
import PawlStore
import PawlTestKit
import Synchronization

@testable import PawlWork

/// One seed: tasks on several machines that work through one shard, while they are killed, lose their disks, are
/// started twice and are taken for dead, over a store that refuses calls and loses answers. Whatever they do, each item
/// is in exactly one manifest, which never changes and never stands without its data.
final class FleetStory: Sendable {
    /// A rule that is taken out, so that the story has to find it missing.
    enum Sabotage: CaseIterable {
        /// A manifest replaces the one that is there.
        case overwrite
        /// A manifest is created before its data is stored.
        case manifestFirst
        /// The data of all attempts has one name.
        case sharedName
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    /// Counts of what happened in a story, for tests that it is one.
    struct Summary {
        var kills = 0
        var lostDisks = 0
        var twins = 0
        var commits = 0
        var orphans = 0
        var restored = 0
        var fetches = 0
    }

    private static let shard = 7
    let runtime: SimulatedRuntime
    let store: SimulatedStore
    private let seed: UInt64
    private let sabotage: Sabotage?
    let plan: BatchPlan
    let itemCount: Int
    /// Whether origins may send another version to another task.
    private let varies: Bool
    private let summary = Locked(Summary())
    private let lives = Locked<[Life]>([])

    init(seed: UInt64, without sabotage: Sabotage? = nil) throws {
        (self.seed, self.sabotage) = (seed, sabotage)
        let runtime = SimulatedRuntime(seed: seed, now: .zero)
        self.runtime = runtime
        var habits = SimulatedStore.Habits()
        if runtime.chance(0.6) { habits.refuses = 0.1 }
        if runtime.chance(0.6) { habits.losesAnswers = 0.15 }
        if runtime.chance(0.3) { habits.slowest = .seconds(20) }
        habits.lag = .seconds(runtime.random(below: 60))
        store = SimulatedStore(runtime, habits)
        itemCount = 1 + Int(runtime.random(below: 14))
        var plan = BatchPlan(batch: "00112233445566778899aabbccddeeff", shards: 8)
        plan.sliceItems = 1 + Int(runtime.random(below: 5))
        plan.maximumFailed = 1
        plan.form = runtime.chance(0.3) ? .files : .tar
        self.plan = plan
        varies = runtime.chance(0.7)
    }

    // MARK: The world

    private func line(_ item: Int) -> String {
        if item % 11 == 10 { return "{\"no\":\"job\"}" }
        let meta = item % 3 == 0 ? ",\"meta\":{\"caption\":\"no. \(item)\"}" : ""
        // Of two files that want one name, one gets it.
        let file = item % 5 == 1 ? ",\"file\":\"file-\(item % 2).jpg\"" : ""
        return "{\"url\":\"http://host\(item % 3).example/\(item).jpg\",\"id\":\"id-\(item)\"\(file)\(meta)}"
    }

    private func shardBytes() throws -> [UInt8] {
        let bytes = Locked<[UInt8]>([])
        let writer = try GzipWriter { piece in bytes.withLock { $0 += piece } }
        for item in 0..<itemCount { try writer.write(Array((line(item) + "\n").utf8)) }
        try writer.close()
        return bytes.withLock { $0 }
    }

    /// The bytes of an item, in one of two versions.
    static func content(_ item: Int, version: Int) -> [UInt8] {
        let count = [0, 1, 500, 512, 513, 3000][item % 6]
        return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ item &* 13 &+ version) }
    }

    static func isMissing(_ item: Int) -> Bool { item % 7 == 5 }

    /// One machine, which loses its disk at times.
    private final class Machine: Sendable {
        let disk = Locked<SimulatedDisk?>(nil)
        let lives = Locked<[Life]>([])
    }

    /// A process. Once it is dead, nothing of what it has not sent yet is sent.
    final class Life: Sendable {
        let isDead = Locked(false)
        let end = Locked<ShardDriver.End?>(nil)
        var isAlive: Bool { !isDead.withLock { $0 } }
    }

    /// The store as one process sees it, over a network of its own.
    private struct View: Store {
        let story: FleetStory
        let life: Life
        /// The longest time that a call is on its way: a task that was cut off comes back after it.
        let delay: Duration

        private func send(_ call: @escaping @Sendable () -> Void) {
            guard life.isAlive else { return }
            let time = story.runtime.random(below: max(1, delay.wholeNanoseconds))
            story.runtime.after(.nanoseconds(time), call)
        }

        private func answer<Value: Sendable>(_ ended: @escaping StoreEnd<Value>) -> StoreEnd<Value> {
            { [life] result in if life.isAlive { ended(result) } }
        }

        private func key(_ key: StoreKey) -> StoreKey { story.named(key) }

        func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>) {
            let (body, ended) = (story.copied(body), answer(ended))
            send { [story] in
                guard story.sabotage == .overwrite else { return story.store.create(key, body, ended) }
                story.store.put(key, body) { ended($0.map { .created }) }
            }
        }

        func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>) {
            let (key, body, ended) = (self.key(key), story.copied(body), answer(ended))
            guard story.sabotage == .manifestFirst else { return send { [story] in story.store.put(key, body, ended) } }
            send { [story] in
                ended(.success(()))
                story.runtime.after(.seconds(40)) { if life.isAlive { story.store.put(key, body) { _ in } } }
            }
        }

        func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>) {
            send { [story, ended = answer(ended)] in story.store.get(key, ended) }
        }

        func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>) {
            send { [story, key = self.key(key), ended = answer(ended)] in story.store.delete(key, ended) }
        }

        func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>) {
            send { [story, ended = answer(ended)] in story.store.list(folder, from: mark, ended) }
        }
    }

    /// The disk as one process sees it, while it lives.
    private struct Disk: Storage {
        let disk: SimulatedDisk
        let life: Life

        var owner: Owner { disk.owner }

        func isRunning(_ other: Owner) -> Bool? { disk.isRunning(other) }

        func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
            guard life.isAlive else { throw StorageError(operation: "open", name: path, reason: .stale) }
            return try disk.openDirectory(path)
        }
    }

    /// The bytes as they are when they are sent: the process may change its spool while they are on their way.
    private func copied(_ body: StoreBody) -> StoreBody {
        guard let bytes = try? body.bytes(atMost: .max) else { return body }
        return StoreBody(bytes, digest: body.digest)
    }

    private func named(_ key: StoreKey) -> StoreKey {
        guard sabotage == .sharedName, key.folders.first == "data", let slice = key.slice else { return key }
        return StoreKey("data/\(slice).tar") ?? key
    }

    /// Servers that take their time, fail, and may send another version to another task.
    private final class Items: ItemFetchPort {
        let story: FleetStory
        let life: Life
        let disk: SimulatedDisk
        let stopped = Locked<[any ItemListener]>([])

        init(_ story: FleetStory, _ life: Life, _ disk: SimulatedDisk) {
            (self.story, self.life, self.disk) = (story, life, disk)
        }

        func fetch(_ items: [ItemToFetch], _ listener: any ItemListener) {
            for next in items {
                story.runtime.after(.milliseconds(story.runtime.random(below: 3000))) { [self] in
                    guard life.isAlive, !stopped.withLock({ $0.contains { $0 === listener } }) else { return }
                    finish(next, listener)
                }
            }
        }

        func stop(_ listener: any ItemListener) {
            stopped.withLock { $0.append(listener) }
        }

        private func finish(_ next: ItemToFetch, _ listener: any ItemListener) {
            let item = next.item.number
            story.summary.withLock { $0.fetches += 1 }
            if FleetStory.isMissing(item) || story.runtime.chance(0.05) {
                return listener.failed(item, DownloadError(.notFound, "no", remedies: [], recovery: .giveUp))
            }
            if story.runtime.chance(0.05) {
                return listener.failed(item, DownloadError(.network, "no", remedies: [], recovery: .retryNow))
            }
            let bytes = FleetStory.content(item, version: story.varies ? Int(story.runtime.random(below: 2)) : 0)
            var facts = FinishedFacts(
                fileName: next.fileName, byteCount: Int64(bytes.count),
                finalURL: "http://host\(item % 3).example/\(item).jpg")
            facts.response = ResponseFacts(status: 200, contentType: "image/jpeg")
            if item % 4 == 3 {
                disk.install("/spool/" + next.fileName, bytes)
                listener.completed(item, facts)
            } else {
                // A refused one has failed as a download, which a slice that goes on is told.
                do { try listener.received(item, bytes, facts) } catch {
                    listener.failed(item, DownloadError.storage(error))
                }
            }
        }
    }

    // MARK: The story

    func run() throws -> Summary {
        let shard = try shardBytes()
        try settle { [self] end in store.put(.shard(Self.shard), StoreBody(shard)) { _ in end() } }
        let machines = (0..<1 + runtime.random(below: 3)).map { _ in Machine() }
        var checked = 0
        for _ in 0..<2 + runtime.random(below: 8) {
            let machine = machines[Int(runtime.random(below: Int64(machines.count)))]
            begin(on: machine)
            let until = runtime.now + .milliseconds(runtime.random(below: 40_000))
            _ = runtime.run(limit: .seconds(600)) { [runtime] in runtime.now >= until }
            checked = try check(from: checked)
            if runtime.chance(0.5) { kill(machine) }
            if runtime.chance(0.2) {
                kill(machine)
                machine.disk.withLock { $0 = nil }
                summary.withLock { $0.lostDisks += 1 }
            }
        }
        // In the end, somebody works until all is done: perhaps beside those that others took for dead.
        var ends: [String] = []
        for _ in 0..<40 {
            let machine = machines[0]
            let life = begin(on: machine)
            _ = runtime.run(limit: .seconds(7200)) { life.end.withLock { $0 } != nil }
            checked = try check(from: checked)
            ends.append("\(life.end.withLock { $0 }.map { "\($0)" } ?? "none")")
            if life.end.withLock({ $0 }) == .finished { break }
        }
        guard let last = ends.last, last == "\(ShardDriver.End.finished)" else { throw fail("the ends are \(ends)") }
        // What is still on its way arrives.
        _ = runtime.run(limit: .seconds(7200)) { false }
        checked = try check(from: checked)
        // The whole again costs no request, and leaves nothing.
        let (fetches, changes) = (summary.withLock { $0.fetches }, store.changes.count)
        for _ in 0..<20 {
            let life = begin(on: machines[0])
            _ = runtime.run(limit: .seconds(7200)) { life.end.withLock { $0 } != nil }
            if life.end.withLock({ $0 }) == .finished { break }
        }
        guard summary.withLock({ $0.fetches }) == fetches, store.changes.count == changes else {
            throw fail("what is done was done again")
        }
        _ = try check(from: checked)
        try checkEnd(machines[0])
        return summary.withLock { $0 }
    }

    private func settle(_ call: (@escaping @Sendable () -> Void) -> Void) throws {
        let isDone = Locked(false)
        for _ in 0..<100 where store.objects[.shard(Self.shard)] == nil {
            isDone.withLock { $0 = false }
            call { isDone.withLock { $0 = true } }
            _ = runtime.run(limit: .seconds(600)) { isDone.withLock { $0 } }
        }
    }

    @discardableResult
    private func begin(on machine: Machine) -> Life {
        let disk = machine.disk.withLock { disk in
            if let disk { return disk }
            let new = SimulatedDisk(seed: runtime.random())
            new.makeDirectory("/spool")
            new.features.hasLocks = runtime.chance(0.8)
            disk = new
            return new
        }
        let life = Life()
        let isSlow = runtime.chance(0.3)
        let view = View(story: self, life: life, delay: isSlow ? .seconds(90) : .milliseconds(30))
        let ports = SliceDriver.Ports(
            store: PatientStore(view, runtime), fetches: Items(self, life, disk), storage: Disk(disk: disk, life: life),
            digests: SimulatedDigests(), runtime: runtime,
            spool: "/spool")
        let driver = ShardDriver(plan, shard: Self.shard, ports, few: Int(seed % 4)) { [self] _, isOurs in
            if isOurs { summary.withLock { $0.commits += 1 } }
        } ended: { end in
            life.end.withLock { $0 = end }
        }
        machine.lives.withLock { $0.append(life) }
        let isTwin = lives.withLock { lives in
            defer { lives.append(life) }
            return lives.contains { $0.isAlive && $0.end.withLock({ $0 }) == nil }
        }
        if isTwin { summary.withLock { $0.twins += 1 } }
        driver.start()
        return life
    }

    /// All processes of a machine end at once. What they wrote is there, or the machine lost its power, too.
    private func kill(_ machine: Machine) {
        guard let disk = machine.disk.withLock({ $0 }) else { return }
        for life in machine.lives.withLock({ $0 }) { life.isDead.withLock { $0 = true } }
        summary.withLock { $0.kills += 1 }
        if runtime.chance(0.3) { disk.crash() } else { disk.kill() }
    }

    // MARK: What must hold

    private func fail(_ what: String) -> Failure {
        Failure(description: "seed \(seed): \(what)\n  again: PAWL_SEED=\(seed)")
    }

    private func manifest(_ bytes: [UInt8]) throws -> (head: ManifestHead, items: [JSONValue]) {
        let reader = try ManifestReader(StoreBody(bytes))
        var items: [JSONValue] = []
        while let line = try reader.next() { items.append(line) }
        return (reader.head, items)
    }

    /// Looks at all changes of the store since the last time.
    private func check(from first: Int) throws -> Int {
        let changes = store.changes
        var objects: [StoreKey: [UInt8]] = [:]
        var committed: [StoreKey: ManifestHead.Data] = [:]
        for (index, change) in changes.enumerated() {
            defer { objects[change.key] = change.bytes }
            if change.key.folders.first == StoreKey.manifests {
                guard let bytes = change.bytes, objects[change.key] == nil else {
                    throw fail("the manifest \(change.key) changed")
                }
                for data in try data(of: bytes) {
                    guard let stored = objects[data.key] else {
                        throw fail("\(change.key) came before its data")
                    }
                    try check(stored, data)
                    committed[data.key] = data
                }
            } else if index >= first, let data = committed[change.key] {
                guard let bytes = change.bytes else { throw fail("committed data was deleted: \(change.key)") }
                try check(bytes, data)
            }
        }
        return changes.count
    }

    /// The objects that a manifest names.
    private func data(of bytes: [UInt8]) throws -> [ManifestHead.Data] {
        let (head, lines) = try manifest(bytes)
        let files = lines.compactMap { line -> ManifestHead.Data? in
            guard case .completed(let file)? = ItemOutcome(jsonValue: line.without("meta"))?.end,
                case .object(let key) = file.place
            else { return nil }
            return .init(key: key, bytes: file.bytes, sha256: file.sha256)
        }
        let tar = head.data.map { ManifestHead.Data(key: named($0.key), bytes: $0.bytes, sha256: $0.sha256) }
        return [tar].compactMap(\.self) + files
    }

    private func check(_ bytes: [UInt8], _ data: ManifestHead.Data) throws {
        guard Int64(bytes.count) == data.bytes, SimulatedDigests().digest(.sha256, of: bytes) == data.sha256 else {
            throw fail("\(data.key) is not what its manifest says")
        }
    }

    private func checkEnd(_ machine: Machine) throws {
        let objects = store.objects
        var seen: [Int: Int] = [:]
        var named: Set<StoreKey> = []
        for (key, bytes) in objects where key.folders.first == StoreKey.manifests {
            let (head, lines) = try manifest(bytes)
            guard lines.count == head.items else { throw fail("\(key) has \(lines.count) items of \(head.items)") }
            named.formUnion(try data(of: bytes).map(\.key))
            for line in lines {
                guard let outcome = ItemOutcome(jsonValue: line.without("meta")) else { throw fail("a line: \(line)") }
                seen[outcome.item, default: 0] += 1
                try check(outcome, line, head.data.flatMap { objects[self.named($0.key)] } ?? [], objects)
            }
        }
        guard seen == Dictionary(uniqueKeysWithValues: (0..<itemCount).map { ($0, 1) }) else {
            throw fail("items and how often they are in manifests: \(seen.sorted { $0.key < $1.key })")
        }
        let orphans = objects.keys.count { $0.folders.first == StoreKey.data && !named.contains($0) }
        summary.withLock { $0.orphans = orphans }
        let disk = machine.disk.withLock { $0 }
        let left = disk?.names(in: "/spool") ?? []
        // Without locks, nobody knows whether others are still at work.
        guard left.isEmpty || disk?.features.hasLocks == false else { throw fail("left in the spool: \(left)") }
    }

    private func check(
        _ outcome: ItemOutcome, _ line: JSONValue, _ tar: [UInt8], _ objects: [StoreKey: [UInt8]]
    ) throws {
        let item = outcome.item
        guard case .completed(let file) = outcome.end else {
            // Nobody else wants the name of another file.
            if case .failed(let failure) = outcome.end, failure.code == "nameTaken", item % 5 != 1 {
                throw fail("item \(item) has no name, though nobody else wants its own")
            }
            return
        }
        guard !Self.isMissing(item), outcome.id == "id-\(item)" else { throw fail("item \(item) cannot be there") }
        let bytes: [UInt8]
        switch file.place {
        case .member(let name):
            guard let start = file.offset.map({ Int($0) }), start + Int(file.bytes) <= tar.count,
                Array(tar[start - 512..<start]) == USTARHeader(name, size: file.bytes).bytes
            else { throw fail("item \(item) is not in its tar") }
            bytes = Array(tar[start..<start + Int(file.bytes)])
        case .object(let key):
            guard let found = objects[key], file.offset == nil else { throw fail("item \(item) is not in the store") }
            bytes = found
        }
        guard (0...1).contains(where: { Self.content(item, version: $0) == bytes }),
            SimulatedDigests().digest(.sha256, of: bytes) == file.sha256
        else { throw fail("item \(item) has other bytes") }
        let hasMeta = if case .object(let members) = line { members.contains { $0.key == "meta" } } else { false }
        guard hasMeta == (item % 3 == 0) else { throw fail("item \(item) has not what the caller says of it") }
    }
}

extension JSONValue {
    fileprivate func without(_ key: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.key != key })
    }
}
