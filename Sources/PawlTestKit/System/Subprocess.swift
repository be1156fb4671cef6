import PawlEngine
import PawlSystem
import Synchronization

/// A program that a test started: no shell, no input, output kept in files, killed with its last reference.
///
/// The program gets `PATH`, `HOME`, `TMPDIR` and the test's own variables, no place to store anything for a later test,
/// and the default action for every signal, so that its behaviour does not depend on how the tests were started.
package final class Subprocess: Sendable {
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    package struct Output: Sendable {
        package let ending: Ending
        package let standardOutput: String
        package let standardError: String
    }

    package struct TimedOut: Error, CustomStringConvertible {
        package let description: String
    }

    package let program: String
    package let processID: Int32
    private let captured: TemporaryDirectory
    private let ending = Locked<Ending?>(nil)

    package init(_ program: String, _ arguments: [String], environment additions: [String: String] = [:]) throws {
        self.program = program
        let path = try Self.find(program)
        let captured = try TemporaryDirectory("output")
        self.captured = captured
        processID = try Self.spawn(
            path, arguments, Self.environment(additions),
            output: captured.file("stdout"), error: captured.file("stderr")
        )
    }

    deinit {
        guard running() else { return }
        kill(processID, SIGKILL)
        var status: Int32 = 0
        waitpid(processID, &status, 0)
    }

    /// Starts a program and waits for its end.
    package static func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], timeout: Duration = .seconds(60)
    ) async throws -> Output {
        try await Subprocess(program, arguments, environment: environment).output(timeout: timeout)
    }

    /// The full path of a program. Servers live in directories that an ordinary user's `PATH` leaves out.
    package static func find(_ program: String) throws -> String {
        if program.contains("/") { return program }
        let path = (getenv("PATH").map { String(cString: $0) } ?? "") + ":/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin"
        for directory in path.split(separator: ":") where access("\(directory)/\(program)", X_OK) == 0 {
            return "\(directory)/\(program)"
        }
        throw ServerError.notInstalled(program)
    }

    /// A program of this package, beside the test bundle in the build directory; nil if it was not built.
    package static func built(_ name: String) -> String? {
        var running = [UInt8](repeating: 0, count: Int(PATH_MAX))
        running = Array(running.prefix(max(0, readlink("/proc/self/exe", &running, running.count))))
        for start in CommandLine.arguments + [String(decoding: running, as: UTF8.self)] where start.contains("/") {
            var directory = start.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            // On Linux the bundle is a program in the build directory; on macOS it is a directory with the program
            // three levels below.
            for _ in 0..<4 where !directory.isEmpty {
                let candidate = directory.joined(separator: "/") + "/" + name
                if FileKind(path: candidate) == .other, access(candidate, X_OK) == 0 { return candidate }
                directory = directory.dropLast()
            }
        }
        return nil
    }

    package var standardOutput: String { (try? Files.text(captured.file("stdout"))) ?? "" }
    package var standardError: String { (try? Files.text(captured.file("stderr"))) ?? "" }

    package func send(signal number: Int32) {
        // After a wait, another process may have the number.
        ending.withLock { if $0 == nil { _ = kill(processID, number) } }
    }

    package func interrupt() { send(signal: SIGINT) }
    package func terminate() { send(signal: SIGTERM) }
    package func kill9() { send(signal: SIGKILL) }

    package func running() -> Bool {
        ending.withLock { ending in
            guard ending == nil else { return false }
            var status: Int32 = 0
            guard waitpid(processID, &status, WNOHANG) == processID else { return true }
            // The macros of <sys/wait.h>, which Swift does not import.
            let signal = status & 0x7f
            ending = signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
            return false
        }
    }

    /// Waits for the end. A program that outlives the timeout is killed and gone before the error, which contains its
    /// output, is thrown.
    package func wait(timeout: Duration) async throws -> Ending {
        let deadline = ContinuousClock.now + timeout
        while running() {
            guard ContinuousClock.now < deadline else {
                kill9()
                // A disk call under way must end first; the program's locks last until then.
                for _ in 0..<30_000 where running() { try await Task.sleep(for: .milliseconds(2)) }
                throw TimedOut(
                    description: "\(program) still ran after \(timeout)\n\(standardOutput)\n\(standardError)")
            }
            try await Task.sleep(for: .milliseconds(2))
        }
        return ending.withLock { $0! }
    }

    package func output(timeout: Duration = .seconds(60)) async throws -> Output {
        let ending = try await wait(timeout: timeout)
        return Output(ending: ending, standardOutput: standardOutput, standardError: standardError)
    }

    private static func environment(_ additions: [String: String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in ["PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH"] {
            if let value = getenv(name) { values[name] = String(cString: value) }
        }
        return values.merging(["LC_ALL": "C", "NO_COLOR": "1", "XDG_STATE_HOME": "/nonexistent"]) { $1 }.merging(
            additions
        ) { $1 }
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ environment: [String: String], output: String, error: String
    ) throws -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        posix_spawn_file_actions_addopen(&actions, 2, error, O_WRONLY | O_CREAT | O_TRUNC, 0o644)

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGQUIT] { sigaddset(&defaults, signal) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        var blocked = sigset_t()
        sigemptyset(&blocked)
        posix_spawnattr_setsigmask(&attributes, &blocked)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))

        let argumentPointers = ([path] + arguments).map { $0.withSystemPath { strdup($0) } } + [nil]
        let environmentPointers = environment.map { "\($0)=\($1)".withSystemPath { strdup($0) } } + [nil]
        defer { for pointer in argumentPointers + environmentPointers { free(pointer) } }
        var identifier: pid_t = 0
        let result = posix_spawn(&identifier, path, &actions, &attributes, argumentPointers, environmentPointers)
        guard result == 0 else { throw SystemCallError("posix_spawn", path, number: result) }
        return identifier
    }
}
