import PawlCore
import PawlOptions
import PawlTestKit
import Testing

/// The options of a small command, and what was said of each.
private struct Said: Hashable {
    var isQuiet = false
    var isRecursive = false
    var checks: Bool?
    var name: String?
    var jobs: Int?
    var headers: [String] = []

    static let options: [OptionDeclaration<Said>] = [
        .init("quiet", letter: "q", help: "") { (said, _) in said.isQuiet = true },
        .init("check", help: "", isNegatable: true) { (said, text) in said.checks = text.isExactly("true") },
        .init("recursive", letter: "r", help: "") { (said, _) in said.isRecursive = true },
        .init("output", letter: "o", .value("file"), help: "") { (said, text) in said.name = text },
        .init("jobs", letter: "j", .value("number"), help: "", takesNumber: true) {
            (said, text) throws(OptionValueProblem) in
            guard let number = Int(text), (1...9).contains(number) else {
                throw OptionValueProblem(accepted: "a number from 1 to 9")
            }
            said.jobs = number
        },
        .init("header", .values("text"), help: "") { (said, text) in said.headers.append(text) },
    ]
}

@Suite struct CommandLineReaderTests {
    private static let reader = CommandLineReader(Said.options)

    private func read(_ line: String) throws(CommandLineProblem) -> (said: Said, operands: [String]) {
        var said = Said()
        let words = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        let operands = try Self.reader.read(words, into: &said)
        return (said, operands)
    }

    private func problem(_ line: String) -> String? {
        do throws(CommandLineProblem) {
            _ = try read(line)
            return nil
        } catch {
            return error.message
        }
    }

    @Test(arguments: [
        "--output a", "--output=a", "-o a", "-oa", "-o=a", "--output b --output a", "--output=b -oa",
    ])
    func `a value follows its option, or is joined to it, and the last one counts`(line: String) throws {
        #expect(try read(line).said.name == "a")
        #expect(try read(line).operands == [])
    }

    @Test(arguments: ["-qroa", "-rqo a", "-q -r -o=a", "--quiet -ro a", "-oa -rq"])
    func `letters share one hyphen, and the last of them may take a value`(line: String) throws {
        #expect(try read(line).said == Said(isQuiet: true, isRecursive: true, name: "a"))
    }

    @Test func `options and operands come in any order, and a hyphen by itself is an operand`() throws {
        #expect(try read("a -q b --header=1 - --header 2 c").operands == ["a", "b", "-", "c"])
        #expect(try read("a -q b --header=1 - --header 2 c").said.headers == ["1", "2"])
    }

    @Test func `a flag that can be taken back has two forms, of which the last one counts`() throws {
        #expect(try read("--check --no-check -q").said == Said(isQuiet: true, checks: false))
        #expect(try read("--no-check --check").said == Said(checks: true))
        #expect(problem("--no-check=true") == "--no-check takes no value.")
        #expect(problem("--no-quiet") == "“--no-quiet” is not an option of this command.")
        #expect(problem("-o --no-check")?.contains("“--no-check” begins with a hyphen") == true)
    }

    @Test func `two hyphens end the options`() throws {
        #expect(try read("-q -- -r --output --").operands == ["-r", "--output", "--"])
        #expect(try read("-q -- -r").said == Said(isQuiet: true))
    }

    @Test func `a value may be empty, begin with a hyphen, or hold a sign of equality`() throws {
        #expect(try read("--output=").said.name == "")
        #expect(try read("-o=-5 --header=--x -o-").said == Said(name: "-", headers: ["--x"]))
        #expect(try read("-o - --header -").said == Said(name: "-", headers: ["-"]))
        #expect(problem("-j -5") == "-j takes a number from 1 to 9.")
        #expect(try read("--output=--quiet").said == Said(name: "--quiet"))
        #expect(try read("--output=a=b").said.name == "a=b")
    }

    @Test func `an error names the option as it was typed, and says what it takes`() {
        #expect(problem("--outptu a") == "“--outptu” is not an option of this command.")
        #expect(problem("-qx") == "“-x” is not an option of this command.")
        #expect(problem("a -o") == "-o needs a value.")
        #expect(
            problem("--output --quiet a")
                == "--output needs a value, and “--quiet” begins with a hyphen. If that is the value, write --output=VALUE."
        )
        for word in ["--", "-qr", "-5", "-z", "--no-such", "-j5"] {
            #expect(problem("-o \(word) a")?.hasPrefix("-o needs a value, and “\(word)” begins") == true, "\(word)")
        }
        #expect(problem("--quiet=yes") == "--quiet takes no value.")
        #expect(problem("-j0") == "-j takes a number from 1 to 9.")
        #expect(problem("--jobs=many") == "--jobs takes a number from 1 to 9.")
        #expect(problem("--=a") == "“--” is not an option of this command.")
        #expect(problem("-é") == "“-…” is not an option of this command.")
    }

    @Test(arguments: [
        "-qépassword", "--usér=password", "--user:password", "--user=password", "-o -é:password", "-o --x:password",
        "-o --header=password",
    ])
    func `an error repeats no more of a word than may be the name of an option`(line: String) {
        #expect(problem(line)?.contains("password") == false)
    }

    @Test func `names are compared by their bytes`() {
        // In Swift the two are equal.
        let options: [OptionDeclaration<Said>] = [.init("\u{e9}", help: "") { (said, _) in said.isQuiet = true }]
        var said = Said()
        #expect(throws: CommandLineProblem.self) {
            try CommandLineReader(options).read(["--e\u{301}"], into: &said)
        }
    }

    /// Any line that is read can be written in one way, and then says the same.
    @Test func `random words are refused, or say the same when they are written in full`() throws {
        var random = SplitMix64(seed: 7)
        let pieces = [
            "-", "--", "-q", "-r", "-o", "-j", "=", "output", "header", "jobs", "quiet", "a", "5", "é", "--header",
            "--output", "--jobs=", "--header=", "-qr", "-rj", " ",
        ]
        var read = 0
        for _ in 0..<20_000 {
            let words = (0..<random.next() % 5).map { _ in
                (0...random.next() % 3).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined()
            }
            var said = Said()
            guard let operands = try? Self.reader.read(words, into: &said) else { continue }
            read += 1
            var full: [String] = []
            if said.isQuiet { full.append("--quiet") }
            if said.isRecursive { full.append("--recursive") }
            if let name = said.name { full.append("--output=" + name) }
            if let jobs = said.jobs { full.append("--jobs=\(jobs)") }
            full += said.headers.map { "--header=" + $0 } + ["--"] + operands
            var again = Said()
            let rest = try Self.reader.read(full, into: &again)
            #expect(again == said && rest == operands, "\(words)")
        }
        #expect(read > 2000)
    }

    @Test func `an option of a part is an option of the whole`() throws {
        struct Whole { var said = Said() }
        var whole = Whole()
        _ = try CommandLineReader(Said.options.map { $0.within(\Whole.said) }).read(["-j5"], into: &whole)
        #expect(whole.said.jobs == 5)
        _ = try CommandLineReader(Said.options.map { $0.within(\Whole.said) }).read(["--no-check"], into: &whole)
        #expect(whole.said.checks == false)
    }
}
