import Pawl
import PawlCore
import PawlSystem

/// Runs the programs of jobs as child processes.
package struct LiveHooks: JobHookPort {
    private let words: FailureWords
    private let runner = HookRunner()
    private let workingDirectory: [UInt8]
    private let inherited: [[UInt8]]
    private var name: String?

    package init(_ words: FailureWords) {
        self.words = words
        workingDirectory = (SystemCalls.workingDirectory ?? ".").systemBytes
        inherited = Environment.entries
    }

    /// The same, for a job that has an id of its own.
    package func named(_ name: String) -> LiveHooks {
        var hooks = self
        hooks.name = name
        return hooks
    }

    package static func canRun(_ program: String) -> Bool { HookCommand.find(program) != nil }

    package func check(_ spec: JobSpec) throws(JobFailure) {
        guard let program = spec.hook.first, !Self.canRun(program) else { return }
        throw .spec(
            JobSpecError(
                .invalidValue, ["hook"],
                "“\(program)”: there is no such program that can be run. Give its path, or look at PATH."))
    }

    package func run(
        _ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void
    ) {
        let facts = HookFacts(name ?? String(id.number), file, outcome, words, workingDirectory: workingDirectory)
        guard let facts, let program = file.spec.hook.first, let path = HookCommand.find(program) else {
            return ended(.notStarted(SystemCalls.text(of: ENOENT)))
        }
        let command = HookCommand(path: path, words: file.spec.hook)
        let inherited = inherited
        runner.begin(
            { await ChildProcess.run(command, environment: facts.environment(inheriting: inherited)) }, name: name,
            ended)
    }

    /// Runs a program with these arguments, when its turn comes.
    package func run(_ words: [String]) async -> HookEnding {
        guard let program = words.first, let path = HookCommand.find(program) else {
            return .notStarted(SystemCalls.text(of: ENOENT))
        }
        let inherited = inherited
        return await withCheckedContinuation { continuation in
            runner.begin({ await ChildProcess.run(HookCommand(path: path, words: words), environment: inherited) }) {
                continuation.resume(returning: $0)
            }
        }
    }
}
