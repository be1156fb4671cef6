import Pawl
import PawlCore
import PawlJobs

/// The programs of a job of the service. Each starts after the commit of the end that it is told of: a service that is
/// killed at any moment runs it again, and no program tells of an end that the next start does not know.
struct RecordedHooks: JobHookPort {
    /// Makes the end durable, and looks whether its program is still due.
    typealias Decide = @Sendable () async -> Decision

    enum Decision: Hashable, Sendable {
        /// The name of the end, which no other end has.
        case run(end: String)
        /// The database cannot be read or written now.
        case notYet
        /// The job was retried, or the service stops.
        case needless
    }

    /// The time between two tries.
    static let pause = Duration.seconds(1)

    private let hooks: @Sendable (_ end: String) -> any JobHookPort
    private let decide: Decide

    init(_ hooks: @escaping @Sendable (_ end: String) -> any JobHookPort, _ decide: @escaping Decide) {
        (self.hooks, self.decide) = (hooks, decide)
    }

    func check(_ spec: JobSpec) throws(JobFailure) { try hooks("").check(spec) }

    func run(
        _ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void
    ) {
        Task {
            while true {
                switch await decide() {
                case .run(let end):
                    let ending = await withCheckedContinuation { continuation in
                        hooks(end).run(id, file, outcome) { continuation.resume(returning: $0) }
                    }
                    // After a reload, its turn may have been given up by the service before this one.
                    if ending != .notRun { return ended(ending) }
                case .notYet: try? await Task.sleep(for: Self.pause)
                case .needless: return ended(.notRun)
                }
            }
        }
    }
}
