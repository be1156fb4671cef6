import PawlSystem

/// Receives signals on a waiting thread, so that nothing ever runs inside a signal handler.
struct SignalWatch {
    private let signals: sigset_t

    /// Blocks the signals in this thread and in all that it begins.
    init() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGINT, SIGTERM, SIGALRM] { sigaddset(&signals, number) }
        // `nohup` asks for a program that outlives its terminal, by ignoring SIGHUP; a blocked signal would be waited
        // for all the same.
        if !Self.isIgnored(SIGHUP) { sigaddset(&signals, SIGHUP) }
        // Only a taskbar has to be told that the program is suspended.
        if Taskbar.current != nil, !Self.isIgnored(SIGTSTP) { sigaddset(&signals, SIGTSTP) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        // A closed pipe is the result of a write, not the end of a download.
        signal(SIGPIPE, SIG_IGN)
        self.signals = signals
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        #if canImport(Darwin)
        let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Glibc)
        let handler = action.__sigaction_handler.sa_handler
        #elseif canImport(Musl)
        let handler = action.__sa_handler.sa_handler
        #endif
        // Proven: a function pointer is as large as an Int.
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// The first signal asks the command to save and end; the second, or a timeout, ends it at once.
    ///
    /// - Parameter status: what the program ends with.
    func wait(for interruption: Interruption, exitingWith status: (StopCause) -> Int32) -> Never {
        var signals = signals
        var first: StopCause?
        while true {
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0 else { continue }
            if number == SIGALRM, let first {
                Self.leaveBlock()
                OutputStream.standardError.write(Severity.error.line(interruption.patience.complaint) + "\n")
                Process.exit(status(first))
            }
            if number == SIGTSTP { Self.suspend() }
            guard let cause = StopCause(signal: number) else { continue }
            guard first == nil, interruption.stop(cause) else {
                Self.leaveBlock()
                Process.exit(status(cause))
            }
            first = cause
            alarm(interruption.patience.seconds)
        }
    }

    /// Starts a new line, so that the output of the shell does not follow the block.
    private static func leaveBlock() {
        if Terminal.canRedraw { OutputStream.standardError.write("\n" + clearedTaskbar) }
    }

    /// Returns once the program is resumed. Each drawing shows the progress again.
    private static func suspend() {
        OutputStream.standardError.write(clearedTaskbar)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTSTP)
        // The system stops the process, or does not where nobody could resume it.
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGTSTP)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private static var clearedTaskbar: String { Taskbar.current?.show(.none) ?? "" }
}
