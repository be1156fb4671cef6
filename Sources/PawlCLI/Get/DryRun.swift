import Pawl
import PawlCore
import PawlJobs

/// `--dry-run`: what would be downloaded, and under which name as far as known without a request.
struct DryRun {
    let get: ResolvedGet

    func print(in session: Session) -> ExitCode {
        for remark in get.remarks { session.warn(remark) }
        for download in get.downloads {
            let line = get.writesJSON ? json(download).encoded : text(download).shown(in: Locale.current)
            guard session.output.write(line + "\n") else { return .outputClosed }
        }
        return .done
    }

    func text(_ download: PlannedDownload) -> String {
        let mirrors = download.file.mirrors.count
        return url(download.file.url) + (mirrors == 0 ? "" : mirrors == 1 ? " and 1 mirror" : " and \(mirrors) mirrors")
            + " -> " + download.file.likelyPath
            + (download.file.spec.fileName == nil ? ", unless the server names it otherwise" : "")
    }

    func json(_ download: PlannedDownload) -> JSONValue {
        [
            "event": .string("planned"), "id": .integer(download.id.number), "url": .string(url(download.file.url)),
            "mirrors": .integer(download.file.mirrors.count), "directory": .string(download.file.spec.directory),
            "file": .optional(download.file.spec.fileName), "likelyName": .string(download.file.likelyName),
        ]
    }

    /// Queries tell the URLs of a pattern apart, so they are shown but for what looks like a secret.
    private func url(_ text: String) -> String {
        (try? HTTPURL(parsing: text))?.withoutSecrets.serialized ?? ""
    }
}
