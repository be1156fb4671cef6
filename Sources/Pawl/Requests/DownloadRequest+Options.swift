import PawlCore
import PawlEngine

/// A request as the session keeps it.
extension DownloadRequest {
    /// - Returns: the options, and whether something had to be left out without which it is another request: because it
    ///   is secret, or because a session cannot hold it.
    func storedOptions(withSecrets: Bool) -> (options: [StoredOption], isIncomplete: Bool) {
        var options: [StoredOption] = []
        var isIncomplete = hasOtherOptions
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

    /// Whether it asks for nothing besides its URL and its target but ``options``.
    var hasOnlyOptions: Bool {
        refreshURL == nil && freshURL == nil && mirrors.isEmpty && headers.isEmpty && authentication == nil
            && userAgent == nil && referer == nil && !hasOtherOptions
    }

    /// Whether a property that no ``SessionField`` knows differs from the default. A test makes sure that there is no
    /// such property; should there be one, the download waits after a restart and is not taken for another one.
    private var hasOtherOptions: Bool {
        guard !Self.otherProperties.isEmpty else { return false }
        let plain = DownloadRequest(url, in: directory)
        return zip(Swift.Mirror(reflecting: self).children, Swift.Mirror(reflecting: plain).children).contains {
            mine, usual in
            guard let name = mine.label, Self.otherProperties.contains(name) else { return false }
            return String(describing: mine.value) != String(describing: usual.value)
        }
    }

    private static let otherProperties = Set(Swift.Mirror(reflecting: DownloadRequest("")).children.compactMap(\.label))
        .subtracting(SessionField.properties)

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
