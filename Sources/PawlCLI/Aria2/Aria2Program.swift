import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlSystem

/// `aria2c`: this program by another name, with aria2's command line, output and exit statuses (docs/aria2.md).
struct Aria2Program {
    let session: Session

    /// - Parameter words: with the name of the program in front.
    /// - Returns: the exit status.
    func run(_ words: [String]) async -> Int32 {
        do throws(Aria2Failure) {
            return Int32(try await attempt(words))
        } catch {
            complain(error.message)
            return Int32(error.status)
        }
    }

    private func attempt(_ words: [String]) async throws(Aria2Failure) -> Int {
        let environment = Aria2Environment.live
        let line: Aria2CommandLine
        do throws(Aria2CommandLine.Problem) {
            line = try Aria2CommandLine(Array(words.dropFirst()), home: environment.home)
        } catch {
            complain(error.message)
            session.errors.write(Aria2Help.usage + "See 'aria2c -h'.\n")
            return Aria2Status.badOption
        }
        if line.options["version"] != nil { return print(Aria2Help.versionText) }
        if let words = line.options["help"] { return print(Aria2Help.text(about: words)) }
        var invocation = try Aria2Invocation(line, environment)
        for remark in invocation.remarks { complain(remark) }
        let printed = invocation.remarks.count
        if invocation.options.isTrue("daemon") {
            guard !(invocation.options["input-file"].map(ListFile.isStandardInput) ?? false) else {
                throw Aria2Failure(
                    "--daemon cannot be combined with --input-file=-, which reads standard input. Name a file.",
                    status: Aria2Status.badOption)
            }
            return try startInBackground(words)
        }
        if invocation.isService { return try replaceByService(words) }
        try invocation.readDownloads()
        for remark in invocation.remarks.dropFirst(printed) { complain(remark) }
        let console = try Aria2Console(invocation.options)
        var run = Aria2Run(invocation: invocation, session: session, console: console, environment: environment)
        return try await run.run()
    }

    private func print(_ text: String) -> Int {
        session.output.write(text) ? Aria2Status.complete : Aria2Status.unknown
    }

    private func complain(_ message: String) { session.say("aria2c: " + message) }

    /// `--daemon`: the same program once more, without a terminal.
    private func startInBackground(_ words: [String]) throws(Aria2Failure) -> Int {
        guard let program = SystemCalls.programPath else {
            throw Aria2Failure(
                "Cannot determine where this program is installed, so it cannot be started in the background.")
        }
        // Of an option that is given twice the last holds, and behind "--" there are none.
        let end = words.firstIndex { $0.isExactly("--") } ?? words.endIndex
        let code = SystemCalls.startInBackground(program, words[..<end] + ["--daemon=false"] + words[end...])
        guard code == 0 else {
            throw Aria2Failure("The program cannot be started in the background: \(SystemCalls.text(of: code)).")
        }
        return Aria2Status.complete
    }

    /// The service has the RPC. It goes by the name of aria2c too, so that those who look for it by its name find it.
    private func replaceByService(_ words: [String]) throws(Aria2Failure) -> Int {
        guard let program = ServiceProgram.path, FileKind(path: program) == .other else {
            throw Aria2Failure("--enable-rpc needs pawld, which is not installed beside pawl. \(ServiceProgram.remedy)")
        }
        let code = ServiceProgram.replaceProcess(by: program, named: words[0], Array(words.dropFirst()))
        throw Aria2Failure("“\(program)” cannot be started: \(SystemCalls.text(of: code)).")
    }
}
