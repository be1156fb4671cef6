import PawlAria2
import PawlCore
import PawlEngine
import PawlJobs
import Synchronization

/// State that aria2's clients ask for and jobs do not record. It ends with the process, as it does in aria2.
final class Aria2Memory: Sendable {
    private struct State {
        /// The options set by `changeGlobalOption` that are not settings of the service.
        var global = Aria2Options()
        var left: [Aria2Session.Entry] = []
        /// The options given for each job, by its id; options without effect here are reported by `getOption` only.
        var given: [ExactText: Aria2Options] = [:]
        /// The number of jobs with remembered options at which those of deleted jobs are discarded next.
        var nextLook = 1000
        /// Jobs whose URIs were all taken away.
        var withoutURIs: Set<ExactText> = []
        /// The latest is the last.
        var removed: [StoredJob] = []
        var removedInAll = 0
        /// Downloads whose results were taken out of the history by a call.
        var forgottenInAll = 0
    }

    /// aria2's `max-download-result`.
    private static let maximumRemoved = 1000

    private let state: Locked<State>
    /// The id of the session: 40 hexadecimal digits, others after each start.
    let session: String = {
        var generator = SystemRandomNumberGenerator()
        return String(
            decoding: (0..<40).map { _ in Array("0123456789abcdef".utf8)[Int.random(in: 0..<16, using: &generator)] },
            as: UTF8.self)
    }()

    /// - Parameters:
    ///   - global: what holds for each download from the start.
    ///   - left: what could not be added, and is saved with the rest.
    init(global: Aria2Options, left: [Aria2Session.Entry]) { state = Locked(State(global: global, left: left)) }

    var left: [Aria2Session.Entry] { state.withLock { $0.left } }

    func leave(_ entry: Aria2Session.Entry) { state.withLock { $0.left.append(entry) } }

    var global: Aria2Options { state.withLock { $0.global } }

    func changeGlobal(_ options: Aria2Options) { state.withLock { $0.global = options.over($0.global) } }

    func given(of id: String) -> Aria2Options { state.withLock { $0.given[ExactText(id)] } ?? Aria2Options() }

    /// - Parameter exists: whether there is a job with this id: what was given for others is forgotten from time to
    ///   time.
    func give(_ options: Aria2Options, to id: String, _ exists: (String) -> Bool) {
        guard !options.isEmpty else { return }
        let mayBeGone = state.withLock { state -> [ExactText] in
            state.given[ExactText(id)] = options.over(state.given[ExactText(id)] ?? Aria2Options())
            guard state.given.count > state.nextLook else { return [] }
            state.nextLook = state.given.count * 2
            let removed = Set(state.removed.map { ExactText($0.id) })
            return state.given.keys.filter { !removed.contains($0) }
        }
        let gone = mayBeGone.filter { !exists($0.text) }
        state.withLock { state in
            for id in gone { (state.given[id], _) = (nil, state.withoutURIs.remove(id)) }
            state.nextLook = max(1000, state.given.count * 2)
        }
    }

    func isWithoutURIs(_ id: String) -> Bool { state.withLock { $0.withoutURIs.contains(ExactText(id)) } }

    func setWithoutURIs(_ id: String, _ isWithout: Bool) {
        state.withLock { state in
            if isWithout { state.withoutURIs.insert(ExactText(id)) } else { state.withoutURIs.remove(ExactText(id)) }
        }
    }

    // MARK: Removed downloads

    func remember(_ job: StoredJob) {
        state.withLock { state in
            state.removed.append(job)
            state.removedInAll += 1
            if state.removed.count > Self.maximumRemoved {
                state.given[ExactText(state.removed.removeFirst().id)] = nil
            }
        }
    }

    var removed: [StoredJob] { state.withLock { $0.removed } }
    /// The number of removed downloads, including those that no list has any more.
    var goneInAll: Int { state.withLock { $0.removedInAll + $0.forgottenInAll } }

    func countForgotten() { state.withLock { $0.forgottenInAll += 1 } }

    func removed(withIDPrefix prefix: String) -> [StoredJob] {
        state.withLock { $0.removed.filter { $0.id.utf8.starts(with: prefix.utf8) } }
    }

    /// Forgets a job that is gone from the lists.
    func forget(_ id: String) {
        state.withLock { state in
            state.given[ExactText(id)] = nil
            state.withoutURIs.remove(ExactText(id))
            state.removed.removeAll { $0.id.isExactly(id) }
        }
    }

    func forgetRemoved() {
        state.withLock { state in
            for job in state.removed { state.given[ExactText(job.id)] = nil }
            state.removed = []
        }
    }
}
