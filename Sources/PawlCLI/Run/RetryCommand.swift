import Pawl
import PawlCore
import PawlJobs

/// The command that downloads what is missing after a run.
struct RetryCommand {
    /// The command, with the program's name in front.
    let command: [String]
    let get: ResolvedGet

    /// The largest number of URLs in the command: more than these are too many to read.
    private static let maximumURLs = 20

    /// The shell command that downloads just these; nil if it cannot or must not be shown.
    func text(for downloads: [PlannedDownload]) -> String? {
        words(for: downloads, renames: false).flatMap { ShellWords.join($0) } ?? again
    }

    /// The same for files whose names are taken, so that the same command would fail again, or replace another's file.
    func renamingText(for downloads: [PlannedDownload]) -> String? {
        words(for: downloads, renames: true).flatMap { ShellWords.join($0) }
    }

    /// The same command; what is there already is skipped by it. Nil where a list came through a descriptor, or
    /// something has to be kept secret.
    var again: String? {
        self.get.isFreeOfSecrets && !get.listCannotBeNamed ? ShellWords.join(command) : nil
    }

    /// The command without its URLs and lists, and with those of `downloads` instead.
    private func words(for downloads: [PlannedDownload], renames: Bool) -> [String]? {
        guard renames || downloads.count < get.downloads.count, downloads.count <= Self.maximumURLs,
            downloads.allSatisfy(\.canBeTyped),
            let program = command.first, let original = try? parse(Array(command.dropFirst())),
            !original.jobs.metalink.metalink.contains(where: JobDocument.holdsSecrets),
            // Of several each has a directory of its own in DIR; one alone would have DIR.
            downloads.count > 1 || original.jobs.extract.extractTo == nil
        else { return nil }
        let given = Set(original.jobs.urls.map { ExactText($0) })
        // A name for each came from the pattern, and one file can be given its own.
        let name = original.jobs.target.output.flatMap {
            $0.utf8.contains(UInt8(ascii: "/")) ? nil : downloads.first?.file.spec.fileName
        }
        guard original.jobs.target.output == nil || downloads.count == 1 && name != nil else { return nil }
        var words: [String] = []
        var rest = command.dropFirst()[...]
        while let word = rest.popFirst() {
            if word == "-i" || word == "--input-file" || word == "-o" || word == "--output"
                || renames && word == "--if-exists"
            {
                rest = rest.dropFirst()
            } else if word.begins(with: "--output=") || word.begins(with: "-o")
                || renames && word.begins(with: "--if-exists=")
            {
                continue
            } else if !given.contains(ExactText(word)), !word.begins(with: "--input-file="),
                !(word.begins(with: "-i") && word.utf8.count > 2)
            {
                words.append(word)
            }
        }
        let urls = downloads.map(\.file.url)
        // They are URLs and nothing else: nothing in them is to be taken for a pattern again.
        let patterns = urls.map { original.jobs.noGlob ? $0 : URLPattern.escaped($0) }
        let end = words.firstIndex { $0.isExactly("--") } ?? words.endIndex
        words.insert(
            contentsOf: (name.map { ["--output=\($0)"] } ?? []) + (renames ? ["--if-exists=rename"] : []), at: end)
        // A flag may have the same URL for its value: then the words mean something else now, and this shows it.
        guard let again = try? parse(words + patterns),
            again.jobs.urls.elementsEqual(patterns, by: { $0.isExactly($1) }),
            again.jobs.inputFile.isEmpty,
            again.jobs.target.output == name
        else { return nil }
        return [program] + words + patterns
    }

    private func parse(_ words: [String]) throws -> GetCommand? {
        try PawlCommand.subcommand(from: PawlCommand.withCommand(words)) as? GetCommand
    }
}
