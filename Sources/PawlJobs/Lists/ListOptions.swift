import Pawl
import PawlCore
package import PawlOptions

/// What a list says of one file (docs/lists.md): where it goes, and its job.
package struct ListedFile: Sendable {
    package var job: JobSpec
    package var target = TargetOptions()
    /// The names of aria2's options that can be ignored safely.
    package var ignored: [String] = []
    /// The halves of a login, as aria2 writes them.
    fileprivate var login: (name: String, password: String)?

    /// - Parameter template: what holds unless the list says otherwise.
    package init(_ options: [DownloadList.Option], template: JobSpec) throws(DownloadList.Problem) {
        job = template
        for option in options { try take(option) }
        if let login { job.authentication = .password(name: login.name, .value(login.password)) }
    }

    private mutating func take(_ given: DownloadList.Option) throws(DownloadList.Problem) {
        guard let option = ListOptions.byName[ExactText(given.name)] else {
            guard ListOptions.ignored.containsExactly(given.name) else {
                throw DownloadList.Problem(
                    line: given.line,
                    message: "“\(given.name)” is not an option of a list. The options are \(ListOptions.known).")
            }
            return ignored.append(given.name)
        }
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
}

/// Where a file goes.
package struct TargetOptions: Sendable {
    /// The file's name, perhaps with directories in front.
    package var output: String?
    package var directory: String?

    package init() {}

    package static let output = OptionDeclaration<Self>.text(
        "output", letter: "o", "file", \.output, help: "Name of the file, beneath -d; - is standard output.",
        completion: .file, aria2: ["out"]
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
    package static let all = TargetOptions.all.within(\.target) + login + JobOptions.all.within(\.job)

    private static let login = OptionDeclaration<ListedFile>.without(
        [.commandLine, .configuration], because: .alias,
        [
            .init("http-user", .value("name"), help: "The first half of user.") {
                $0.login = ($1, $0.login?.password ?? "")
            },
            .init("http-passwd", .value("password"), help: "The second half of user.") {
                $0.login = ($0.login?.name ?? "", $1)
            },
        ])

    /// Options of aria2 that the result does not depend on.
    package static let ignored = [
        "always-resume", "async-dns", "file-allocation", "gid", "min-split-size", "no-file-allocation-limit", "pause",
        "piece-length", "realtime-chunk-checksum", "reuse-uri", "stream-piece-selector", "uri-selector",
    ]

    /// Every word of a list, without those that are ignored.
    package static let words = byName.keys.sorted().map(\.text)

    fileprivate static let byName = Dictionary(
        all.filter { $0.places.contains(.lists) }.flatMap { option in
            ([option.name] + option.aria2).map { (ExactText($0), option) }
        }
    ) { first, _ in first }

    fileprivate static let known = words.joined(separator: ", ")
}
