import Pawl
import PawlConfiguration
import PawlCore
import PawlEngine
import PawlSystem

/// The service as a unit of the user's systemd.
enum ServiceUnit {
    private static let firstLine = "# Written by pawld --install, which may overwrite it.\n"

    /// - Parameter arguments: that the service is to be started with.
    /// - Returns: the path of the unit.
    static func install(_ arguments: [String]) throws(ConfigurationError) -> String {
        let directory = try Places.configuration + "/systemd/user"
        let path = directory + "/pawl.service"
        guard let program = SystemCalls.programPath else {
            throw ConfigurationError(
                "The path of this program cannot be determined. --install requires Linux with systemd.")
        }
        let unit = try firstLine + text(program, arguments, in: workingDirectory())
        if FileKind(path: path) != .missing,
            (try? WholeFile.read(at: path, limit: 1 << 20))?.text.utf8.starts(with: firstLine.utf8) != true
        {
            throw ConfigurationError("“\(path)” exists and was not written by this program. Move it first.")
        }
        try Places.make(directory, mode: 0o755)
        do throws(StorageError) {
            try WholeFile.write(Array(unit.utf8), to: path)
        } catch {
            throw ConfigurationError("“\(path)” cannot be written: \(WholeFile.explanation(of: error)).")
        }
        return path
    }

    /// - Parameter directory: where relative paths of the arguments start, as systemd reads it; nil if there are none.
    static func text(_ program: String, _ arguments: [String], in directory: String?) -> String {
        """
        [Unit]
        Description=Pawl, downloads that survive

        [Service]
        Type=notify
        ExecStart=\(([program] + arguments).map(quoted).joined(separator: " "))
        \(directory.map { "# Relative paths in the arguments begin here.\nWorkingDirectory=-\($0)\n" } ?? "")ExecReload=kill -HUP $MAINPID
        Restart=on-failure
        RestartSec=2
        # An argument or a configuration that is wrong stays wrong.
        RestartPreventExitStatus=64 78
        WatchdogSec=60
        # A program of on_complete is not told to end while the service saves its state.
        KillMode=mixed
        TimeoutStopSec=15
        NoNewPrivileges=yes
        LockPersonality=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
        SystemCallArchitectures=native
        LimitNOFILE=65536

        [Install]
        WantedBy=default.target

        """
    }

    /// Quotes a word as systemd reads it (systemd.service(5), Command lines).
    private static func quoted(_ word: String) -> String {
        var quoted = "\""
        for character in word.unicodeScalars {
            switch character {
            case "\"", "\\": quoted += "\\\(character)"
            case "%": quoted += "%%"
            case "$": quoted += "$$"
            case "\n": quoted += "\\n"
            default:
                if let byte = character.systemByte {
                    quoted += "\\x" + String(byte, radix: 16)
                } else {
                    quoted.unicodeScalars.append(character)
                }
            }
        }
        return quoted + "\""
    }

    /// Returns the working directory as systemd reads it: without quotes (systemd.exec(5)).
    private static func workingDirectory() throws(ConfigurationError) -> String {
        guard let path = SystemCalls.workingDirectory else {
            throw ConfigurationError("The working directory cannot be read: \(SystemCalls.text(of: errno)).")
        }
        guard !path.utf8.contains(UInt8(ascii: "\n")), path.utf8.last != UInt8(ascii: "\\"),
            !path.holdsSystemBytes
        else {
            throw ConfigurationError("systemd cannot start a service in “\(path)”. Run this in another directory.")
        }
        return path.unicodeScalars.map { $0 == "%" ? "%%" : String($0) }.joined()
    }
}
