import ArgumentParser
import Pawl
import PawlCore

struct VerifyCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check a file against a checksum.",
        discussion: "Exit code 0: it matches. 6: it does not. 8: it cannot be read.")

    @Argument(help: "The file to read.")
    var file: String

    @Option(
        help: ArgumentHelp("What it must hash to; ALGO is sha-256, sha-512, sha-1 or md5.", valueName: "ALGO:HEX"))
    var checksum: String

    @Flag(help: "Write one JSON object to stdout (docs/json-events.md).")
    var json = false

    func execute(in session: Session) async throws -> ExitCode {
        let expected = try ChecksumOption.parse(checksum)
        switch FileKind(path: file) {
        case .missing:
            session.complain("There is no file “\(file)”.")
            return .disk
        case .directory:
            session.complain("“\(file)” is a directory; name a file in it.")
            return .disk
        case .other: break
        }
        let actual = try Digest.compute(expected.algorithm, ofFileAt: file)
        let verdict: ExitCode = actual == expected ? .done : .digestMismatch
        if json {
            let object: JSONValue = [
                "file": .string(file), "algorithm": .string(expected.algorithm.rawValue), "expected": .string(expected.hex),
                "actual": .string(actual.hex), "matches": .boolean(actual == expected),
            ]
            let code = session.write(object.encoded + "\n")
            return code == .done ? verdict : code
        }
        if actual == expected {
            session.say("\(file): OK (\(expected.algorithm.rawValue))")
        } else {
            session.complain("“\(file)” does not match. Its \(expected.algorithm.rawValue) is \(actual.hex), not \(expected.hex).")
        }
        return verdict
    }
}
