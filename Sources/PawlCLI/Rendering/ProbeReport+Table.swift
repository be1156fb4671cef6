import Pawl
import PawlCore

extension ProbeReport {
    /// Returns the output of `pawl probe`.
    func table(in locale: Locale) -> String {
        var table = Table()
        table.row("URL", finalURL + redirectText)
        table.row("Name", suggestedName)
        table.row("Length", get.totalBytes.map(ByteCount.exactText) ?? "not stated")
        table.row(
            "Ranges", acceptsRanges ? "yes: can be resumed and split" : "no: restarts from zero after an interruption")
        table.row("Validator", validatorText)
        table.row("")
        table.row("", "GET bytes=0-", "HEAD")
        table.row("Status", "\(get.status)", head.map { "\($0.status)" } ?? "no response")
        row("Length", in: &table) { $0.totalBytes.map { "\($0)" } }
        row("ETag", in: &table, \.entityTag)
        row("Last-Modified", in: &table, \.lastModified)
        row("Content-Type", in: &table, \.contentType)
        row("Accept-Ranges", in: &table, \.acceptRanges)
        return table.text(in: locale)
    }

    private var redirectText: String {
        switch redirects {
        case 0: ""
        case 1: " (after 1 redirect)"
        default: " (after \(redirects) redirects)"
        }
    }

    private var validatorText: String {
        if hasStrongValidator { return "strong: a change on the server is always detected" }
        guard get.entityTag != nil || get.lastModified != nil else {
            return "none: only a change of the length can be detected"
        }
        return "weak: a change on the server may go undetected"
    }

    private func row(_ name: String, in table: inout Table, _ value: (Answer) -> String?) {
        table.row(name, value(get) ?? "-", head.map { value($0) ?? "-" } ?? "")
    }
}
