import PawlCore
import PawlEngine
import PawlJobs
import PawlSystem

@testable import PawlServer

// A program that writes to the service's database until it is killed, for tests that kill it or cut its power.
//
//   StoreWriter write PATH SEED [--unsynced]   before each transaction a line "> DIGEST", and "< DIGEST" once it has
//   returned StoreWriter digest PATH                    the digest of what the database holds, or why it is broken
//   StoreWriter measure PATH COUNT             fills a new database, and tells how long each call takes
//
// After the kill the database has to hold the last "<", or the ">" behind it. With --unsynced a commit does not wait
// for the disk.

/// At once, so that a kill loses no line.
func tell(_ line: String) { Array((line + "\n").utf8).withUnsafeBytes { _ = SystemCalls.writeOnce(1, $0) } }

/// The expected content of the database.
struct Model {
    var jobs: [String: StoredJob] = [:]
    var records: [UInt64: [UInt8]] = [:]

    init(_ store: Store) throws {
        var query = JobQuery()
        query.limit = .max - 1
        for job in try store.page(query).jobs { jobs[job.id] = job }
        for record in try SessionTable(store).load() { records[record.id.number] = record.bytes }
    }

    /// Numbers of changes are the store's.
    var digest: String {
        var hash = XXHash64()
        func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { hash.update($0) } }
        for (id, job) in jobs.sorted(by: { $0.key < $1.key }) { add(Array("\(id) \(job.state) \(job.stored)\n".utf8)) }
        for (id, bytes) in records.sorted(by: { $0.key < $1.key }) { add(Array("\(id) \(bytes.count)\n".utf8) + bytes) }
        return String(hash.value, radix: 16)
    }
}

/// Adds, changes and removes jobs and records at random.
struct Writer {
    let store: Store
    var model: Model
    var chance: SplitMix64
    var added = 0

    mutating func writeForever() throws -> Never {
        while true { try Bool.random(using: &chance) ? writeJobs() : writeRecords() }
    }

    private mutating func writeJobs() throws {
        var changes = JobChanges()
        var expected = model
        for _ in 0..<Int.random(in: 1...5, using: &chance) where model.jobs.count < 60 {
            added += 1
            let id = "job-\(chance.next())-\(added)"
            let job = StoredJob(id: id, spec: JobSpec("https://example.org/\(id)"), added: 0)
            changes.keys.append((RequestKey(id, of: job.spec), .added(changes.added.count)))
            changes.added.append(job)
            expected.jobs[id] = job
        }
        for (id, var job) in model.jobs {
            switch Int.random(in: 0..<10, using: &chance) {
            case 0:
                changes.removed.append(job)
                expected.jobs[id] = nil
            case 1, 2:
                job.state = StoredJob.State.allCases.randomElement(using: &chance) ?? .queued
                job.stored = Int64.random(in: 0...1_000_000, using: &chance)
                changes.changed.append(job)
                expected.jobs[id] = job
            default: break
            }
        }
        tell("> \(expected.digest)")
        let done = try store.apply(changes)
        for job in done.added + done.changed { expected.jobs[job.id] = job }
        model = expected
        tell("< \(model.digest)")
    }

    private mutating func writeRecords() throws {
        var expected = model
        let changes = (0..<Int.random(in: 1...6, using: &chance)).map { _ -> SessionChange in
            let id = UInt64.random(in: 0..<20, using: &chance) &* 0x1234_5678_9ABC_DEF1
            guard Int.random(in: 0..<4, using: &chance) > 0 else {
                expected.records[id] = nil
                return .remove(DownloadID(id))
            }
            let bytes = (0..<Int.random(in: 0..<9000, using: &chance)).map {
                UInt8(truncatingIfNeeded: $0 &* Int(truncatingIfNeeded: id))
            }
            expected.records[id] = bytes
            return .put(SessionRecord(id: DownloadID(id), bytes: bytes))
        }
        tell("> \(expected.digest)")
        try SessionTable(store).save(changes)
        model = expected
        tell("< \(model.digest)")
    }
}

/// Milliseconds of each call with so many jobs.
func measure(_ store: Store, _ count: Int) throws {
    func time(_ what: String, _ body: () throws -> Void) rethrows {
        let start = ContinuousClock.now
        try body()
        tell("\(what): \(Int((ContinuousClock.now - start) / .microseconds(1))) µs")
    }
    func jobs(_ range: Range<Int>) -> JobChanges {
        var changes = JobChanges()
        changes.added = range.map { number in
            var job = StoredJob(
                id: "01912d68-783e-7a3b-9c5e-\(number)", spec: JobSpec("https://example.org/isos/some-\(number).iso"),
                added: 0)
            (job.name, job.rank) = ("some-\(number).iso", Int64(number) << 20)
            return job
        }
        return changes
    }
    try time("add \(count), 10,000 at a time") {
        for first in stride(from: 0, to: count, by: 10_000) {
            _ = try store.apply(jobs(first..<min(first + 10_000, count)))
        }
    }
    try time("add 10,000 more") { _ = try store.apply(jobs(count..<count + 10_000)) }
    for key in JobQuery.Key.allCases {
        var query = JobQuery()
        query.key = key
        try time("first page by \(key)") { _ = try store.page(query) }
    }
    var query = JobQuery()
    query.text = "-99999"
    try time("first page of a search") { _ = try store.page(query) }
    (query.text, query.states) = (nil, [.queued])
    try time("first page of a state") { _ = try store.page(query) }
    var changes = JobChanges()
    changes.changed = try store.page(query).jobs.prefix(1).map { $0 }
    for _ in 0..<3 { try time("one change") { _ = try store.apply(changes) } }
}

/// The feed has every job that changed since removals are remembered, in order, and ends with its last change.
func brokenFeed(_ store: Store, _ model: Model) throws -> String? {
    let start = try store.forgottenChange()
    guard let feed = try store.feed(since: start, limit: .max - 1) else { return "there is no feed" }
    let numbers = feed.changes.map(\.number)
    guard Set(numbers).count == numbers.count, numbers == numbers.sorted(), (numbers.last ?? 0) <= feed.last else {
        return "numbers \(numbers)"
    }
    let told = feed.changes.compactMap { change -> String? in
        if case .put(let job) = change.change { job.id } else { nil }
    }
    return told.sorted() == model.jobs.values.filter { $0.change > start }.map(\.id).sorted()
        ? nil : "the feed tells other jobs than the list"
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2, ["write", "digest", "measure"].contains(words[0]) else {
    fatalError("see the head of main.swift")
}
let store = try Store(words[1], isDurable: words.last != "--unsynced")
if words[0] == "measure" {
    try measure(store, words.count > 2 ? Int(words[2]) ?? 0 : 100_000)
    store.close()
    exit(0)
}
let model = try Model(store)
if words[0] == "digest" {
    tell(try brokenFeed(store, model).map { "BROKEN: \($0)" } ?? model.digest)
    store.close()
} else {
    tell("< \(model.digest)")
    var writer = Writer(store: store, model: model, chance: SplitMix64(seed: UInt64(words[2]) ?? 0))
    try writer.writeForever()
}
