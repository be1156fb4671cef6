import PawlCore
import PawlEngine
import PawlSystem
import Synchronization

extension Owner {
    /// This process. Read once, by the first who writes or finds a journal: it stays the same, and takes five files of
    /// `/proc` to learn.
    static let current = Owner(
        processID: getpid(), bootID: ProcessFacts.bootID(), startTime: ProcessFacts.startTime(),
        hostName: ProcessFacts.hostName())
}

/// The facts that a process can learn about itself and its machine. Where the system does not tell, such as in a
/// container without `/proc`, each call returns the least that it can.
enum ProcessFacts {
    /// Sixteen bytes, or none when it cannot be known.
    static func bootID() -> [UInt8] {
        #if canImport(Darwin)
        var text = [CChar](repeating: 0, count: 64)
        var size = text.count
        guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else { return [] }
        return bytes(ofUUID: String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        #else
        bytes(ofUUID: contents(of: "/proc/sys/kernel/random/boot_id"))
        #endif
    }

    /// Seconds since 1970.
    static func startTime() -> Int64 {
        // The time of the first look is as good: it too differs between two processes that had the same number.
        startTime(of: "self") ?? Int64(time(nil))
    }

    /// Returns the start time of a process by its name in `/proc`, in seconds since 1970; nil if it cannot be known.
    static func startTime(of process: String) -> Int64? {
        #if !canImport(Darwin)
        let status = contents(of: "/proc/\(process)/stat")
        if let ticks = startTicks(inStatus: status), let boot = bootTime(inStatistics: contents(of: "/proc/stat")) {
            return boot + ticks / max(1, Int64(sysconf(Int32(_SC_CLK_TCK))))
        }
        #endif
        return nil
    }

    /// Whether the process of this number is the one that began then; nil when it cannot be known.
    static func isRunning(_ processID: Int32, since time: Int64) -> Bool? {
        // kill(2): zero and negative numbers are groups of processes.
        guard processID > 0 else { return nil }
        if kill(processID, 0) != 0, errno == ESRCH { return false }
        guard let began = startTime(of: "\(processID)") else { return nil }
        // The time of the boot is the difference of two clocks, and not always rounded alike.
        return (began - 2...began + 2).contains(time)
    }

    static func hostName() -> String {
        // 255 is the longest that POSIX allows a system to have; a name that was cut short need not end with a NUL.
        var name = [CChar](repeating: 0, count: 256)
        guard gethostname(&name, name.count - 1) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether so many more files, sockets and the like can be opened now.
    static func canOpen(_ count: Int) -> Bool {
        var opened: [Int32] = []
        defer { for file in opened { _ = SystemCalls.close(file) } }
        for _ in 0..<count {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            // Without such a device it cannot be tried.
            guard file >= 0 else { return errno != EMFILE && errno != ENFILE }
            opened.append(file)
        }
        return true
    }

    private static let learnedUmask = Locked<UInt16?>(nil)

    /// See ``POSIXStorage/learnUmask()``.
    static func learnUmask() {
        learnedUmask.withLock { $0 = umaskBySettingIt() }
    }

    /// The permission bits that new files of this process are made without.
    static func umask() -> UInt16 {
        if let mask = learnedUmask.withLock({ $0 }) { return mask }
        #if !canImport(Darwin)
        if let mask = umask(inStatus: contents(of: "/proc/self/status")) { return mask }
        #endif
        return umaskBySettingIt()
    }

    /// The only call there is replaces the mask. A file that another thread makes between the two calls gets the mask
    /// that is set meanwhile, so that is the strictest.
    private static func umaskBySettingIt() -> UInt16 {
        let mask = PawlSystem.umask(0o777)
        _ = PawlSystem.umask(mask)
        return UInt16(truncatingIfNeeded: mask & 0o777)
    }
}

// MARK: Parsing

extension ProcessFacts {
    /// The bytes of `2d4c3a0e-...`, or none when the text is not such an identifier.
    static func bytes(ofUUID text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == 32 else { return [] }
        return stride(from: 0, to: 32, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// proc_pid_status(5): `Umask:	0022`, since Linux 4.7.
    static func umask(inStatus text: String) -> UInt16? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Umask:") }) else { return nil }
        return line.split(whereSeparator: \.isWhitespace).last.flatMap { UInt16($0, radix: 8) }
    }

    /// proc_pid_stat(5): field 22, in clock ticks since boot. Field 2 is the program's name in parentheses and may hold
    /// anything, a closing parenthesis too, so the count begins after the last one.
    static func startTicks(inStatus text: String) -> Int64? {
        let bytes = text.utf8
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[end...].dropFirst().split(separator: UInt8(ascii: " "))
        return fields.count > 19 ? Int64(Substring(fields[19])) : nil
    }

    /// proc_stat(5): `btime`, in seconds since 1970.
    static func bootTime(inStatistics text: String) -> Int64? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("btime ") }) else { return nil }
        return line.split(separator: " ").last.flatMap { Int64($0) }
    }

    /// Returns the text of a file; empty if it cannot be read.
    private static func contents(of path: String) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "" }
        defer { _ = SystemCalls.close(file) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            // The size of such a file is not known beforehand, and reads of it come in parts.
            let count = buffer.withUnsafeMutableBytes { SystemCalls.readOnce(file, $0) }
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
