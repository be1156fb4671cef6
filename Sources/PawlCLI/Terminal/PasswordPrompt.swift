import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Asks for a password at the terminal, once for each name, without showing what is typed.
enum PasswordPrompt {
    private static let known = Mutex([String: String]())

    static func password(of name: String) throws(UsageError) -> String {
        if let password = known.withLock({ $0[name] }) { return password }
        let line = try ask(
            "Password of \(name): ",
            whereNobodyIs: "There is no terminal to ask for the password of “\(name)” at. Give --user \(name):PASSWORD, or put it into a file for --netrc-file.")
        known.withLock { $0[name] = line }
        return line
    }

    /// Whether there is a terminal to ask at.
    static var canAsk: Bool {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { return false }
        close(terminal)
        return true
    }

    /// - Parameter complaint: the error where there is no terminal.
    static func ask(_ question: String, whereNobodyIs complaint: String) throws(UsageError) -> String {
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
        guard terminal >= 0 else { throw UsageError(complaint) }
        defer { close(terminal) }
        var usual = termios()
        guard tcgetattr(terminal, &usual) == 0 else { throw UsageError("The terminal cannot be kept from showing a password.") }
        var silent = usual
        // No signals either: a program that ends here would leave the terminal silent.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        tcsetattr(terminal, TCSAFLUSH, &silent)
        defer { tcsetattr(terminal, TCSAFLUSH, &usual) }
        say(question.shown(in: Locale.current), to: terminal)
        let line = read(from: terminal)
        say("\r\n", to: terminal)
        guard let line else { throw UsageError("No password was given.") }
        return line
    }

    private static func say(_ text: String, to terminal: Int32) {
        let bytes = Array(text.utf8)
        _ = write(terminal, bytes, bytes.count)
    }

    /// Nil: Ctrl-C, or the end of what can be typed.
    private static func read(from terminal: Int32) -> String? {
        var line: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            guard readByte(terminal, &byte) else { return nil }
            switch byte {
            case 0x0A, 0x0D: return String(decoding: line, as: UTF8.self)
            case 0x03: return nil
            case 0x04: return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
            case 0x15: line.removeAll()
            case 0x08, 0x7F:
                // A letter may be several bytes.
                while let last = line.popLast(), last & 0xC0 == 0x80 {}
            default: line.append(byte)
            }
        }
    }
}

private func readByte(_ descriptor: Int32, _ byte: inout UInt8) -> Bool {
    while true {
        let count = read(descriptor, &byte, 1)
        if count >= 0 || errno != EINTR { return count == 1 }
    }
}
