import Pawl
import PawlCore
import PawlOptions

/// Options of aria2 for one file of which several say one thing together.
///
/// aria2c, its RPC and lists all read them here, so that each means the same everywhere.
struct Aria2Translation: Sendable {
    var userName: String?
    var password: String?
    /// `split` and `max-connection-per-server`.
    var connections: [Int] = []
    var overwrites: Bool?
    var renames: Bool?
    /// Whether an option continues or compares a file. A file that is not newer is not fetched, so nothing of it can be
    /// completed.
    var completesOrCompares = false

    // Each is settled as soon as a part of it is said, so that of it and Pawl's own word the later one holds.

    func settleConnections(_ job: inout JobSpec) {
        if let count = ListOptions.connections(connections) { job.options.maximumConnections = count }
    }

    func settleLogin(_ job: inout JobSpec) {
        guard let userName else { return }
        job.authentication = userName.isEmpty ? nil : .password(name: userName, .value(password ?? ""))
    }

    func settleExisting(_ job: inout JobSpec) {
        switch (overwrites, renames) {
        case (true?, _): job.ifExists = .replace
        case (_, true?): job.ifExists = .rename
        case (false?, false?): job.ifExists = .fail
        // Only one is said, and what it denies does not hold: aria2 renames unless that is denied as well.
        case (false?, nil): if job.ifExists == .replace { job.ifExists = .rename }
        case (nil, false?): if job.ifExists == .rename { job.ifExists = .fail }
        case (nil, nil): break
        }
    }

    /// - Parameter url: the file's own, which the referrer `*` stands for.
    func settle(_ job: inout JobSpec, of url: String?) {
        if completesOrCompares, job.options.onlyIfNewer { job.options.adoptsPartialFile = false }
        if let referer = job.referer, referer.isEmpty || referer.isExactly("*") {
            job.referer = referer.isEmpty ? nil : url
        }
    }
}

extension ListOptions {
    /// aria2's `split` is of all servers and may be any number; Pawl opens at most 16 connections.
    ///
    /// - Parameter said: what was given as either.
    package static func connections(_ said: [Int]) -> Int? { said.min().map { min(max($0, 1), 16) } }

    /// Words of aria2 that Pawl says by others.
    static let translated: [OptionDeclaration<ListedFile>] = [
        aria2("split", .value("number"), help: "As connections, up to 16; the smaller of both counts.") {
            (file, text) throws(OptionValueProblem) in
            file.aria2.connections.append(try OptionText.number(1...Int.max, of: "connections")(text))
            file.aria2.settleConnections(&file.job)
        },
        aria2(
            "max-connection-per-server", .value("number"), help: "As connections; the smaller of both counts."
        ) { (file, text) throws(OptionValueProblem) in
            file.aria2.connections.append(try OptionText.connections(text))
            file.aria2.settleConnections(&file.job)
        },
        aria2("max-download-limit", .value("rate"), help: "As max-speed; 0 is no limit.") {
            (file, text) throws(OptionValueProblem) in
            let limit = try OptionText.size(text)
            file.job.options.maximumBytesPerSecond = limit > 0 ? limit : nil
        },
        aria2("max-tries", .value("number"), help: "The number of tries, one more than retries; 0 is no limit.") {
            (file, text) throws(OptionValueProblem) in
            file.job.options.maximumRetries = try OptionText.retries(ofTries: text)
        },
        aria2("continue", help: "As adopt, unless only a newer file is wanted.") { (file, text) in
            file.job.options.adoptsPartialFile = text.isExactly("true")
            file.aria2.completesOrCompares = true
        },
        // aria2 replaces a file only where it is told to.
        aria2("conditional-get", help: "As if-newer, and if-exists=rename unless that is said.") { (file, text) in
            file.job.options.onlyIfNewer = text.isExactly("true")
            if file.job.options.onlyIfNewer { file.job.ifExists = file.job.ifExists ?? .rename }
            file.aria2.completesOrCompares = true
        },
        aria2("allow-overwrite", help: "As if-exists=replace.") { (file, text) in
            file.aria2.overwrites = text.isExactly("true")
            file.aria2.settleExisting(&file.job)
        },
        aria2(
            "auto-file-renaming",
            help: "As if-exists=rename, unless allow-overwrite is true. If both are false, as if-exists=fail."
        ) { (file, text) in
            file.aria2.renames = text.isExactly("true")
            file.aria2.settleExisting(&file.job)
        },
        aria2("http-user", .value("name"), help: "The name of user; empty takes it back.") { (file, text) in
            file.aria2.userName = text
            file.aria2.settleLogin(&file.job)
        },
        aria2("http-passwd", .value("password"), help: "The password of user.") { (file, text) in
            file.aria2.password = text
            file.aria2.settleLogin(&file.job)
        },
        aria2("http-no-cache", help: "Sends the header fields Cache-Control and Pragma, each with no-cache.") {
            (file, text) in
            // RFC 9111 §5.2.1.4, §5.4.
            let fields = [HTTPField("Cache-Control", "no-cache"), HTTPField("Pragma", "no-cache")]
            if text.isExactly("true") { file.job.headers += fields.filter { !file.job.headers.contains($0) } }
        },
        aria2("metalink-location", .value("countries"), help: "As mirror-country, several with commas.") {
            (file, text) in
            let countries = OptionText.countries(text)
            if !countries.unknown.isEmpty { file.ignored.append("metalink-location") }
            guard countries.unknown.isEmpty || !countries.known.isEmpty else { return }
            file.job.options.preferredLocations = countries.known
        },
    ]

    private static func aria2(
        _ name: String, _ argument: OptionArgument = .none, help: String,
        _ set: @escaping OptionDeclaration<ListedFile>.Setter
    ) -> OptionDeclaration<ListedFile> {
        OptionDeclaration(name, argument, help: help, aria2: [name], set: set)
            .without([.commandLine, .configuration], because: .alias)
    }
}
