import Pawl
import PawlCore
package import PawlJobs
import PawlSystem

extension JobSpec {
    /// Resumes a file that an aria2 has not finished, as aria2 does without being asked to: its control file stands
    /// beside it.
    package mutating func resumeLeftByAria2() {
        guard
            let name = fileName
                ?? url.flatMap({ try? HTTPURL(parsing: $0) }).map({ FileName.choose(contentDisposition: nil, url: $0) })
        else { return }
        let path = FileTarget.path(in: directory, name)
        guard FileKind(path: path) == .other, FileKind(path: path + AdoptionRule.aria2Suffix) == .other else { return }
        (options.adoptsPartialFile, options.onlyIfNewer) = (true, false)
        // What cannot be resumed is told, and no other name is taken.
        ifExists = .fail
    }
}
