import PawlCore
import PawlJobs
import PawlSystem

extension UsageError {
    /// Runs work on a batch; problems become errors in the words of this command.
    ///
    /// - Parameter urls: the operands, where one may be a part of the one before it.
    static func of<Value>(
        urls: [String] = [], _ body: () throws(JobBatch.Problem) -> Value
    ) throws(UsageError) -> Value {
        do throws(JobBatch.Problem) {
            return try body()
        } catch {
            throw UsageError(error.text(among: urls))
        }
    }
}

extension JobBatch.Problem {
    fileprivate func text(among urls: [String]) -> String {
        switch self {
        case .urlPattern(let error): error.mayBeLiteral ? "\(error.message) \(Hints.urlPattern)" : error.message
        case .namePattern(let error): error.message
        case .place(let problem): problem.text
        case .spec(let error, let spec): Self.naming(spec, error.text, among: urls) + MetalinkOptions.hint(for: spec)
        case .list(let list, let problem):
            problem.line > 0 ? "\(list): \(problem.message)" : "\(list) \(problem.message)"
        case .option(let list, let problem): "\(list), line \(problem.line): \(problem.message)"
        case .entry(let list, let line, let problem): "\(list), line \(line): \(problem.text(among: []))"
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
    private static func naming(_ spec: JobSpec, _ words: String, among urls: [String]) -> String {
        guard case .url(let text, _) = spec.source, words.begins(with: "The URL "), !text.isEmpty,
            text.utf8.count <= 80, !text.utf8.contains(where: { "@?#:".utf8.contains($0) })
        else { return words }
        if ["seconds", "minutes", "hours", "days"].contains(where: text.isExactly) {
            return "“\(text)” is not a URL. Write a time without a space, such as 30s, 5m or 2h."
        }
        let file = FileKind(path: text) == .other ? ShellWords.join([text]) : nil
        let position = urls.firstIndex { $0.isExactly(text) } ?? 0
        let mayBePart = position > 0 && urls[position - 1].contains("://")
        let hint =
            file.map { " To download the URLs in a file: -i \($0)" }
            ?? (mayBePart ? " If it belongs to the URL before it, put that URL in quotes." : "")
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
