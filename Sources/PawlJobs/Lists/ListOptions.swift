import Pawl
import PawlCore
package import PawlOptions

/// The options of one file, as a list has them (docs/lists.md): where it goes, and its job.
package struct ListedFile: Sendable {
    package var job: JobSpec
    package var target = TargetOptions()
    /// The names of aria2's options that can be ignored safely.
    package var ignored: [String] = []
    var aria2 = Aria2Translation()

    /// - Parameters:
    ///   - url: of the file.
    ///   - template: what holds unless the list says otherwise.
    package init(
        _ options: [DownloadList.Option], of url: String?, template: JobSpec
    ) throws(DownloadList.Problem) {
        job = template
        for option in options { try take(option) }
        aria2.settle(&job, of: url)
    }

    private mutating func take(_ given: DownloadList.Option) throws(DownloadList.Problem) {
        guard let option = ListOptions.byName[ExactText(given.name)] else { return try ignore(given) }
        if option.argument == .none, !["true", "false"].containsExactly(given.value) {
            throw DownloadList.Problem(line: given.line, message: "“\(given.name)” must be true or false.")
        }
        do throws(OptionValueProblem) {
            try option.set(&self, given.value)
        } catch {
            // The value is not repeated: a mistyped line may hold a secret.
            throw DownloadList.Problem(line: given.line, message: "“\(given.name)” takes \(error.accepted).")
        }
    }

    private mutating func ignore(_ given: DownloadList.Option) throws(DownloadList.Problem) {
        let message: String
        switch Aria2Rest.row(of: given.name) {
        case let row? where [.harmless, .unsupported].contains(row.meaning) || given.value.isExactly("false"):
            return ignored.append(given.name)
        case let row? where row.meaning == .global:
            message = "“\(given.name)” applies to all files of a run and cannot be used in a list: \(row.reason)."
        case let row?: message = "“\(given.name)” is not supported: \(row.reason)."
        case nil:
            let suggestion = Suggestion.sentence(for: given.name, among: ListOptions.words)
            message =
                "“\(given.name)” is not an option of a list.\(suggestion.isEmpty ? " The options are \(ListOptions.known)." : suggestion)"
        }
        throw DownloadList.Problem(line: given.line, message: message)
    }
}

/// The options about the place of a file.
package struct TargetOptions: Sendable {
    /// The file's name, perhaps with directories in front.
    package var output: String?
    package var directory: String?

    package init() {}

    package static let output = OptionDeclaration<Self>.text(
        "output", letter: "o", "file", \.output,
        help: "Save as this file, relative to the directory; - writes to stdout.", completion: .file, aria2: ["out"]
    )
    .without(.configuration, because: .oneDownload)
    package static let directory = OptionDeclaration<Self>.text(
        "directory", letter: "d", "dir", \.directory, help: "Directory for the files. It must exist.",
        completion: .directory, aria2: ["dir"]
    )
    .without(.environment, because: .hooks)
    package static let all = [output, directory]
}

/// The options of one file in a list: those of a job, where the file goes, and aria2's names for the same.
package enum ListOptions {
    package static let all =
        [output, TargetOptions.directory].within(\.target) + translated + JobOptions.all.map(inList).within(\.job)

    private static let output = TargetOptions.output.described("Save as this file, relative to the directory.")
        .setting { (target, text) throws(OptionValueProblem) in
            if text.isExactly("-") {
                throw OptionValueProblem(accepted: "the name of a file; only one URL can go to standard output")
            }
            target.output = text
        }

    /// Returns the option with help for people who write lists rather than command lines.
    private static func inList(_ option: JobOption) -> JobOption {
        switch option.name {
        case "user": option.described("Log in to the URL's own origin, by Basic or Digest. Here with the password.")
        case "bearer": option.described("Send this bearer token to the URL's own origin.")
        default: option
        }
    }

    /// The words that a list takes, without those that are ignored.
    package static let words = byName.keys.sorted().map(\.text)

    /// The option that a word of a list says; nil if there is none.
    package static func option(_ word: String) -> OptionDeclaration<ListedFile>? { byName[ExactText(word)] }

    fileprivate static let byName = Dictionary(
        all.filter { $0.places.contains(.lists) }.flatMap { option in
            Set(([option.name] + option.aria2).map { ExactText($0) }).map { ($0, option) }
        }
    ) { first, _ in first }

    fileprivate static let known = words.joined(separator: ", ")
}
