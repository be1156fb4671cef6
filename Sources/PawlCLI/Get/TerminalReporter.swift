import Pawl
import PawlCore

/// A block that is redrawn in place, notices above it, and one line in its place at the end.
struct TerminalReporter: GetReporter {
    let words: GetWords
    let style: DisplayStyle
    let errors: OutputStream
    private var screen = TerminalScreen()
    private var told = ToldNotices()
    private var progress: DownloadProgress?
    private var frame = 0

    /// The first block appears after it too, so that a small download draws none.
    var interval: Duration? { .milliseconds(125) }

    init(words: GetWords, style: DisplayStyle, errors: OutputStream) {
        self.words = words
        self.style = style
        self.errors = errors
    }

    func began(url: String) {}

    mutating func note(_ notice: DownloadNotice) {
        guard let line = words.line(for: notice), told.isNew(line) else { return }
        let width = Terminal.width
        errors.write(screen.write("pawl: " + line, width: width) + drawing(width))
    }

    mutating func tick(_ progress: DownloadProgress) {
        self.progress = progress
        frame += 1
        let drawing = drawing(Terminal.width)
        if !drawing.isEmpty { errors.write(drawing) }
    }

    mutating func ended(_ ending: GetEnding, after elapsed: Duration) {
        let width = Terminal.width
        var text = screen.clear(width: width)
        for line in words.lines(for: ending, after: elapsed) { text += screen.write(line, width: width) }
        if !text.isEmpty { errors.write(text) }
    }

    private mutating func drawing(_ width: Int) -> String {
        guard let progress else { return "" }
        guard Terminal.isForeground else {
            screen.forget()
            return ""
        }
        let block = ProgressRenderer(style: style).lines(progress, width: width, frame: frame)
        return screen.draw(block, width: width, coloured: style.isColoured)
    }
}
