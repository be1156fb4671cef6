import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// Writes plain lines, few of them, for a log or a terminal that cannot redraw.
struct PlainReporter: GetReporter {
    let words: GetWords
    let errors: OutputStream
    private var notices = NoticeDeduplicator()
    private var failures = FailureDeduplicator()
    private var endings: EndedLines
    /// The line that precedes the first one about a file, held back so that a file that ends at once takes one line.
    private var opening: String?
    /// The wait that was said last.
    private var wait: String?

    var interval: Duration? { .seconds(10) }

    /// Whether progress is shown; if false, only ended files and notices are.
    private let showsProgress: Bool

    init(words: GetWords, errors: OutputStream, showsProgress: Bool = true) {
        (self.words, self.errors, self.showsProgress) = (words, errors, showsProgress)
        endings = EndedLines(count: words.get.downloads.count)
    }

    func remark(_ text: String) { say(text.shown(in: words.locale)) }

    mutating func began(_ download: PlannedDownload) {
        guard words.get.isAlone else { return }
        opening = "Downloading \(download.file.shownURL)".shown(in: words.locale)
    }

    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload) {
        guard let line = words.line(for: notice, of: download), notices.isNew(notice, line) else { return }
        open()
        say(line)
    }

    mutating func tick(_ run: RunProgress, at time: Duration) {
        open()
        makeRoom()
        guard showsProgress else { return }
        // A pause was said once, and nothing moves until it ends.
        if run.pause == nil, let line = words.line(for: run), !isSaid(line, run) { say(line) }
        if let unpacking = run.unpacking { say(ArchiveWords.line(unpacking).shown(in: words.locale)) }
    }

    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        opening = nil
        guard failures.isNew(outcome) else { return }
        report(words.lines(for: outcome, of: download, after: elapsed), of: download, outcome)
    }

    mutating func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        report(words.lines(unpacking: outcome, of: download, after: elapsed), of: download, outcome)
    }

    private mutating func report(_ lines: [String], of download: PlannedDownload, _ outcome: JobOutcome) {
        endings.add(lines, number: download.id.number, isComplete: outcome.isComplete)
        if words.get.isAlone { makeRoom() }
    }

    mutating func makeRoom() {
        for line in endings.take() { errors.say(line) }
    }

    mutating func finished(_ ending: RunEnding) {
        for line in endings.take() + words.lines(for: ending.summary) { errors.say(line) }
    }

    private mutating func open() {
        if let opening { say(opening) }
        opening = nil
    }

    /// A single file waits for what this line says, as it did when it was said.
    private mutating func isSaid(_ line: String, _ run: RunProgress) -> Bool {
        guard !run.isLarge, run.running.first?.progress.state.isWaiting == true else {
            wait = nil
            return false
        }
        defer { wait = line }
        return wait == line
    }

    private func say(_ line: String) { errors.say("pawl: " + line) }
}
