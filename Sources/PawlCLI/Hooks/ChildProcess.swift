#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Starts programs without a shell, and waits for them on a thread of their own.
enum ChildProcess {
    /// Runs the command with nothing to read, and what it prints on our standard error: standard output is for data.
    static func run(_ command: HookCommand, environment: [String]) async -> HookEnding {
        await withCheckedContinuation { continuation in
            let wait = Wait { continuation.resume(returning: runAndWait(command, environment: environment)) }
            let box = Unmanaged.passRetained(wait)
            guard startThread(box.toOpaque()) != 0 else { return }
            // Nobody else will: the thread was to.
            box.release()
            continuation.resume(returning: .notStarted("there is no thread to wait for it"))
        }
    }

    private final class Wait: Sendable {
        let body: @Sendable () -> Void

        init(body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// A thread that nobody joins. Zero on success.
    private static func startThread(_ argument: UnsafeMutableRawPointer) -> Int32 {
        #if canImport(Darwin)
        var created: pthread_t?
        let code = pthread_create(&created, nil, { ChildProcess.perform($0) }, argument)
        guard code == 0, let thread = created else { return code }
        #else
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, { $0.flatMap { ChildProcess.perform($0) } }, argument)
        guard code == 0 else { return code }
        #endif
        pthread_detach(thread)
        return 0
    }

    private static func perform(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Wait>.fromOpaque(argument).takeRetainedValue().body()
        return nil
    }

    private static func runAndWait(_ command: HookCommand, environment: [String]) -> HookEnding {
        var child = pid_t()
        let code = spawn(command, environment, &child)
        guard code == 0 else { return .notStarted(String(cString: strerror(code))) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return .notStarted(String(cString: strerror(errno))) }
        }
        // wait(2): the low seven bits are the signal, and the next byte the status.
        let signal = status & 0x7F
        return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
    }

    /// What we were started with, and the pollers of the event loops, would reach the program otherwise: those are not made to close
    /// where another program begins.
    private static func keepDescriptorsToOurselves() {
        guard let directory = opendir("/dev/fd") else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard let number = Int32(name), number > STDERR_FILENO else { continue }
            let flags = fcntl(number, F_GETFD)
            if flags >= 0 { _ = fcntl(number, F_SETFD, flags | FD_CLOEXEC) }
        }
    }

    private static func spawn(_ command: HookCommand, _ environment: [String], _ child: inout pid_t) -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
        keepDescriptorsToOurselves()

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // We hold signals back for the thread that waits for them, and ignore SIGPIPE; a program expects neither.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var ordinary = sigset_t()
        sigemptyset(&ordinary)
        sigaddset(&ordinary, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &ordinary)
        var flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        #if canImport(Darwin)
        flags |= Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
        #endif
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

        return withTexts(command.words) { words in
            withTexts(environment) { environment in
                posix_spawn(&child, command.path, &actions, &attributes, words, environment)
            }
        }
    }

    /// The texts as C has them: pointers, and a null at the end.
    private static func withTexts<Result>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { pointers in
            // Proven: there is a null at least.
            body(pointers.baseAddress!)
        }
    }
}
