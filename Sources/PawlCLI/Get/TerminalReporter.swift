import Pawl
import PawlArchive
import PawlCore
import PawlJobs

/// A block redrawn in place, with ended files and notices above it, replaced by a summary at the end.
struct TerminalReporter: GetReporter {
    let words: GetWords
    let style: DisplayStyle
    let errors: OutputStream
    private let renderer: RunRenderer
    private var screen = TerminalScreen()
    private var height = StableHeight()
    private var notices = NoticeDeduplicator()
    private var failures = FailureDeduplicator()
    private var endings: EndedLines
    /// The output of `-v`, which is written above the block, too.
    private let verbose: VerboseOutput?
    /// The lines to write above the block at the next drawing.
    private var pending: [String] = []
    private var frame = 0

    /// The first block appears after it too, so that a small download draws none.
    var interval: Duration? { .milliseconds(125) }

    init(words: GetWords, style: DisplayStyle, errors: OutputStream) {
        self.words = words
        self.style = style
        self.errors = errors
        renderer = RunRenderer(
            style: style, slots: words.get.maximumRunning, perHost: words.get.maximumConnectionsPerHost)
        endings = EndedLines(count: words.get.downloads.count)
        verbose = words.get.verbose
        verbose?.hold()
    }

    func remark(_ text: String) { errors.say("pawl: " + text.shown(in: words.locale)) }

    func began(_ download: PlannedDownload) {}

    mutating func note(_ notice: DownloadNotice, of download: PlannedDownload) {
        guard let line = words.line(for: notice, of: download), notices.isNew(notice, line) else { return }
        pending.append("pawl: " + line)
    }

    mutating func ended(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        guard failures.isNew(outcome) else { return }
        report(words.lines(for: outcome, of: download, after: elapsed), of: download, outcome)
    }

    mutating func unpacked(_ download: PlannedDownload, _ outcome: JobOutcome, after elapsed: Duration) {
        report(words.lines(unpacking: outcome, of: download, after: elapsed), of: download, outcome)
    }

    private mutating func report(_ lines: [String], of download: PlannedDownload, _ outcome: JobOutcome) {
        guard !words.get.isAlone else { return pending += lines }
        endings.add(lines, number: download.id.number, isComplete: outcome.isComplete)
    }

    mutating func makeRoom() {
        let width = Terminal.size.columns
        let text = screen.clear(width: width) + takeLines(width).map { $0 + "\n" }.joined()
        if !text.isEmpty { errors.write(text) }
    }

    /// - Parameters:
    ///   - first: the number of the first file that runs, for which lines of later ones are held back.
    ///   - room: how many may be.
    private mutating func takeLines(_ width: Int, before first: Int? = nil, room: Int = 0) -> [String] {
        defer { pending = [] }
        return (verbose?.take() ?? [])
            + (endings.take(before: first, room: room) + pending).map { $0.wrapped(to: width) }
    }

    mutating func tick(_ run: RunProgress, at time: Duration) {
        frame += 1
        let size = Terminal.size
        let isForeground = Terminal.isForeground
        let block =
            isForeground
            ? renderer.lines(run, width: size.columns, height: size.rows, time: time, frame: frame) : []
        let room = size.rows - 2 - max(block.count, height.height)
        let lines = takeLines(size.columns, before: run.running.first?.id, room: isForeground ? max(0, room) : 0)
        var text = ""
        if !lines.isEmpty { text += screen.clear(width: size.columns) + lines.map { $0 + "\n" }.joined() }
        if isForeground {
            text += Taskbar.current?.show(TaskbarProgress(run)) ?? ""
            // Held lines are seen above the files that run, where they will be written once it is their turn.
            let held = endings.held.map { line in
                StyledLine(line.withoutColours.fitted(to: max(0, size.columns - 1), ellipsis: style.glyphs.ellipsis))
            }
            let settled = run.isLarge ? height.settle(block, room: size.rows - 1 - held.count) : block
            text += screen.draw(held + settled, width: size.columns, coloured: style.isColoured)
        } else {
            screen.forget()
        }
        if !text.isEmpty { errors.write(text) }
    }

    mutating func finished(_ ending: RunEnding) {
        let width = Terminal.size.columns
        let text =
            screen.clear(width: width)
            + (takeLines(width) + words.lines(for: ending.summary, columns: width).map { $0.wrapped(to: width) })
            .map { $0 + "\n" }.joined() + (Taskbar.current?.show(TaskbarProgress(ending)) ?? "")
        if !text.isEmpty { errors.write(text) }
    }
}
