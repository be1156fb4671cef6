package import PawlArchive
package import PawlCore

/// A remedy of a job's failure: one of the library, or of jobs alone.
package struct JobRemedy: Hashable, Sendable {
    /// Remedies of jobs alone.
    package enum Known: String, CaseIterable, Sendable {
        case nameEach, downloadSeparately, unpackElsewhere, leaveSecretsOut, giveFileURL, giveSource,
            fetchAllAgain,
            checkSelection
    }

    /// The name for programs. The web page has words for it under `remedy.NAME`.
    package let name: String
    /// The words for the remedy; nil for a remedy of a later version.
    package let words: RemedyWords?

    package init(_ remedy: Known) { (name, words) = (remedy.rawValue, remedy.words) }

    package init(_ remedy: DownloadError.Remedy) { (name, words) = (remedy.rawValue, remedy.known?.words) }

    package init(_ remedy: ArchiveError.Remedy) { (name, words) = (remedy.rawValue, remedy.known?.words) }

    /// Reads the name of a remedy back.
    ///
    /// - Parameter ofArchive: the archive's remedy is meant where a download has one of the same name.
    package init(named name: String, ofArchive: Bool) {
        let archive = ArchiveError.Remedy(rawValue: name).known?.words
        let download = DownloadError.Remedy(rawValue: name).known?.words
        self.name = name
        words = (ofArchive ? archive ?? download : download ?? archive) ?? Known(rawValue: name)?.words
    }

    /// The remedies as one sentence in the words of a shell; nil if there are none.
    package static func sentence(_ remedies: [JobRemedy], in shell: (RemedyWords) -> String) -> String? {
        RemedyWords.sentence(remedies.compactMap { $0.words.map(shell) })
    }
}
