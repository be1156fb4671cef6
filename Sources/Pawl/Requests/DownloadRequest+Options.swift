import PawlCore
import PawlEngine

/// A request as the session keeps it.
extension DownloadSettings.Template {
    /// - Returns: the options, and whether something had to be left out without which it is another request, because it
    ///   is secret.
    func storedOptions(withSecrets: Bool) -> (options: [StoredOption], isIncomplete: Bool) {
        var options: [StoredOption] = []
        var isIncomplete = false
        for field in SessionField.all {
            for value in field.values(self) {
                if value.isSecret, !withSecrets {
                    isIncomplete = true
                } else {
                    options.append(StoredOption(field.name, value.text))
                }
            }
        }
        return (options, isIncomplete)
    }
}

extension DownloadRequest {
    /// The inverse. An option that this version does not know is an error: without it the file might be another one.
    mutating func take(_ options: [StoredOption]) throws(DownloadError) {
        for option in options {
            guard let field = SessionField.byName[option.name], field.take(option.value, &self) else {
                throw DownloadError(
                    .journal, "The option “\(option.name)” of a download in the session cannot be read.",
                    recovery: .giveUp)
            }
        }
    }
}
