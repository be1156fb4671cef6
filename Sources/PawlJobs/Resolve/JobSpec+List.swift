import Pawl
package import PawlCore

extension JobSpec {
    /// The job that a line of a list names (docs/lists.md): the first of its URLs, with the others as mirrors.
    ///
    /// - Parameter template: what holds where the entry says nothing.
    /// - Throws: for an option that it does not know, so that nothing is fetched otherwise than was meant.
    package init(_ entry: DownloadList.Entry, like template: JobSpec) throws(DownloadList.Problem) {
        self = template
        source = .url(entry.urls.first ?? "", mirrors: entry.urls.dropFirst().map { Mirror($0) })
        for option in entry.options {
            do {
                try apply(option)
            } catch {
                throw DownloadList.Problem(line: option.line, message: "\(error)")
            }
        }
        do throws(JobSpecError) {
            try checked()
        } catch {
            throw DownloadList.Problem(line: entry.line, message: error.message)
        }
    }

    private mutating func apply(_ option: DownloadList.Option) throws {
        switch option.name {
        case "out": fileName = option.value
        case "dir": directory = option.value
        case "checksum": options.digest = try Digest(parsing: option.value)
        default: throw JobSpecError(.unknownField, [option.name], "The option “\(option.name)” is not known.")
        }
    }
}
