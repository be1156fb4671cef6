import Foundation
import PawlTestKit
import Testing

/// The tests of a suite run one after the other, suites at once as far as
/// SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH allows: most of their time they wait for a server that sends slowly.
@Suite("End to end")
enum EndToEnd {}

/// The built program `pawl`, run as a user would run it.
enum Program {
    struct NotFound: Error, CustomStringConvertible {
        let description: String
    }

    /// The program beside the test bundle in the build directory, or the one that PAWL_PROGRAM names.
    static let path: Result<String, NotFound> = {
        if let path = ProcessInfo.processInfo.environment["PAWL_PROGRAM"] { return .success(path) }
        if let path = Subprocess.built("pawl") { return .success(path) }
        return .failure(NotFound(description: "no program `pawl` beside the tests; build it, or set PAWL_PROGRAM"))
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

    /// Returns the report of `pawl status` on a partial file; nil if the command fails.
    static func status(of file: String) async throws -> Status? {
        let output = try await run("status", file, "--json")
        guard output.ending == .exited(0) else { return nil }
        return try JSONDecoder().decode(Status.self, from: Data(output.standardOutput.utf8))
    }

    struct Status: Decodable {
        let total: Int64?
        /// Half-open ranges.
        let durable: [[Int64]]
        let generation: UInt64
        /// Bytes from which a new run would resume.
        let resumableBytes: Int64

        var durableBytes: Int64 { durable.reduce(0) { $0 + $1[1] - $1[0] } }
    }

    /// Parses each line of `--json` as an object, and throws for a line that is not one.
    static func events(in output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any], "no object: \(line)")
        }
    }
}

/// The exit codes documented in README.md. A change here breaks scripts that call Pawl.
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
