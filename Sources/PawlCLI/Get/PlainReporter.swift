import Pawl
import PawlCore

/// Plain lines, few of them, for a log or a terminal that cannot redraw.
struct PlainReporter: GetReporter {
    let words: GetWords
    let errors: OutputStream
    private var told = ToldNotices()
    /// Said before the first line about it, so that what ends at once is one line.
    private var opening: String?

    var interval: Duration? { .seconds(10) }

    init(words: GetWords, errors: OutputStream) {
        self.words = words
        self.errors = errors
    }

    mutating func began(url: String) { opening = "Getting \(url)".shown(in: words.locale) }

    mutating func note(_ notice: DownloadNotice) {
        guard let line = words.line(for: notice), told.isNew(line) else { return }
        open()
        say(line)
    }

    mutating func tick(_ progress: DownloadProgress) {
        open()
        say(words.line(for: progress))
    }

    func ended(_ ending: GetEnding, after elapsed: Duration) {
        for line in words.lines(for: ending, after: elapsed) { errors.write(line + "\n") }
    }

    private mutating func open() {
        if let opening { say(opening) }
        opening = nil
    }

    private func say(_ line: String) { errors.write("pawl: " + line + "\n") }
}
