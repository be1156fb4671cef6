import PawlCore
import PawlJobs
import PawlSystem

extension UsageError {
    /// Runs work on a batch; problems become errors in the words of this command.
    static func of<Value>(_ body: () throws(JobBatch.Problem) -> Value) throws(UsageError) -> Value {
        do throws(JobBatch.Problem) {
            return try body()
        } catch {
            throw UsageError(error.text)
        }
    }
}

extension JobBatch.Problem {
    fileprivate var text: String {
        switch self {
        case .urlPattern(let error): "\(error.message) \(Hints.urlPattern)"
        case .namePattern(let error): error.message
        case .place(let problem): problem.text
        case .spec(let error, let spec): Self.naming(spec, error.text) + MetalinkOptions.hint(for: spec)
        case .list(let list, let problem):
            problem.line > 0 ? "\(list): \(problem.message)" : "\(list) \(problem.message)"
        case .option(let list, let problem): "\(list), line \(problem.line): \(problem.message)"
        case .entry(let list, let line, let problem): "\(list), line \(line): \(problem.text)"
        case .mirrorsOfMetalink: "--mirror applies to a URL; a Metalink names its own mirrors. Leave it out."
        case .onlyOfOne(.digest):
            "--checksum applies to one file. In a list (-i), each file can have its own: checksum=sha-256:HEX, indented below its URL."
        case .onlyOfOne(.mirrors):
            "--mirror applies to one file. In a list (-i), a line can have several URLs of one file, separated by tabs."
        case .onlyOfOne(.members): "--member applies to one archive. Download one after the other."
        case .sharedName(let name, let count):
            "-o “\(name)” names one file, but \(count) are given. Put #1 into the name for the value of a URL pattern, or name a directory with -d."
        }
    }

    /// Names the argument that is not a URL, unless it may hold a secret: among several, one may be a mistake.
    private static func naming(_ spec: JobSpec, _ words: String) -> String {
        guard case .url(let text, _) = spec.source, words.begins(with: "The URL "), !text.isEmpty,
            text.utf8.count <= 80, !text.utf8.contains(where: { "@?#:".utf8.contains($0) })
        else { return words }
        let file = FileKind(path: text) == .other ? ShellWords.join([text]) : nil
        let hint = file.map { " To download the URLs in a file: -i \($0)" } ?? ""
        return "“\(text)”" + String(Substring(words.utf8.dropFirst("The URL".utf8.count))) + hint
    }
}

extension TargetPlace.Problem {
    fileprivate var text: String {
        switch self {
        case .emptyDirectory: "-d needs the name of a directory."
        case .emptyName: "-o needs the name of a file."
        case .twoDirectories(let name): "-o “\(name)” is an absolute path. Leave out -d, or give -o a relative path."
        case .isDirectory(let name): "-o “\(name)” is a directory. Name the directory with -d, and the file with -o."
        }
    }
}
