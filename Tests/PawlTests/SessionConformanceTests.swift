import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@Suite("What a session store promises")
struct SessionConformanceTests {
    @Test(arguments: SessionConformance.Check.allCases)
    func `a session in a file keeps its promises`(_ check: SessionConformance.Check) throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        try SessionConformance { PlainFileSession(directory.file("session")) }.run(check)
    }

    /// A conformance suite that a broken store passes would show nothing.
    @Test(arguments: [ForgetfulSession.Fault.keepsRemoved, .losesLast, .sortsChanges, .truncatesIDs])
    func `the checks find a store that breaks a promise`(fault: ForgetfulSession.Fault) {
        let failed = SessionConformance.Check.allCases.filter { check in
            let store = ForgetfulSession(fault)
            return (try? SessionConformance { store }.run(check)) == nil
        }
        // None of them excludes a second store.
        #expect(failed.count >= 2 && failed.contains(.excludesASecondStore), "\(failed)")
    }
}

/// A store in memory that breaks a promise.
final class ForgetfulSession: SessionStore {
    enum Fault: Sendable {
        case keepsRemoved, losesLast, sortsChanges, truncatesIDs
    }

    private let fault: Fault
    private let kept = Locked<[UInt64: [UInt8]]>([:])

    init(_ fault: Fault) { self.fault = fault }

    func load() throws(DownloadError) -> [SessionRecord] {
        kept.withLock { $0.map { SessionRecord(id: DownloadID($0.key), bytes: $0.value) } }
    }

    func save(_ changes: [SessionChange]) throws(DownloadError) {
        var changes = fault == .losesLast ? changes.dropLast() : changes[...]
        if fault == .sortsChanges {
            changes =
                changes.filter { if case .put = $0 { true } else { false } }
                + changes.filter { if case .remove = $0 { true } else { false } }
        }
        kept.withLock { kept in
            for change in changes {
                switch change {
                case .put(let record):
                    kept[fault == .truncatesIDs ? record.id.number & (.max >> 1) : record.id.number] = record.bytes
                case .remove(let id): if fault != .keepsRemoved { kept[id.number] = nil }
                }
            }
        }
    }

    func close() {}
}
