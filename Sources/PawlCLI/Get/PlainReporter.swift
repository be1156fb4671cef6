import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// Plain lines, few of them, for a log or a terminal that cannot redraw.
struct PlainReporter: GetReporter {
    /// How many files are listed individually between two reports; nobody reads thousands.
    private static let linesAtOnce = 20

    let words: GetWords
    let errors: OutputStream
    private var told = ToldNotices()
    private var failures = ToldFailures()
    private var endings = EndedLines(limit: linesAtOnce)
    /// Said before the first line about it, so that what ends at once is one line.
    private var opening: String?

    var interval: Duration? { .seconds(10) }

    /// False: only what ends is told, and notices.
    private let showsProgress: Bool

    init(words: GetWords, errors: OutputStream, showsProgress: Bool = true) {
        (self.words, self.errors, self.showsProgress) = (words, errors, showsProgress)
    }

    func remark(_ text: String) { say(text.shown(in: words.locale)) }

    mutating func began(_ download: PlannedDownload) {
        guard words.get.isAlone else { return }
        opening = "Downloading \(download.file.shownURL)".shown(in: words.locale)
    }

    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload) {
        guard let line = words.line(for: notice, of: download), told.isNew(notice, line) else { return }
        open()
        say(line)
    }

    mutating func tick(_ run: RunProgress, at time: Duration) {
        open()
        for line in endings.take() { errors.say(line) }
        guard showsProgress else { return }
        // A pause was said once, and nothing moves until it ends.
        if run.pause == nil, let line = words.line(for: run) { say(line) }
        if let unpacking = run.unpacking { say(ArchiveWords.line(unpacking).shown(in: words.locale)) }
    }

    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        opening = nil
        guard failures.isNew(outcome) else { return }
        let lines = words.lines(for: outcome, of: download, after: elapsed)
        if case .completed = outcome, !words.get.isAlone {
            for line in lines { endings.add(line, name: download.file.likelyPath.shown(in: words.locale)) }
        } else {
            for line in lines { errors.say(line) }
        }
    }

    mutating func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        let lines = words.lines(unpacking: outcome, of: download, after: elapsed)
        if case .completed(_, let unpacked?) = outcome, !words.get.isAlone {
            for line in lines { endings.add(line, name: unpacked.result.directory.shown(in: words.locale)) }
        } else {
            for line in lines { errors.say(line) }
        }
    }

    mutating func finished(_ ending: RunEnding) {
        for line in endings.take() + words.lines(for: ending.summary) { errors.say(line) }
    }

    private mutating func open() {
        if let opening { say(opening) }
        opening = nil
    }

    private func say(_ line: String) { errors.say("pawl: " + line) }
}
