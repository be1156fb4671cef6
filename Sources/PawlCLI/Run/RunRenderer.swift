import PawlCore
import PawlJobs

/// Draws the block of a run: a pure function of its state.
///
/// One download looks as ``ProgressRenderer`` draws it, with its name above. Of several each has its name in front, and
/// a line below counts them. It never has more lines than the screen, and how many lines a download has is settled by
/// how many may run, so that nothing jumps when one ends.
struct RunRenderer {
    let style: DisplayStyle
    /// The most downloads that run at once.
    let slots: Int
    /// Whether the stored ranges are known. Without them, each download has one line.
    var drawsMaps = true
    /// The most connections to one host; nil where another program decides.
    var perHost: Int?

    /// The rows of the screen kept for the cursor and for one earlier line.
    private static let spareRows = 2
    /// A download that ends sooner is never drawn: names that flash by are no information.
    private static let quiet = Duration.milliseconds(400)

    /// - Parameters:
    ///   - width: of the terminal, in columns.
    ///   - height: of the terminal, in rows.
    ///   - time: since the run began.
    ///   - frame: counts the drawings, for what moves by itself.
    func lines(_ run: RunProgress, width: Int, height: Int, time: Duration, frame: Int) -> [StyledLine] {
        let renderer = ProgressRenderer(style: style)
        guard run.isLarge else {
            if let unpacking = run.unpacking { return ArchiveRenderer(style: style).lines(unpacking, width: width) }
            return run.running.first.map { single($0, renderer, width: width, height: height, frame: frame) } ?? []
        }
        let columns = max(0, width - 1)
        let rows = max(1, height - Self.spareRows) - 1
        let most = min(slots, run.total)
        let shown = run.running.filter { time - $0.began >= Self.quiet }
        let isTall = drawsMaps && 2 * most <= rows && width >= ProgressRenderer.narrowestBlock
        let room = isTall ? most : rows
        // One line says how many there is no room for.
        let visible = shown.count <= room ? shown[...] : shown.prefix(max(0, room - 1))
        let nameWidth = nameWidth(shown.map { $0.name.shown(in: style.locale).columns }.max() ?? 0, columns)
        var lines = visible.flatMap { download -> [StyledLine] in
            let name = download.name.shown(in: style.locale)
            return isTall
                ? renderer.lines(download.progress, name: name, nameWidth: nameWidth, width: width, frame: frame)
                : [renderer.line(download.progress, name: name, nameWidth: nameWidth, width: width, frame: frame)]
        }
        if visible.count < shown.count, rows > 0 {
            lines.append(
                StyledLine(
                    "and \(shown.count - visible.count) more".fitted(to: columns, ellipsis: style.glyphs.ellipsis),
                    .rest))
        }
        if let reason = reason(run, columns), lines.count < rows { lines.append(reason) }
        if let unpacking = run.unpacking, lines.count + 2 <= rows {
            lines += ArchiveRenderer(style: style).lines(unpacking, named: true, width: width)
        }
        return lines + [totals(run, nameWidth, columns, renderer)]
    }

    private func single(
        _ download: RunProgress.Running, _ renderer: ProgressRenderer, width: Int, height: Int, frame: Int
    ) -> [StyledLine] {
        let name = download.name.shown(in: style.locale)
        if drawsMaps {
            let lines = renderer.lines(download.progress, width: width, frame: frame)
            guard !name.isEmpty, lines.count + 1 <= height - Self.spareRows else { return lines }
            return [StyledLine(name.fittedInMiddle(to: max(0, width - 1), ellipsis: style.glyphs.ellipsis))] + lines
        }
        return [
            renderer.line(
                download.progress, name: name, nameWidth: nameWidth(name.columns, max(0, width - 1)), width: width,
                frame: frame)
        ]
    }

    /// Names as long as they are, up to a third of the line; in steps, so that the bars stay where they are when one
    /// name goes.
    private func nameWidth(_ longest: Int, _ columns: Int) -> Int {
        min(max(8, (longest + 7) / 8 * 8), max(8, columns / 3))
    }

    // MARK: Below

    /// Returns the number of complete files and the totals; the least needed are dropped first if there is no room.
    private func totals(
        _ run: RunProgress, _ nameWidth: Int, _ columns: Int, _ renderer: ProgressRenderer
    ) -> StyledLine {
        let files = "\(run.completed) of \(run.total) files"
        guard files.columns <= columns else { return StyledLine() }
        var line = StyledLine(files)
        if run.failed > 0 { line.append(", \(run.failed) failed", .alarm) }
        guard line.columns <= columns else { return StyledLine(files) }
        line.append(String(repeating: " ", count: max(0, min(columns, nameWidth) - line.columns)))
        let amount = padded(ByteCount.text(run.bytesStored), toWidth: ByteCount.width)
        let rate = padded(Rate.text(run.rate), toWidth: Rate.width)
        let left = run.secondsLeft.map { TimeSpan.text($0) + " left" } ?? ""
        let numbers = [[amount, rate, left], [rate, left], [rate]].map { $0.map { "  " + $0 }.joined() }
        let room = columns - line.columns
        let sizes = run.wantedTotal.map {
            "  \(ByteCount.text(run.wantedStored)) of \(ByteCount.text($0))  \(rate)  \(left)"
        }
        func barWidth(beside numbers: String) -> Int {
            room - max(numbers.columns, numbers.columns - left.columns + TimeSpan.width + 5) - 2
        }
        let best = sizes.flatMap { barWidth(beside: $0) >= ProgressRenderer.smallestBar ? $0 : nil }
        guard let fitting = best ?? numbers.first(where: { $0.columns <= room }) else { return line }
        let free = barWidth(beside: fitting)
        if free >= ProgressRenderer.smallestBar {
            line.append("  ")
            line.append(renderer.bar(fraction: run.fraction, min(free, columns)))
        }
        line.append(fitting)
        return line
    }

    /// Returns the reason why files wait, other than for their turn; nil if there is none.
    private func reason(_ run: RunProgress, _ columns: Int) -> StyledLine? {
        guard run.waiting > 0, let reason = run.obstacle?.text(in: run, perHost: perHost) else { return nil }
        return StyledLine(reason.shown(in: style.locale).fitted(to: columns, ellipsis: style.glyphs.ellipsis), .rest)
    }
}
