import Pawl
import PawlCore
import PawlJobs
import PawlOptions
import PawlSystem

/// Files that have names, passwords and cookies.
struct CredentialFiles: Sendable {
    var netrc = false
    var netrcFile: String?
    var cookies: String?
    var saveCookies: String?

    static let options = OptionDeclaration<Self>.without(
        .lists, because: .wholeRun,
        [
            .flag("netrc", \.netrc, help: "Take names and passwords from ~/.netrc, by host."),
            .text(
                "netrc-file", "file", \.netrcFile, help: "Take names and passwords from this file, by host.",
                completion: .file),
            .text("cookies", "file", \.cookies, help: "Load cookies from this cookies.txt.", completion: .file)
                .without(.configuration, because: .secret),
            .text(
                "save-cookies", "file", \.saveCookies,
                help: "Save all cookies to this cookies.txt at the end, readable by its owner only.", completion: .file
            )
            .without(.configuration, because: .secret),
        ])

    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) throws(UsageError) {
        let netrc = try netrcPath()
        if let saveCookies, FileKind(path: saveCookies) == .other {
            let found = try? files.cookies(saveCookies)
            guard let found, found.unreadableLines == 0 || found.store.hasCookies else {
                throw UsageError(
                    "“\(saveCookies)” exists and is not a cookies.txt; --save-cookies would replace it. Name another file."
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

    func warnings(reading files: NamedFiles) -> [String] {
        var warnings: [String] = []
        if let path = (try? netrcPath()) ?? nil, let file = try? files.netrc(path) {
            if file.isReadableByOthers {
                let command = ShellWords.join(["chmod", "600", path]).map { " Run: \($0)" } ?? ""
                warnings.append("“\(path)” is readable by other users.\(command)")
            }
            if let fault = file.netrc.fault {
                warnings.append("Part of “\(path)” cannot be read; the other entries are used. \(fault.message)")
            }
        }
        if let cookies, let count = try? files.cookies(cookies).unreadableLines, count > 0 {
            warnings.append(
                "\(count == 1 ? "One line" : "\(count) lines") of “\(cookies)” could not be read, and \(count == 1 ? "was" : "were") ignored."
            )
        }
        return warnings
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
