import PawlCore
import PawlTestKit
import Testing

/// Downloads whose secrets a session left out, and the requests that supply them again.
@Suite struct SuppliedSecretsTests {
    private static let error = DownloadError(.network, "cut", recovery: .retryNow)

    private static func entry(
        _ number: UInt64, state: QueueEntry.State = .queued, hash: [UInt8]? = nil, name: String? = nil,
        isNameGiven: Bool = false
    ) -> QueueEntry {
        var entry = QueueEntry(
            id: DownloadID(number), url: "http://a/dl", host: "a:80", directory: "/d", fileName: name, target: number)
        entry.isNameGiven = isNameGiven
        entry.state = state
        entry.lacksSecrets = true
        entry.identityHash = hash
        entry.markerNumber = number
        return entry
    }

    private static func queue(_ entries: QueueEntry...) -> QueueMachine {
        var machine = QueueMachine(seed: 7)
        _ = machine.handle(.restore(entries), at: .zero)
        return machine
    }

    /// The download that lacks secrets and matches a request whose identity has the hash `[1]`.
    private static func lacking(_ machine: QueueMachine) -> UInt64? {
        machine.lacking(among: machine.ids) { _, hash in hash == [1] }?.number
    }

    @Test func `of several downloads, only the one with the same identity receives its missing secrets`() {
        #expect(
            Self.lacking(Self.queue(Self.entry(1, hash: [2]), Self.entry(2, hash: [1]), Self.entry(3, hash: [3]))) == 2)
        #expect(Self.lacking(Self.queue(Self.entry(1, hash: [2]))) == nil)
    }

    @Test func `the identity hash is salted with the download's completion marker`() {
        let machine = Self.queue(Self.entry(4, hash: [9]))
        let found = machine.lacking(among: [DownloadID(4)]) { salt, hash in salt == 4 && hash == [9] }
        #expect(found == DownloadID(4))
    }

    @Test func `an ended download is never matched to new secrets`() {
        let facts = FinishedFacts(fileName: "f", byteCount: 1, finalURL: "http://a/")
        for state in [QueueEntry.State.completed(facts), .failed(Self.error)] {
            for hash in [nil, [1]] as [[UInt8]?] {
                var machine = Self.queue(Self.entry(1, state: state, hash: hash))
                #expect(Self.lacking(machine) == nil)
                _ = machine.handle(
                    .supply(DownloadID(1), .init(url: "http://a/dl?token=B"), target: 5, priority: 0, isPaused: false),
                    at: .zero)
                #expect(machine[DownloadID(1)]?.url == "http://a/dl")
            }
        }
    }

    @Test
    func
        `without a hash, secrets go to a download only if it is the only candidate, and not if its server chose its name`()
    {
        #expect(Self.lacking(Self.queue(Self.entry(1))) == 1)
        #expect(Self.lacking(Self.queue(Self.entry(1, name: "a", isNameGiven: true))) == 1)
        #expect(Self.lacking(Self.queue(Self.entry(1, name: "a"))) == nil)
        #expect(Self.lacking(Self.queue(Self.entry(1), Self.entry(2))) == nil)
        #expect(Self.lacking(Self.queue(Self.entry(1), Self.entry(2, hash: [1]))) == 2)
        #expect(Self.lacking(Self.queue(Self.entry(1), Self.entry(2, hash: [2]))) == 1)
    }

    @Test(arguments: [QueueEntry.State.queued, .paused], [false, true])
    func `the request that brings the secrets sets pause and priority`(state: QueueEntry.State, isPaused: Bool) {
        var machine = Self.queue(Self.entry(1, state: state, hash: [1]))
        _ = machine.handle(
            .supply(DownloadID(1), .init(url: "http://a/dl?token=A"), target: 5, priority: 3, isPaused: isPaused),
            at: .zero)
        let entry = machine[DownloadID(1)]
        #expect(entry?.state == (isPaused ? .paused : .running))
        #expect(entry?.priority == 3 && entry?.lacksSecrets == false && entry?.identityHash == nil)
        #expect(machine.holder(of: 5)?.id == DownloadID(1) && machine.holder(of: 1) == nil)
    }

    /// Two downloads of a session may share a target if two directories have since become one.
    @Test func `a download whose target belonged to another, removed download holds it once its secrets arrive`() {
        var (first, second) = (Self.entry(1, hash: [1]), Self.entry(2, hash: [2]))
        (first.target, second.target) = (5, 5)
        var machine = Self.queue(first, second)
        let holder = machine.holder(of: 5)?.id
        let other = DownloadID(holder == DownloadID(1) ? 2 : 1)
        _ = machine.handle(.remove(holder ?? DownloadID(0), deletesFiles: false), at: .zero)
        #expect(machine.holder(of: 5) == nil)
        _ = machine.handle(
            .supply(other, .init(url: "http://a/dl?token=A"), target: 5, priority: 0, isPaused: false), at: .zero)
        #expect(machine.holder(of: 5)?.id == other)
    }

    @Test func `a download does not run after a back-off while its secrets are missing`() {
        var machine = Self.queue(
            Self.entry(1, state: .waiting(.backOff(until: .zero + .seconds(1), Self.error)), hash: [1]))
        _ = machine.handle(.wake, at: .zero + .seconds(60))
        #expect(machine[DownloadID(1)]?.state == .waiting(.credentials))
    }
}
