import PawlArchive
import PawlCore
import Testing

@testable import PawlJobs

/// Runs of random files whose work ends in any order and any way, while a user pauses, resumes, cancels and stops them,
/// and while their process dies and another one resumes them.
@Suite struct JobMachineStoryTests {
    @Test(arguments: 0..<20)
    func `random stories of a run end with an outcome for each file`(chapter: Int) throws {
        for seed in 0..<250 {
            var story = JobStory(seed: UInt64(chapter * 250 + seed))
            try story.run()
        }
    }
}

private struct Violation: Error, CustomStringConvertible {
    let description: String
}

/// A simulated world that performs a machine's actions step by step.
private struct JobStory {
    private enum Work: Hashable {
        case fetch(whole: Bool), inspect, unpack(ExtractionOptions.IfExists), remove, hook
    }

    private let seed: UInt64
    private var random: SplitMix64
    private var machine: JobMachine
    private let files: [JobFile]
    private let failsFast: Bool
    /// Work in progress. `halting` holds the files whose work was told to stop.
    private var works: [JobFileID: Work] = [:]
    private var halting: Set<JobFileID> = []
    private var outcomes: [JobFileID: JobOutcome] = [:]
    /// The files that this machine has begun to fetch.
    private var begun: Set<JobFileID> = []
    private var hooks: [JobFileID: JobOutcome] = [:]
    /// A process that was stopped before it was started left them to the next one.
    private var hooksLeft: Set<JobFileID> = []
    private var paused: Set<JobFileID> = []
    private var cancelled: Set<JobFileID> = []
    private var finished = 0
    private var isStopped = false
    private let rules: JobMachine.Rules
    private var record = RunRecord()
    /// The archives whose removal an earlier process began.
    private var removed: Set<JobFileID> = []

    init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        let count = Int.random(in: 0...5, using: &random)
        files = (0..<count).map { Self.file($0, &random) }
        var rules = JobMachine.Rules()
        rules.failsFast = Bool.random(using: &random)
        rules.maximumFetching = Int.random(in: 1...4, using: &random)
        failsFast = rules.failsFast
        self.rules = rules
        machine = JobMachine([JobSpec("http://a.example/")], rules: rules)
        self.random = random
    }

    private static func file(_ number: Int, _ random: inout SplitMix64) -> JobFile {
        var spec = JobSpec("http://a.example/\(number)")
        spec.options.ifExists = ExistingFilePolicy.allCases.randomElement(using: &random) ?? .fail
        if Bool.random(using: &random) {
            spec.unpacking = Unpacking()
            spec.unpacking?.removesArchive = Bool.random(using: &random)
        }
        if Bool.random(using: &random) { spec.hook = ["notify"] }
        if Int.random(in: 0..<4, using: &random) == 0 {
            spec.members = ["a"]
            spec.acceptsWholeArchive = spec.unpacking != nil
        }
        return JobFile(spec: spec)
    }

    private func claim(_ holds: Bool, _ text: String) throws(Violation) {
        if !holds { throw Violation(description: "seed \(seed): \(text)") }
    }

    mutating func run() throws {
        try take(machine.handle(.start))
        if Int.random(in: 0..<20, using: &random) == 0 { try stop() }
        try take(machine.handle(.found(index: 0, files)))
        var steps = 0
        while finished == 0 {
            steps += 1
            try claim(steps < 1000, "the run does not end: \(works), paused \(paused)")
            switch Int.random(in: 0..<40, using: &random) {
            case 0: try die()
            case 1..<10: try meddle()
            default: try advance()
            }
        }
        try claim(finished == 1, "it ended \(finished) times")
        try claim(works.isEmpty, "\(works) is under way after the end")
        let expected = machine.files.indices.map { JobFileID($0 + 1) }
        try claim(Set(outcomes.keys) == Set(expected), "\(outcomes.keys) of \(expected) are accounted for")
        try judge()
    }

    /// Compares the published outcomes with what really happened.
    private func judge() throws {
        var places: [FileTarget: Int] = [:]
        for (id, outcome) in outcomes {
            let file = machine.files[id.number - 1]
            try claim(
                (hooks[id] != nil) == (!outcome.isStopped && !file.spec.hook.isEmpty && !hooksLeft.contains(id)),
                "\(id): hook \(hooks[id] as Any), \(outcome)")
            try claim(hooks[id] == nil || hooks[id] == outcome, "\(id): the hook was told \(hooks[id] as Any)")
            guard case .completed(let fetched, let unpacked) = outcome else { continue }
            if !fetched.existed { places[fetched.target, default: 0] += 1 }
            let mayBeAlone = !file.spec.members.isEmpty
            try claim(
                mayBeAlone || (unpacked != nil) == (file.spec.unpacking != nil), "\(id): unpacked: \(unpacked as Any)")
        }
        try claim(places.values.allSatisfy { $0 == 1 }, "one target counts twice: \(places)")
        let hasFailed = outcomes.values.contains(where: \.isFailure)
        let stopped = outcomes.filter(\.value.isStopped).keys
        try claim(
            isStopped || (failsFast && hasFailed) || stopped.allSatisfy(cancelled.contains), "stopped for no reason")
    }

    /// The process ends, with whatever it did, and another one resumes the run by its record.
    private mutating func die() throws {
        guard !isStopped, let files = record.files else { return }
        let ended = Set(files.indices.filter { files[$0].hasEnded }.map { JobFileID($0 + 1) })
        let told = Set(files.indices.filter { files[$0].outcome != nil }.map { JobFileID($0 + 1) })
        (works, halting, cancelled, begun) = ([:], [], [], [])
        outcomes = outcomes.filter { told.contains($0.key) }
        hooks = hooks.filter { ended.contains($0.key) }
        paused = Set(files.indices.filter { files[$0].isPaused }.map { JobFileID($0 + 1) }).subtracting(ended)
        removed = Set(files.indices.filter { files[$0].unpacked != nil }.map { JobFileID($0 + 1) })
        machine = JobMachine(resuming: files, rules: rules)
        if Int.random(in: 0..<10, using: &random) == 0 {
            hooksLeft = told.subtracting(ended)
            try stop()
        }
        try take(machine.handle(.start))
    }

    // MARK: Performing actions

    private mutating func take(_ actions: [JobMachineAction]) throws {
        for action in actions {
            switch action {
            case .resolve, .stopResolving: break
            case .fetch(let id, let file): try begin(.fetch(whole: file.comesWhole), id)
            case .inspect(let id, _, _): try begin(.inspect, id)
            case .unpack(let id, _, let policy): try begin(.unpack(policy), id)
            case .removeArchive(let id, _): try begin(.remove, id)
            case .runHook(let id, _, let outcome):
                try claim(hooks.updateValue(outcome, forKey: id) == nil, "\(id): a second hook")
                try begin(.hook, id)
            case .stopFetch(let id), .stopUnpacking(let id): halting.insert(id)
            case .publish(let event): try hear(event)
            }
        }
    }

    private mutating func begin(_ work: Work, _ id: JobFileID) throws {
        try claim(finished == 0 && (outcomes[id] == nil || work == .hook), "\(id): \(work) begins after the end")
        try claim(works.updateValue(work, forKey: id) == nil, "\(id): \(work) beside other work")
        halting.remove(id)
        if case .fetch = work { begun.insert(id) }
        try claim(
            !removed.contains(id) || work == .remove || work == .hook, "\(id): \(work) of an archive that may be gone")
        if work != .hook, work != .remove {
            try claim(!isStopped, "\(id): \(work) begins after everything was stopped")
        }
        let fetching = works.values.count { if case .fetch = $0 { true } else { false } }
        try claim(fetching <= rules.maximumFetching, "\(fetching) are fetched at once")
        let unpacking = works.values.count {
            [.inspect, .remove].contains($0) || { if case .unpack = $0 { true } else { false } }($0)
        }
        try claim(unpacking <= 1, "\(unpacking) archives at once")
    }

    private mutating func hear(_ event: JobEvent) throws {
        _ = record.handle(event)
        switch event {
        case .planned, .noticed, .refused, .fetchesWhole, .archiveKept, .fetched, .removesArchive, .unpacked, .resumed,
            .hookEnded:
            break
        case .began, .choseMembers, .progressed, .notice, .unpacking:
            try claim(false, "\(event) is not the machine's to tell")
        case .paused(let id): paused.insert(id)
        case .ended(let id, let outcome):
            try claim(outcomes.updateValue(outcome, forKey: id) == nil, "\(id) ended twice")
            try claim(works[id] == nil, "\(id) ended while \(works[id] as Any)")
            paused.remove(id)
        case .neverBegun(let count):
            let rest = machine.files.indices.map { JobFileID($0 + 1) }.filter {
                !begun.contains($0) && outcomes[$0] == nil && !paused.contains($0)
                    && record.files?[$0.number - 1].fetched == nil
            }
            try claim(isStopped || failsFast, "files never begin for no reason")
            try claim(rest.count == count, "\(count) of \(rest) have never begun")
            for id in rest { outcomes[id] = .stopped(.fetch, fetched: nil) }
        case .finished: finished += 1
        }
    }

    private mutating func advance() throws {
        guard let (id, work) = works.sorted(by: { $0.key < $1.key }).randomElement(using: &random) else {
            // No work is in progress, so every remaining file is paused.
            let id = paused.sorted().first
            try claim(id != nil, "it hangs")
            if let id { try resume(id) }
            return
        }
        works[id] = nil
        try take(machine.handle(outcome(of: work, id)))
    }

    private mutating func outcome(of work: Work, _ id: JobFileID) -> JobMachineEvent {
        let mustStop = halting.contains(id) && Bool.random(using: &random)
        let fails = Int.random(in: 0..<6, using: &random) == 0
        let failure = JobFailure.download(DownloadError(.network, "cut", recovery: .retryNow))
        let directory = FileTarget(directory: "/d", name: "u\(Int.random(in: 0..<2, using: &random))")
        switch work {
        case .fetch(let isWhole):
            if mustStop { return .fetchStopped(id) }
            if fails {
                return isWhole || machine.files[id.number - 1].spec.members.isEmpty
                    ? .fetchFailed(id, failure) : .membersNotAvailable(id, failure)
            }
            let target = FileTarget(directory: "/d", name: "n\(Int.random(in: 0..<4, using: &random))")
            return .fetched(
                id, FetchedFile(target: target, path: "", existed: Bool.random(using: &random), isVerified: false))
        case .inspect:
            if mustStop { return .unpackingStopped(id) }
            return fails
                ? .unpackingFailed(id, failure)
                : .inspected(
                    id, Inspection(matchesDigest: nil, directory: directory, isUnpacked: Bool.random(using: &random)))
        case .unpack(let policy):
            if mustStop { return .unpackingStopped(id) }
            return fails
                ? .unpackingFailed(id, failure) : .unpacked(id, UnpackedFile(directory, isSkipped: policy == .skip))
        case .remove: return fails ? .unpackingFailed(id, failure) : .archiveRemoved(id)
        case .hook: return .hookEnded(id, .exited(0))
        }
    }

    private mutating func meddle() throws {
        guard let index = machine.files.indices.randomElement(using: &random) else { return }
        let id = JobFileID(index + 1)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: try stop()
        case 1: try cancel(id)
        case 2...6:
            try take(machine.handle(.pause(id)))
            try claimHalting(id)
        default: try resume(id)
        }
    }

    private mutating func stop() throws {
        isStopped = true
        try take(machine.handle(.stop))
    }

    private mutating func cancel(_ id: JobFileID) throws {
        cancelled.insert(id)
        try take(machine.handle(.cancel(id)))
        try claimHalting(id)
    }

    /// Claims that the file's work was told to stop, unless it is work that always runs to its end.
    private func claimHalting(_ id: JobFileID) throws {
        guard let work = works[id], work != .hook, work != .remove else { return }
        try claim(halting.contains(id), "\(id): \(work) is not told to stop")
    }

    private mutating func resume(_ id: JobFileID) throws {
        paused.remove(id)
        try take(machine.handle(.resume(id)))
    }
}
