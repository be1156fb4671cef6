/// Runs a program after each download that has ended, a few at once, and knows when the last is done.
actor HookRunner {
    /// At once; others wait for their turn.
    static let mostAtOnce = 4

    /// Starts the program and waits for its end.
    typealias Run = @Sendable (HookFacts) async -> HookEnding

    private let run: Run
    private let failed: @Sendable (HookFacts, HookEnding) -> Void
    private var waiting: [HookFacts] = []
    private var running = 0
    private var failures = 0
    private var idle: [CheckedContinuation<Int, Never>] = []

    /// - Parameter failed: called for each that did not end with zero.
    init(run: @escaping Run, failed: @escaping @Sendable (HookFacts, HookEnding) -> Void) {
        self.run = run
        self.failed = failed
    }

    /// Returns at once.
    func begin(_ facts: HookFacts) {
        waiting.append(facts)
        startNext()
    }

    /// Waits for all that were begun.
    ///
    /// - Returns: how many failed.
    func finish() async -> Int {
        guard running > 0 else { return failures }
        return await withCheckedContinuation { idle.append($0) }
    }

    private func startNext() {
        while running < Self.mostAtOnce, !waiting.isEmpty {
            let facts = waiting.removeFirst()
            running += 1
            Task {
                let ending = await run(facts)
                ended(facts, ending)
            }
        }
    }

    private func ended(_ facts: HookFacts, _ ending: HookEnding) {
        running -= 1
        if ending != .exited(0) {
            failures += 1
            failed(facts, ending)
        }
        startNext()
        guard running == 0 else { return }
        for waiter in idle { waiter.resume(returning: failures) }
        idle = []
    }
}

/// How a program ended.
enum HookEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    case notStarted(String)

    var words: String {
        switch self {
        case .exited(let status): "ended with status \(status)"
        case .signalled(let signal): "was ended by signal \(signal)"
        case .notStarted(let cause): "could not be started: \(cause)"
        }
    }
}
