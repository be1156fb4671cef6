import Pawl
import PawlCore
import PawlJobs
import PawlOptions

/// The options of a job, as the command line says them: as in a list, but a missing password is asked for, and
/// credentials that exclude each other are an error.
struct TypedJob: Sendable {
    /// The job without its URL and target.
    var job = JobSpec("")
    /// The name whose password has to be asked for.
    private var nameWithoutPassword: String?
    private var usesPassword = false
    /// The options that name a token.
    private var tokens: Set<ExactText> = []
    /// The options of other programs that were dropped.
    var dropped: [String] = []

    static func options(_ options: [JobOption]) -> [OptionDeclaration<TypedJob>] { options.map(option) }

    private static func option(_ option: JobOption) -> OptionDeclaration<TypedJob> {
        let lifted = option.within(\TypedJob.job)
        switch option.name {
        case "user":
            return lifted.setting { (words, text) throws(OptionValueProblem) in
                words.usesPassword = true
                let hasPassword = text.utf8.contains(UInt8(ascii: ":"))
                words.nameWithoutPassword = hasPassword ? nil : text
                if hasPassword { try option.set(&words.job, text) } else { words.job.authentication = nil }
            }
        case "bearer", "bearer-file", "bearer-env":
            return lifted.setting { (words, text) throws(OptionValueProblem) in
                words.tokens.insert(ExactText(option.name))
                try option.set(&words.job, text)
            }
        case "cookie":
            return lifted.setting { (words, text) throws(OptionValueProblem) in
                do throws(OptionValueProblem) {
                    try option.set(&words.job, text)
                } catch {
                    throw OptionValueProblem(accepted: error.accepted + "; the cookies of a file are for --cookies")
                }
            }
        default: return lifted
        }
    }

    static let mirror = OptionDeclaration<Self>(
        "mirror", .values("url"),
        help:
            "Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated."
    ) { (words, text) in
        if case .url(let url, let others) = words.job.source {
            words.job.source = .url(url, mirrors: others + [Mirror(text)])
        }
    }
    .without(.lists, because: .otherForm).without(.configuration, because: .oneDownload)

    static let hook = OptionDeclaration<Self>.value(
        "on-complete", "command", \.job.hook,
        help:
            "Run a program after each download, whether completed or failed. No shell is involved: blanks separate words, quotes keep them together.",
        takesNumber: false
    ) { (text) throws(OptionValueProblem) in
        guard let words = ShellWords.split(text), words.first?.isEmpty == false else {
            throw OptionValueProblem(accepted: "a program and its arguments, with each quote closed")
        }
        return words
    }
    .without(.lists, because: .wholeRun)

    var authenticates: Bool { usesPassword || !tokens.isEmpty }

    /// Whether a word holds a secret. A URL may hold credentials.
    var holdsSecrets: Bool {
        let isSecretTyped = job.authentication?.secret.isValue ?? false
        let mirrors = if case .url(_, let mirrors) = job.source { mirrors } else { [Mirror]() }
        return isSecretTyped || !job.headers.isEmpty || job.referer != nil
            || mirrors.contains { JobDocument.holdsSecrets($0.url) }
    }

    /// The notice about options and header fields that were dropped; nil if there were none.
    var droppedNotice: String? {
        var names: [String] = []
        for name in dropped + job.headers.filter(\.isDropped).map(\.name) where !names.containsExactly(name) {
            names.append(name)
        }
        guard !names.isEmpty else { return nil }
        return
            "Ignored: \(names.joined(separator: ", ")). Pawl decides these itself and stores the whole file as the server keeps it."
    }

    /// The job, with the password that was asked for and without header fields that are dropped.
    ///
    /// - Throws: for options that contradict each other.
    func described() throws(UsageError) -> JobSpec {
        guard !usesPassword || tokens.isEmpty else {
            throw UsageError("--user and a bearer token exclude each other: give one of them.")
        }
        guard tokens.count <= 1 else {
            throw UsageError("--bearer, --bearer-file and --bearer-env exclude each other: give one of them.")
        }
        guard job.options.ranges != nil || !job.options.isSparse else {
            throw UsageError("--sparse needs --range.")
        }
        try Self.checkDigests(job)
        var job = job
        job.headers.removeAll(where: \.isDropped)
        guard let nameWithoutPassword else { return job }
        let password = try PasswordPrompt.password(of: nameWithoutPassword)
        job.authentication = .password(name: nameWithoutPassword, .value(password))
        return job
    }

    static func checkDigests(_ job: JobSpec) throws(UsageError) {
        guard job.options.digest == nil || job.digestList == nil else {
            throw UsageError("--checksum and --checksum-file exclude each other: give one of them.")
        }
    }
}
