extension SystemCalls {
    /// Starts a program in a session of its own, with nothing for its standard streams and no signal blocked, and does
    /// not wait for it.
    ///
    /// - Parameter words: the name that the program is to find as its own, and its arguments.
    /// - Returns: 0, or an error number.
    package static func startInBackground(_ program: String, _ words: [String]) -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        let ownSession: Int32 = POSIX_SPAWN_SETSID
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        // POSIX_SPAWN_SETSID, which the C library declares for _GNU_SOURCE only.
        let ownSession: Int32 = 0x80
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (stream, mode) in [(STDIN_FILENO, O_RDONLY), (STDOUT_FILENO, O_WRONLY), (STDERR_FILENO, O_WRONLY)] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", mode, 0)
        }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: ownSession | Int32(POSIX_SPAWN_SETSIGMASK)))
        let texts = words.map { $0.withSystemPath { strdup($0) } } + [nil]
        defer { for text in texts { free(text) } }
        #if canImport(Darwin)
        let environment = _NSGetEnviron().pointee
        #else
        let environment = Environment.pointers
        #endif
        var child = pid_t()
        return program.withSystemPath { posix_spawn(&child, $0, &actions, &attributes, texts, environment) }
    }
}
