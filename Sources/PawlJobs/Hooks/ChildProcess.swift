import CPawl
import PawlCore
import PawlSystem

/// Starts programs without a shell, and waits for each on a thread of its own.
enum ChildProcess {
    /// Runs the command with empty standard input, and its output on our standard error: standard output is for data.
    ///
    /// - Parameters:
    ///   - environment: `NAME=value`, in bytes.
    ///   - group: the processes that it receives signals of the terminal with.
    ///   - avoidsCloseRange: uses the fallback of older systems, for tests.
    static func run(
        _ command: HookCommand, environment: [[UInt8]], in group: HookGroup = .inherited,
        avoidsCloseRange: Bool = false
    ) async -> HookEnding {
        await withCheckedContinuation { continuation in
            let isStarted = DetachedThread.start {
                continuation.resume(returning: runAndWait(command, environment, group, avoidsCloseRange))
            }
            if !isStarted { continuation.resume(returning: .notStarted("no thread is available to wait for it")) }
        }
    }

    private static func runAndWait(
        _ command: HookCommand, _ environment: [[UInt8]], _ group: HookGroup, _ avoidsCloseRange: Bool
    ) -> HookEnding {
        var child = pid_t()
        let code = withTexts(command.words.map(\.systemBytes)) { words in
            withTexts(environment) { environment in
                command.path.withSystemPath { path in
                    spawn(path, words, environment, group, avoidsCloseRange, &child)
                }
            }
        }
        guard code == 0 else { return .notStarted(String(cString: strerror(code))) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return .notStarted(String(cString: strerror(errno))) }
        }
        // wait(2): the low seven bits are the signal, and the next byte the status.
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    private typealias Texts = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    #if canImport(Darwin)
    private static func spawn(
        _ path: UnsafePointer<CChar>, _ words: Texts, _ environment: Texts, _ group: HookGroup, _: Bool,
        _ child: inout pid_t
    ) -> Int32 {
        var actions: posix_spawn_file_actions_t?
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        // With POSIX_SPAWN_CLOEXEC_DEFAULT nothing is inherited that is not named here.
        posix_spawn_file_actions_addinherit_np(&actions, STDERR_FILENO)

        var attributes: posix_spawnattr_t?
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // We block signals for the thread that waits for them, and ignore two; a program expects neither.
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        sigaddset(&signals, SIGXFSZ)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        // The group is 0 unless set, which is a new one.
        if group == .own { flags |= Int32(POSIX_SPAWN_SETPGROUP) }
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
        return posix_spawn(&child, path, &actions, &attributes, words, environment)
    }
    #else
    private static func spawn(
        _ path: UnsafePointer<CChar>, _ words: Texts, _ environment: Texts, _ group: HookGroup,
        _ avoidsCloseRange: Bool, _ child: inout pid_t
    ) -> Int32 {
        pawl_spawn(&child, path, words, environment, group == .own ? 1 : 0, avoidsCloseRange ? 1 : 0)
    }
    #endif

    /// The texts as C has them: pointers, and a null at the end.
    private static func withTexts<Result>(_ texts: [[UInt8]], _ body: (Texts) -> Result) -> Result {
        // An array that is passed as a pointer is one for the length of the call.
        var pointers = texts.map { text in strdup(text.map(CChar.init(bitPattern:)) + [0]) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { pointers in
            // Proven: there is a null at least.
            body(pointers.baseAddress!)
        }
    }
}
