import Pawl
import PawlCore
import PawlJobs

/// The command that downloads what is missing after a run.
struct RetryCommand {
    /// With the program's name in front.
    let command: [String]
    let get: ResolvedGet

    /// Too many URLs to read are no help.
    private static let maximumURLs = 20

    /// The shell command that downloads just these; nil if it cannot or must not be shown.
    ///
    /// - Parameter renames: the names of all are taken, so that the same command would fail again.
    func text(for downloads: [PlannedDownload], renames: Bool) -> String? {
        if let words = words(for: downloads, adding: renames ? ["--if-exists=rename"] : []) { return ShellWords.join(words) }
        return renames ? nil : again
    }

    /// Whether the command has an option for files that exist.
    var saysIfExists: Bool { (try? parse(Array(command.dropFirst())))?.target.ifExists != nil }

    /// The same command; what is there already is skipped by it. Nil where a list was piped in, or something has to be kept secret.
    var again: String? {
        self.get.isFreeOfSecrets && !get.readsStandardInput ? ShellWords.join(command) : nil
    }

    /// The command without its URLs and lists, and with those of `downloads` instead.
    private func words(for downloads: [PlannedDownload], adding options: [String]) -> [String]? {
        guard downloads.count < get.downloads.count, downloads.count <= Self.maximumURLs, downloads.allSatisfy(\.canBeTyped),
            let program = command.first, let original = try? parse(Array(command.dropFirst())),
            !original.metalink.metalink.contains(where: JobDocument.holdsSecrets),
            // Of several each has a directory of its own in DIR; one alone would have DIR.
            downloads.count > 1 || original.extract.extractTo == nil
        else { return nil }
        let given = Set(original.urls.map { ExactText($0) })
        // A name for each came from the pattern, and one file can be given its own.
        let name = original.target.output.flatMap { $0.utf8.contains(UInt8(ascii: "/")) ? nil : downloads.first?.file.spec.fileName }
        guard original.target.output == nil || downloads.count == 1 && name != nil else { return nil }
        var words: [String] = []
        var rest = command.dropFirst()[...]
        while let word = rest.popFirst() {
            if word == "-i" || word == "--input-file" || word == "-o" || word == "--output" {
                rest = rest.dropFirst()
            } else if word.begins(with: "--output=") || word.begins(with: "-o") {
                continue
            } else if !given.contains(ExactText(word)), !word.begins(with: "--input-file="), !(word.begins(with: "-i") && word.utf8.count > 2) {
                words.append(word)
            }
        }
        let urls = downloads.map(\.file.url)
        // They are URLs and nothing else: nothing in them is to be taken for a pattern again.
        let patterns = urls.map { original.queue.noGlob ? $0 : URLPattern.escaped($0) }
        let end = words.firstIndex { $0.isExactly("--") } ?? words.endIndex
        words.insert(contentsOf: (name.map { ["--output=\($0)"] } ?? []) + options, at: end)
        // A flag may have the same URL for its value: then the words mean something else now, and this shows it.
        guard let again = try? parse(words + patterns), again.urls.elementsEqual(patterns, by: { $0.isExactly($1) }), again.queue.inputFile.isEmpty,
            again.target.output == name
        else { return nil }
        return [program] + words + patterns
    }

    private func parse(_ words: [String]) throws -> GetCommand? {
        try PawlCommand.subcommand(from: PawlCommand.withCommand(words)) as? GetCommand
    }
}
