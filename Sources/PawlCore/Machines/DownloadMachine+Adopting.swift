/// A file of another program that the download goes on from.
extension DownloadMachine {
    /// The reason why the current file is not set aside for another version of the server; nil if it may be.
    var refusalToSetAside: DownloadError? {
        if let unproven = attempt.earlier.unproven, settings.ifExists != .replace {
            return settings.refusal(of: unproven)
        }
        return attempt.earlier.untouched?.refusalToSetAside(settings.onChange, settings.existingFilePolicy)
    }

    /// The report of a new start, or of its reason. Nothing starts over where the file is left as it is.
    func reportRestart(_ report: DownloadReport) -> [DownloadAction] {
        refusalToSetAside == nil ? [.report(report)] : []
    }

    /// Starts over because nothing shows to which file the held bytes belong.
    mutating func startOverUnproven(_ keeping: Keeping) -> [DownloadAction] {
        let kept = attempt.earlier.isForeign ? .always : written.isEmpty ? nil : keeping
        return reportRestart(.startedOver(keeping: kept)) + drain(for: .startOver(keeping))
    }
}

/// A file of another program as it was found, before a byte is written to it (FAULTS D26).
struct UntouchedFile: Hashable, Sendable {
    var name: String
    /// Whether the file already has the download's final name.
    var isTarget: Bool

    /// Under its final name it is the user's file, and is moved only where the user lets it be replaced.
    func refusalToSetAside(_ onChange: ChangePolicy, _ ifExists: ExistingFilePolicy) -> DownloadError? {
        let remedies: [DownloadError.Remedy]
        if isTarget, ifExists != .replace {
            remedies = [.chooseName, .replaceExisting]
        } else if onChange == .fail {
            remedies = [.restartOnChange]
        } else {
            return nil
        }
        return DownloadError(
            .changed, "Cannot verify that “\(name)” is the beginning of the server's file. It was left unchanged.",
            remedies: remedies, recovery: .restart)
    }
}
