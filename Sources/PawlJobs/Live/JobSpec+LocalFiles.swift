package import Pawl
package import PawlCore

extension JobSpec {
    /// The jobs that remain for somebody who reaches no file here: what this one names on this disk is read and put
    /// into them, secrets included; what it names by URL is still named.
    ///
    /// - Returns: also what documents have that could not be used.
    package func withoutLocalFiles(_ secrets: SecretReader) throws(JobFailure) -> (jobs: [JobSpec], notices: [String]) {
        let resolved = try JobResolution.withoutLocalDocuments(self, reading: LiveDocuments.file)
        if let word = resolved.unused.min() { throw .selectsNothing(word) }
        var jobs: [JobSpec] = []
        do throws(DownloadError) {
            for file in resolved.files { jobs.append(try file.spec.withSecrets(secrets)) }
        } catch {
            throw .download(error)
        }
        return (jobs, resolved.notices)
    }

    /// Returns the job with each secret replaced by its value.
    package func withSecrets(_ secrets: SecretReader) throws(DownloadError) -> JobSpec {
        var job = self
        if context.authentication != nil { job.context = try context.withSecrets(secrets) }
        if let secret = unpacking?.password { job.unpacking?.password = .value(try secrets.text(of: secret)) }
        return job
    }
}
