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
        #expect(machine.handle(.start, at: .zero) == .getManifest)
        #expect(machine.handle(.got(nil), at: .zero) == .openSpool)
        #expect(machine.handle(.opened(attempt: "ours"), at: .zero) == .gather)
        #expect(machine.handle(.gathered(ourFailures: 5), at: .zero) == .seal)
        let next = machine.handle(.sealed(head), at: .zero)
        if let data = head.data {
            #expect(next == .putData(data))
            #expect(machine.handle(.put, at: .zero) == .createManifest)
        } else {
            #expect(next == .createManifest)
        }
        return machine
    }

    @Test
    func `a slice that is committed is passed over`() {
        var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
        let theirs = head(attempt: "theirs")
        #expect(machine.handle(.start, at: .zero) == .getManifest)
        #expect(machine.handle(.got(theirs), at: .zero) == .clear)
        #expect(machine.handle(.cleared, at: .zero) == .end(.committed(theirs, isOurs: false)))
        #expect(machine.handle(.stop, at: .zero) == nil)
    }

    @Test(arguments: [1, nil])
    func `the data is in the store before the manifest is created`(_ data: UInt8?) {
        let ours = head(attempt: "ours", data: data)
        var machine = creating(ours)
        #expect(machine.handle(.created(.created), at: .zero) == .clear)
        #expect(machine.handle(.cleared, at: .zero) == .end(.committed(ours, isOurs: true)))
    }

    @Test
    func `a manifest whose answer was lost is ours`() {
        let ours = head(attempt: "ours")
        var machine = creating(ours)
        let error = StoreError(.unavailable, "no answer")
        #expect(machine.handle(.storeFailed(error), at: .zero) == .wait(.milliseconds(200)))
        #expect(machine.handle(.waited, at: .zero) == .createManifest)
        #expect(machine.handle(.created(.exists), at: .zero) == .getManifest)
        #expect(machine.handle(.got(ours), at: .zero) == .clear)
        #expect(machine.handle(.cleared, at: .zero) == .end(.committed(ours, isOurs: true)))
    }

    @Test
    func `data that another attempt has no use for is deleted, but not data that is its own, too`() {
        let theirs = head(attempt: "theirs", data: 2)
        var machine = creating(head(attempt: "ours"))
        #expect(machine.handle(.created(.exists), at: .zero) == .getManifest)
        let ours = StoreKey.data(Self.id, digest: [UInt8](repeating: 1, count: 32))
        #expect(machine.handle(.got(theirs), at: .zero) == .deleteData(ours))
        // An orphan is no reason to fail.
        #expect(machine.handle(.storeFailed(StoreError(.refused, "no")), at: .zero) == .clear)
        #expect(machine.handle(.cleared, at: .zero) == .end(.committed(theirs, isOurs: false)))

        var same = creating(head(attempt: "ours"))
        #expect(same.handle(.created(.exists), at: .zero) == .getManifest)
        #expect(same.handle(.got(head(attempt: "theirs")), at: .zero) == .clear)
    }

    @Test
    func `a store that refuses ends the task for good, and one that fails only after ten minutes`() {
        var refused = SliceMachine(Self.slice, maximumFailed: 0)
        _ = refused.handle(.start, at: .zero)
        let end = refused.handle(.storeFailed(StoreError(.refused, "No rights.")), at: .zero)
        #expect(end == .end(.failed(WorkError(.store, "No rights."))))

        var machine = SliceMachine(Self.slice, maximumFailed: 0)
        _ = machine.handle(.start, at: .zero)
        var now = Instant.zero
        while true {
            let action = machine.handle(.storeFailed(StoreError(.unavailable, "Busy.")), at: now)
            if case .wait(let time)? = action {
                #expect(time <= .seconds(30))
                now = now + time
                #expect(machine.handle(.waited, at: now) == .getManifest)
                continue
            }
            guard case .end(.failed(let error))? = action else {
                Issue.record("\(String(describing: action))")
                return
            }
            #expect(error.kind == .again)
            break
        }
        #expect(now - .zero >= StorePatience.limit && now - .zero < StorePatience.limit + .seconds(30))
    }

    @Test
    func `a manifest of another batch, or of other lines, is no commit of this slice`() {
        var other = head(attempt: "theirs")
        other.batch = "c"
        var shorter = head(attempt: "theirs")
        shorter.items = 9
        for manifest in [other, shorter] {
            var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
            _ = machine.handle(.start, at: .zero)
            guard case .end(.failed(let error))? = machine.handle(.got(manifest), at: .zero) else {
                Issue.record("it was taken for one")
                continue
            }
            #expect(error.kind == .batch)
        }
    }

    @Test
    func `an answer begins the patience anew`() {
        var machine = SliceMachine(Self.slice, maximumFailed: 0)
        _ = machine.handle(.start, at: .zero)
        let (busy, late) = (StoreError(.unavailable, "Busy."), Instant.zero + .seconds(599))
        _ = machine.handle(.storeFailed(busy), at: .zero)
        _ = machine.handle(.waited, at: .zero)
        _ = machine.handle(.got(nil), at: late)
        _ = machine.handle(.opened(attempt: "a"), at: late)
        _ = machine.handle(.gathered(ourFailures: 0), at: late)
        _ = machine.handle(.sealed(head(attempt: "a")), at: late)
        #expect(machine.handle(.storeFailed(busy), at: late + .seconds(500)) == .wait(.milliseconds(200)))
    }

    @Test(arguments: [(5, true), (6, false)])
    func `a slice with too many failures on our side is not committed`(_ count: Int, _ isSealed: Bool) {
        var machine = SliceMachine(Self.slice, maximumFailed: 0.5)
        _ = machine.handle(.start, at: .zero)
        _ = machine.handle(.got(nil), at: .zero)
        _ = machine.handle(.opened(attempt: "a"), at: .zero)
        let action = machine.handle(.gathered(ourFailures: count), at: .zero)
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
        #expect(stopped.handle(.stop, at: .zero) == .end(.stopped))
        #expect(stopped.handle(.created(.created), at: .zero) == nil)
        var full = SliceMachine(Self.slice, maximumFailed: 0)
        _ = full.handle(.start, at: .zero)
        _ = full.handle(.got(nil), at: .zero)
        let end = full.handle(.spoolFailed("The disk is full."), at: .zero)
        #expect(end == .end(.failed(WorkError(.again, "The disk is full."))))
    }
}
