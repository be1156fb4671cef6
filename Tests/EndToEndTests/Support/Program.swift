import Foundation
import PawlTestKit
import Testing

/// All of it runs one test after the other: the tests measure time, and two cores are few.
@Suite("End to end", .serialized)
enum EndToEnd {}

/// The program `pawl` as it was built, run as a user would.
enum Program {
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Beside the test bundle in the build directory, or where PAWL_PROGRAM says.
    static let path: Result<String, NotFound> = {
        if let path = ProcessInfo.processInfo.environment["PAWL_PROGRAM"] { return .success(path) }
        var starts = CommandLine.arguments
        if let running = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { starts.append(running) }
        for start in starts where start.contains("/") {
            var directory = URL(fileURLWithPath: start).deletingLastPathComponent()
            // On Linux the bundle is a program in the build directory; on a Mac a directory with the program three levels below.
            for _ in 0..<4 {
                let candidate = directory.appendingPathComponent("pawl").path
                let isDirectory = (try? Files.status(candidate).isDirectory) ?? true
                if !isDirectory, FileManager.default.isExecutableFile(atPath: candidate) { return .success(candidate) }
                directory.deleteLastPathComponent()
            }
        }
        return .failure(NotFound(description: "no program `pawl` beside \(starts); build it, or set PAWL_PROGRAM"))
    }()

    static func start(_ arguments: String...) throws -> Subprocess { try start(arguments) }

    static func start(_ arguments: [String]) throws -> Subprocess {
        try Subprocess(path.get(), arguments)
    }

    static func run(_ arguments: String..., timeout: Duration = .seconds(60)) async throws -> Subprocess.Output {
        try await start(arguments).output(timeout: timeout)
    }

    static func run(_ arguments: [String], timeout: Duration = .seconds(60)) async throws -> Subprocess.Output {
        try await start(arguments).output(timeout: timeout)
    }

    /// What `pawl status` says of a partial file; nil when it says that there is nothing to say.
    static func status(of file: String) async throws -> Status? {
        let output = try await run("status", file, "--json")
        guard output.ending == .exited(0) else { return nil }
        return try JSONDecoder().decode(Status.self, from: Data(output.standardOutput.utf8))
    }

    struct Status: Decodable {
        let total: Int64?
        /// Half-open.
        let durable: [[Int64]]
        let generation: UInt64
        /// What a run started now would go on from.
        let resumableBytes: Int64

        var durableBytes: Int64 { durable.reduce(0) { $0 + $1[1] - $1[0] } }
    }

    /// Each line of `--json` as an object; a line that is none is a failure.
    static func events(in output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any], "no object: \(line)")
        }
    }
}

/// The exit codes of README.md. A change here is a change for every script that calls Pawl.
enum ExitCode {
    static let done = Subprocess.Ending.exited(0)
    static let network = Subprocess.Ending.exited(3)
    static let refused = Subprocess.Ending.exited(4)
    static let changed = Subprocess.Ending.exited(5)
    static let digestMismatch = Subprocess.Ending.exited(6)
    static let diskFull = Subprocess.Ending.exited(7)
    static let disk = Subprocess.Ending.exited(8)
    static let fileExists = Subprocess.Ending.exited(9)
    static let locked = Subprocess.Ending.exited(10)
    static let journal = Subprocess.Ending.exited(11)
    static let usage = Subprocess.Ending.exited(64)
    static let interrupted = Subprocess.Ending.exited(130)
    static let terminated = Subprocess.Ending.exited(143)
}
