import PawlCore
import PawlJobs

/// Runs the programs of `on-download-start` and its like: each gets the GID, how many files there are, and the path of
/// the first (aria2c(1), Event Hook).
package struct Aria2Hooks: Sendable {
    /// The options that name the program; the first that does counts.
    private static func names(_ event: Aria2Event) -> [StaticString] {
        switch event {
        case .started: ["on-download-start"]
        case .paused: ["on-download-pause"]
        case .stopped: ["on-download-stop"]
        case .completed: ["on-download-complete", "on-download-stop"]
        case .failed: ["on-download-error", "on-download-stop"]
        }
    }

    private let options: Aria2Options
    private let console: Aria2Console
    private let programs = LiveHooks(
        FailureWords {
            $0.message
        } exitCode: { _, _ in
            1
        })

    package init(_ options: Aria2Options, _ console: Aria2Console) { (self.options, self.console) = (options, console) }

    /// - Parameter path: of the file, as far as it is known.
    /// - Returns: nil if no program waits for this.
    package func run(_ event: Aria2Event, _ gid: GID, _ path: String) -> Task<Void, Never>? {
        for name in Self.names(event) {
            guard let program = options[name], !program.isEmpty else { continue }
            return Task { [programs, console] in
                switch await programs.run([program, gid.text, "1", path]) {
                case .exited(0), .notRun: break
                case .exited(let status):
                    console.log(.warn, "The program of --\(name) ended with status \(status): \(program)")
                case .signalled(let number):
                    console.log(.warn, "The program of --\(name) was terminated by signal \(number): \(program)")
                case .notStarted(let reason):
                    console.log(.warn, "The program of --\(name) cannot be run: \(program): \(reason)")
                }
            }
        }
        return nil
    }
}
