import PawlCore
import PawlSystem
import Synchronization

/// Asks for a password at the terminal, once for each name, without showing what is typed.
enum PasswordPrompt {
    private static let known = Mutex([ExactText: String]())

    static func password(of name: String) throws(UsageError) -> String {
        if let password = known.withLock({ $0[ExactText(name)] }) { return password }
        switch ask("Password of \(name): ") {
        case .line(let line):
            known.withLock { $0[ExactText(name)] = line }
            return line
        case .nothing: throw UsageError("No password was given.")
        case .interrupted:
            var error = UsageError("No password was given.")
            error.exitCode = .interrupted
            throw error
        case .unavailable:
            throw UsageError(
                "Cannot ask for the password of “\(name)”: no terminal. Give --user \(name):PASSWORD, or put it into a file for --netrc-file."
            )
        }
    }

    /// Whether there is a terminal to ask at.
    static var canAsk: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    enum Answer: Hashable {
        case line(String)
        /// The end of what can be typed.
        case nothing
        /// Ctrl-C interrupted the prompt, or the program is to stop.
        case interrupted
        /// There is no terminal, or none that can be kept from showing what is typed.
        case unavailable
    }

    /// - Parameter isStopped: looked at ten times a second: the answer is not waited for any more.
    static func ask(_ question: String, isStopped: () -> Bool = { false }) -> Answer {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return .unavailable }
        defer { close(terminal) }
        var usual = termios()
        guard tcgetattr(terminal, &usual) == 0 else { return .unavailable }
        var silent = usual
        // No signals either: a program that ends here would leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { tcsetattr(terminal, TCSAFLUSH, &usual) }
        say(question.shown(in: Locale.current), to: terminal)
        defer { say("\r\n", to: terminal) }
        return read(from: terminal, isStopped)
    }

    /// Asks for something that may be seen; the terminal edits the line as it does for every program.
    static func askOpenly(_ question: String, isStopped: () -> Bool) -> Answer {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return .unavailable }
        defer { close(terminal) }
        say(question.shown(in: Locale.current), to: terminal)
        let answer = read(from: terminal, isStopped)
        if case .line = answer { return answer }
        say("\r\n", to: terminal)
        return answer
    }

    private static func say(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    private static func read(from terminal: Int32, _ isStopped: () -> Bool) -> Answer {
        var line: [UInt8] = []
        while true {
            while !isReadable(terminal) {
                if isStopped() { return .interrupted }
            }
            var byte: UInt8 = 0
            guard readByte(terminal, &byte) else { return .nothing }
            switch byte {
            case 0x0A, 0x0D: return .line(String(decoding: line, as: UTF8.self))
            case 0x03: return .interrupted
            case 0x04: return line.isEmpty ? .nothing : .line(String(decoding: line, as: UTF8.self))
            case 0x15: line.removeAll()
            case 0x08, 0x7F:
                // A letter may be several bytes.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            default: line.append(byte)
            }
        }
    }
}

/// Returns whether there is something to read, within a tenth of a second.
private func isReadable(_ descriptor: Int32) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wanted, 1, 100) > 0
}

private func readByte(_ descriptor: Int32, _ byte: inout UInt8) -> Bool {
    while true {
        let count = read(descriptor, &byte, 1)
        if count >= 0 || errno != EINTR { return count == 1 }
    }
}
