import PawlSystem

enum Process {
    /// Ends the process at once.
    ///
    /// Every command has closed its files and written its output by now, and what a paused or failed download keeps is
    /// on the disk. Taking down event loops and thread pools in order would make a small download several times slower
    /// and change nothing, and handlers run by `exit` would meet threads that still work.
    static func exit(_ status: Int32) -> Never {
        _exit(status)
    }

    /// Puts something in place of standard streams that are closed, so that no file of ours is ever opened as one of
    /// them and takes in what is meant for a person. Writing to it fails, as it did before (FAULTS J11).
    static func occupyStandardStreams() {
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(stream, F_GETFD) == -1 && errno == EBADF
        {
            // The lowest free number is taken, and those below are in use by now.
            _ = open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
