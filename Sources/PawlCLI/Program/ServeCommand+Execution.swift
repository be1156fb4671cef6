import PawlCore
import PawlJobs
import PawlSystem

extension TokenCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        do throws(TokenFile.Problem) {
            let file = try TokenFile()
            let token = renew ? try file.renew() : try file.read()
            return session.write(token + "\n")
        } catch {
            session.complain(error.message)
            return .disk
        }
    }
}

extension ServeCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        guard let program = ServiceProgram.path else {
            session.complain(
                "Cannot determine where pawl is installed, so pawld cannot be found. Start 'pawld' itself.")
            return .failure
        }
        guard FileKind(path: program) == .other else {
            session.complain(
                "The service program, pawld, is not installed beside pawl (“\(program)”). \(ServiceProgram.remedy)"
            )
            return .failure
        }
        let code = ServiceProgram.replaceProcess(by: program, named: program, arguments)
        session.complain("“\(program)” cannot be started: \(SystemCalls.text(of: code)).")
        return .failure
    }
}

/// The program of the service, `pawld`.
enum ServiceProgram {
    /// The way to get it, for those who have `pawl` alone.
    static let remedy = "Install both with 'scripts/install PREFIX' in a checkout of Pawl, or from one of its packages."

    /// The path of the service beside this program; nil if the system does not tell where the program is.
    static var path: String? {
        SystemCalls.programPath.map { PathParts($0).directory + "/pawld" }
    }

    /// The service takes the place of this program: with its process, its terminal and its signals.
    ///
    /// - Parameter name: that it is to find as its own.
    /// - Returns: why it could not, as an error number.
    static func replaceProcess(by program: String, named name: String, _ arguments: [String]) -> Int32 {
        // This program blocks the signals it waits for, and ignores SIGPIPE; both would be inherited.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        signal(SIGPIPE, SIG_DFL)
        var words: [UnsafeMutablePointer<CChar>?] = ([name] + arguments).map {
            $0.withSystemPath { strdup($0) }
        }
        words.append(nil)
        _ = program.withSystemPath { execv($0, words) }
        let code = errno
        for word in words { free(word) }
        return code
    }
}
