import PawlCore
import PawlStore
import Testing

@testable import PawlWork

@Suite struct SliceMachineTests {
    private static let id = SliceID(shard: 7, slice: 2)

    private static let slice = Slice("b", id, first: 20, lines: Array(repeating: [], count: 10))

    private func head(attempt: String, data digest: UInt8? = 1) -> ManifestHead {
        var head = ManifestHead("b", Self.id, first: 20, items: 10, attempt: attempt)
        head.data = digest.map {
            let sha256 = [UInt8](repeating: $0, count: 32)
            return .init(key: .data(Self.id, digest: sha256), bytes: 5, sha256: sha256)
        }
        return head
    }

    /// A machine whose manifest is next.
    private func creating(_ head: ManifestHead) -> SliceMachine {
        var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
        #expect(machine.handle(.start) == .getManifest)
        #expect(machine.handle(.got(nil)) == .openSpool)
        #expect(machine.handle(.opened(attempt: "ours")) == .gather)
        #expect(machine.handle(.gathered(ourFailures: 5)) == .seal)
        let next = machine.handle(.sealed(head))
        if let data = head.data {
            #expect(next == .putData(data))
            #expect(machine.handle(.put) == .createManifest)
        } else {
            #expect(next == .createManifest)
        }
        return machine
    }

    @Test
    func `a slice that is committed is passed over`() {
        var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
        let theirs = head(attempt: "theirs")
        #expect(machine.handle(.start) == .getManifest)
        #expect(machine.handle(.got(theirs)) == .clear)
        #expect(machine.handle(.cleared) == .end(.committed(theirs, isOurs: false)))
        #expect(machine.handle(.stop) == nil)
    }

    @Test(arguments: [1, nil])
    func `the data is in the store before the manifest is created`(_ data: UInt8?) {
        let ours = head(attempt: "ours", data: data)
        var machine = creating(ours)
        #expect(machine.handle(.created(.created)) == .clear)
        #expect(machine.handle(.cleared) == .end(.committed(ours, isOurs: true)))
    }

    @Test
    func `a manifest whose answer was lost is ours`() {
        let ours = head(attempt: "ours")
        var machine = creating(ours)
        // It was created again.
        #expect(machine.handle(.created(.exists)) == .getManifest)
        #expect(machine.handle(.got(ours)) == .clear)
        #expect(machine.handle(.cleared) == .end(.committed(ours, isOurs: true)))
    }

    @Test
    func `data that another attempt has no use for is deleted, but not data that is its own, too`() {
        let theirs = head(attempt: "theirs", data: 2)
        var machine = creating(head(attempt: "ours"))
        #expect(machine.handle(.created(.exists)) == .getManifest)
        let ours = StoreKey.data(Self.id, digest: [UInt8](repeating: 1, count: 32))
        #expect(machine.handle(.got(theirs)) == .deleteData(ours))
        // An orphan is no reason to fail.
        #expect(machine.handle(.storeFailed(StoreError(.refused, "no"))) == .clear)
        #expect(machine.handle(.cleared) == .end(.committed(theirs, isOurs: false)))

        var same = creating(head(attempt: "ours"))
        #expect(same.handle(.created(.exists)) == .getManifest)
        #expect(same.handle(.got(head(attempt: "theirs"))) == .clear)
    }

    @Test(arguments: [(StoreError.Kind.refused, WorkError.Kind.store), (.unavailable, .again), (.damaged, .again)])
    func `a store that refuses ends the task for good, and one that fails for now`(
        _ kind: StoreError.Kind, _ expected: WorkError.Kind
    ) {
        var machine = SliceMachine(Self.slice, maximumFailed: 0)
        _ = machine.handle(.start)
        let end = machine.handle(.storeFailed(StoreError(kind, "No.")))
        #expect(end == .end(.failed(WorkError(expected, "No."))))
    }

    @Test
    func `a manifest of another batch, or of other lines, is no commit of this slice`() {
        var other = head(attempt: "theirs")
        other.batch = "c"
        var shorter = head(attempt: "theirs")
        shorter.items = 9
        for manifest in [other, shorter] {
            var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
            _ = machine.handle(.start)
            guard case .end(.failed(let error))? = machine.handle(.got(manifest)) else {
                Issue.record("it was taken for one")
                continue
            }
            #expect(error.kind == .batch)
        }
    }

    @Test(arguments: [(5, true), (6, false)])
    func `a slice with too many failures on our side is not committed`(_ count: Int, _ isSealed: Bool) {
        var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
        _ = machine.handle(.start)
        _ = machine.handle(.got(nil))
        _ = machine.handle(.opened(attempt: "a"))
        let action = machine.handle(.gathered(ourFailures: count))
        if isSealed { return #expect(action == .seal) }
        guard case .end(.failed(let error))? = action else {
            Issue.record("\(String(describing: action))")
            return
        }
        #expect(error.kind == .again)
    }

    @Test
    func `a stop and a full disk leave the slice to another try`() {
        var stopped = creating(head(attempt: "ours"))
        #expect(stopped.handle(.stop) == .end(.stopped))
        #expect(stopped.handle(.created(.created)) == nil)
        var full = SliceMachine(Self.slice, maximumFailed: 0)
        _ = full.handle(.start)
        _ = full.handle(.got(nil))
        let end = full.handle(.spoolFailed("The disk is full."))
        #expect(end == .end(.failed(WorkError(.again, "The disk is full."))))
    }
}
