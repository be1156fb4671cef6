import ArgumentParser
import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Authentication: names, passwords, tokens and cookies, and the files that have them.
struct CredentialOptions: RequestOptions {
    @OptionGroup var login: LoginOptions

    @Flag(help: "Take names and passwords from ~/.netrc, by host.")
    var netrc = false

    @Option(
        help: ArgumentHelp("Take names and passwords from this file, by host.", valueName: "file"), completion: .file())
    var netrcFile: String?

    @Option(help: ArgumentHelp("Load cookies from this cookies.txt.", valueName: "file"), completion: .file())
    var cookies: String?

    @Option(
        help: ArgumentHelp(
            "Save all cookies to this cookies.txt at the end, readable by its owner only.", valueName: "file"),
        completion: .file())
    var saveCookies: String?

    func apply(to job: inout JobSpec) throws(UsageError) { try login.apply(to: &job) }

    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) throws(UsageError) {
        let netrc = try netrcPath()
        if let saveCookies, FileKind(path: saveCookies) == .other {
            let found = try? files.cookies(saveCookies)
            guard let found, found.unreadableLines == 0 || found.store.hasCookies else {
                throw UsageError(
                    "“\(saveCookies)” exists and is not a cookies.txt, which --save-cookies would replace. Name another file."
                )
            }
        }
        do throws(DownloadError) {
            if let netrc { configuration.netrc = try files.netrc(netrc).netrc }
            if let cookies {
                configuration.cookies = try files.cookies(cookies).store
            } else if saveCookies != nil {
                configuration.cookies = CookieStore()
            }
        } catch {
            throw UsageError(error.message)
        }
    }

    var holdsSecrets: Bool { login.holdsSecrets }

    // MARK: Files

    func warnings(reading files: NamedFiles) -> [String] {
        var warnings: [String] = []
        if let path = (try? netrcPath()) ?? nil, let file = try? files.netrc(path) {
            if file.isReadableByOthers {
                warnings.append("Others can read “\(path)” and the passwords in it. Take that from them: chmod 600.")
            }
            if let fault = file.netrc.fault {
                warnings.append("Not all of “\(path)” is understood; its other entries are used. \(fault.message)")
            }
        }
        if let cookies, let count = try? files.cookies(cookies).unreadableLines, count > 0 {
            warnings.append(
                "\(count == 1 ? "One line" : "\(count) lines") of “\(cookies)” could not be read, and \(count == 1 ? "was" : "were") left out."
            )
        }
        return warnings
    }

    func finish(_ configuration: Downloader.Configuration) throws(DownloadError) {
        if let saveCookies { try configuration.cookies?.save(to: saveCookies) }
    }

    private func netrcPath() throws(UsageError) -> String? {
        if let netrcFile { return netrcFile }
        guard netrc else { return nil }
        guard let home = Environment.value("HOME"), !home.isEmpty else {
            throw UsageError("--netrc reads ~/.netrc, and HOME is not set. Name the file with --netrc-file.")
        }
        return home + "/.netrc"
    }
}

/// Names, passwords, tokens and cookies that belong to a job.
struct LoginOptions: RequestOptions {
    @Option(
        help: ArgumentHelp(
            "Log in to the URL's own origin, by Basic or Digest. A missing password is asked for.",
            valueName: "name[:password]"))
    var user: String?

    @Flag(help: "Log in by Digest only, which never sends the password itself.")
    var digest = false

    @Option(
        help: ArgumentHelp(
            "Send this bearer token to the URL's own origin. Other users can see it in the process list.",
            valueName: "token"))
    var bearer: String?

    @Option(
        help: ArgumentHelp("Read the bearer token from the first line of this file.", valueName: "file"),
        completion: .file())
    var bearerFile: String?

    @Option(help: ArgumentHelp("Read the bearer token from this environment variable.", valueName: "variable"))
    var bearerEnv: String?

    @Option(help: ArgumentHelp("Send these cookies to the URL's own origin. May be repeated.", valueName: "a=b; c=d"))
    var cookie: [String] = []

    func apply(to job: inout JobSpec) throws(UsageError) {
        guard user == nil || !hasToken else {
            throw UsageError("--user and a bearer token exclude each other: give one of them.")
        }
        if let user { job.authentication = try login(user) }
        job.options.allowsOnlyDigest = digest
        if let token = try token() { job.authentication = .bearer(token) }
        for text in cookie {
            guard text.utf8.contains(UInt8(ascii: "=")) else {
                throw UsageError(
                    "--cookie takes 'name=value', several parted by a semicolon; the cookies of a file are for --cookies."
                )
            }
            job.headers.append(HTTPField("Cookie", text))
        }
    }

    var authenticates: Bool { user != nil || hasToken }

    private var hasToken: Bool { bearer != nil || bearerFile != nil || bearerEnv != nil }

    var holdsSecrets: Bool { user?.utf8.contains(UInt8(ascii: ":")) ?? false || bearer != nil || !cookie.isEmpty }

    // MARK: Secrets

    private func login(_ text: String) throws(UsageError) -> JobSpec.Authentication {
        let bytes = text.utf8
        let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self)
        guard bytes.contains(UInt8(ascii: ":")) else {
            return .password(name: name, .value(try PasswordPrompt.password(of: name)))
        }
        return .password(name: name, .value(String(decoding: bytes.dropFirst(name.utf8.count + 1), as: UTF8.self)))
    }

    private func token() throws(UsageError) -> PawlJobs.Secret? {
        let tokens = [
            bearer.map { PawlJobs.Secret.value($0) }, bearerFile.map { .file($0) }, bearerEnv.map { .environment($0) },
        ].compactMap(\.self)
        guard tokens.count <= 1 else {
            throw UsageError("--bearer, --bearer-file and --bearer-env exclude each other: give one of them.")
        }
        return tokens.first
    }
}
