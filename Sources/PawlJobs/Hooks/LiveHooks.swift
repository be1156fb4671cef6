import Pawl
import PawlCore
import PawlSystem

/// Runs the programs of jobs as child processes.
package struct LiveHooks: JobHookPort {
    private let words: FailureWords
    private let runner = HookRunner()
    private let workingDirectory: [UInt8]
    private let inherited: [[UInt8]]
    private let group: HookGroup
    private var job: Job?

    private struct Job {
        let id: String
        let end: String
        let mayStart: @Sendable () -> Bool
    }

    package init(_ words: FailureWords, in group: HookGroup = .inherited) {
        (self.words, self.group) = (words, group)
        workingDirectory = (SystemCalls.workingDirectory ?? ".").systemBytes
        inherited = Environment.entries
    }

    /// The same, for a job that has an id of its own.
    ///
    /// - Parameters:
    ///   - end: the name of the end that the program is told of. Two runs that tell of one end at once share a program.
    ///   - mayStart: asked when the turn of the program comes; if false, it is not run.
    package func named(_ id: String, end: String, _ mayStart: @escaping @Sendable () -> Bool) -> LiveHooks {
        var hooks = self
        hooks.job = Job(id: id, end: end, mayStart: mayStart)
        return hooks
    }

    package static func canRun(_ program: String) -> Bool { HookCommand.find(program) != nil }

    package func check(_ spec: JobSpec) throws(JobFailure) {
        guard let program = spec.hook.first, !Self.canRun(program) else { return }
        throw .spec(
            JobSpecError(
                .invalidValue, ["hook"],
                program.utf8.contains(UInt8(ascii: "/"))
                    ? "“\(program)” is not an executable file." : "“\(program)” was not found in PATH."))
    }

    package func run(
        _ id: JobFileID, _ file: JobFile, _ outcome: JobOutcome, _ ended: @escaping @Sendable (HookEnding) -> Void
    ) {
        let facts = HookFacts(job?.id ?? String(id.number), file, outcome, words, workingDirectory: workingDirectory)
        guard let facts, let program = file.spec.hook.first, let path = HookCommand.find(program) else {
            return ended(.notStarted(SystemCalls.text(of: ENOENT)))
        }
        let command = HookCommand(path: path, words: file.spec.hook)
        let (inherited, group, mayStart) = (inherited, group, job?.mayStart)
        runner.begin(
            {
                guard mayStart?() ?? true else { return .notRun }
                return await ChildProcess.run(
                    command, environment: facts.environment(inheriting: inherited), in: group)
            }, name: job?.end, ended)
    }

    /// Runs a program with these arguments, when its turn comes.
    package func run(_ words: [String]) async -> HookEnding {
        guard let program = words.first, let path = HookCommand.find(program) else {
            return .notStarted(SystemCalls.text(of: ENOENT))
        }
        let (inherited, group) = (inherited, group)
        return await withCheckedContinuation { continuation in
            runner.begin {
                await ChildProcess.run(HookCommand(path: path, words: words), environment: inherited, in: group)
            } _: {
                continuation.resume(returning: $0)
            }
        }
    }
}
