package import Pawl
package import PawlCore
package import PawlEngine
import Synchronization

/// Makes the plans of a run's downloads. Files that ask for the same but for their URLs share what is made of it.
package final class JobPlanner: Sendable {
    private let secrets: SecretReader
    private let netrc: Netrc?
    private let latest = Locked<(spec: JobSpec, template: Boxed<DownloadSettings.Template>)?>(nil)

    /// - Parameter netrc: that of the downloader.
    package init(_ secrets: SecretReader, _ netrc: Netrc?) {
        self.secrets = secrets
        self.netrc = netrc
    }

    /// - Throws: for what the library refuses.
    package func plan(of spec: JobSpec) throws(DownloadError) -> Plan {
        let url = try HTTPURL.checked(try spec.url)
        var plan = try Plan(url, template(of: spec, at: url), in: spec.directory, named: spec.fileName)
        plan.settings.netrc = netrc
        return plan
    }

    /// - Throws: for secrets that cannot be read. A file that the library refuses is said to be wrong once, when it is
    ///   begun.
    package func prepare(_ file: JobFile) throws(DownloadError) -> PreparedFile {
        let target = FileTarget(in: file.spec.directory, file.spec.fileName)
        do throws(DownloadError) {
            let settings = try plan(of: file.spec).settings
            return PreparedFile(file, identity: settings.identity, target: target, host: settings.askedURL.hostKey)
        } catch {
            return PreparedFile(file, identity: Array(try file.spec.request(secrets).url.utf8), target: target)
        }
    }

    private func template(
        of spec: JobSpec, at url: HTTPURL
    ) throws(DownloadError) -> Boxed<DownloadSettings.Template> {
        guard let digest = spec.digest else { return try commonTemplate(of: spec, at: url) }
        var spec = spec
        spec.digest = nil
        var template = try commonTemplate(of: spec, at: url).value
        template.options.digest = digest
        return Boxed(template)
    }

    /// Returns the template of a job without a digest.
    private func commonTemplate(
        of spec: JobSpec, at url: HTTPURL
    ) throws(DownloadError) -> Boxed<DownloadSettings.Template> {
        let known = latest.withLock { latest in latest.flatMap { $0.spec.asksAlike(spec) ? $0.template : nil } }
        if let known { return known }
        let template = try spec.request(secrets).template(of: url, secrets)
        latest.withLock { $0 = (spec, template) }
        return template
    }
}
