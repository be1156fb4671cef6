import PawlCore
import PawlJobs

/// Draws the block of a download: a pure function of its state.
struct ProgressRenderer {
    let style: DisplayStyle

    private static let gap = "  "
    static let smallestBar = 10
    /// The width below which there is room for two numbers only.
    static let narrowestBlock = 40
    /// The width from which the map states the number of connections.
    private static let narrowestLegend = 60

    /// - Parameters:
    ///   - width: of the terminal, in columns.
    ///   - frame: counts the drawings, for what moves by itself.
    func lines(_ progress: DownloadProgress, width: Int, frame: Int) -> [StyledLine] {
        // The last column stays free: some terminals wrap when it is written.
        let columns = max(0, width - 1)
        guard width >= Self.narrowestBlock else { return [shortLine(progress, columns)] }
        let second = secondLine(progress, columns)
        return [firstLine(progress, columns, frame)] + (second.map { [$0] } ?? [])
    }

    // MARK: One of several

    /// Returns the lines of ``lines(_:width:frame:)``, preceded by a name.
    ///
    /// - Parameters:
    ///   - name: made safe to print.
    ///   - nameWidth: the columns it is given.
    func lines(_ progress: DownloadProgress, name: String, nameWidth: Int, width: Int, frame: Int) -> [StyledLine] {
        let first = line(progress, name: name, nameWidth: nameWidth, width: width, frame: frame, saysWhy: false)
        // Always two, so that those below stay where they are.
        return [first, secondLine(progress, max(0, width - 1)) ?? StyledLine()]
    }

    /// Returns everything that fits on one line.
    ///
    /// - Parameter saysWhy: what is happening instead of a transfer takes the place of the bar.
    func line(
        _ progress: DownloadProgress, name: String, nameWidth: Int, width: Int, frame: Int, saysWhy: Bool = true
    ) -> StyledLine {
        let columns = max(0, width - 1)
        let label = filled(
            name.fittedInMiddle(to: min(nameWidth, columns), ellipsis: style.glyphs.ellipsis),
            toWidth: min(nameWidth, columns))
        let rest = columns - label.columns - Self.gap.count
        guard rest > 0 else { return StyledLine(label) }
        var line = StyledLine(label + Self.gap)
        if saysWhy, let reason = reason(progress) {
            line.append(sentence(reason, rest))
        } else if rest < Self.narrowestBlock - 1 {
            line.append(shortLine(progress, rest))
        } else {
            line.append(firstLine(progress, rest, frame))
        }
        return line
    }

    private func filled(_ text: String, toWidth width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.columns))
    }

    // MARK: The bar and the numbers

    private func firstLine(_ progress: DownloadProgress, _ columns: Int, _ frame: Int) -> StyledLine {
        let fields = fields(progress, columns)
        var line = bar(progress, max(0, columns - width(of: fields)), frame)
        for field in fields {
            line.append(Self.gap + (field.isLast ? field.text : padded(field.text, toWidth: field.width)))
        }
        return line
    }

    private struct Field {
        var text: String
        var width: Int
        /// Begins at its place instead of ending there.
        var isLast = false
    }

    private func width(of fields: [Field]) -> Int {
        fields.reduce(0) { $0 + Self.gap.count + $1.width }
    }

    /// Returns the numbers, each in a place of fixed width, so that nothing moves but what changes. In narrow terminals
    /// the least needed ones are left out.
    private func fields(_ progress: DownloadProgress, _ columns: Int) -> [Field] {
        let stored = ByteCount.text(progress.bytesStored)
        let rate = Field(text: Rate.text(progress.bytesPerSecond), width: Rate.width)
        guard let total = progress.totalBytes else { return [Field(text: stored, width: ByteCount.width), rate] }
        let totalText = ByteCount.text(total)
        let percent = Field(text: "\(Percentage.of(progress.bytesStored, total)) %", width: 5)
        let sizes = Field(text: "\(stored) of \(totalText)", width: ByteCount.width + 4 + totalText.count)
        let timeLeft = Field(
            text: progress.secondsLeft.map { TimeSpan.text($0) + " left" } ?? "", width: TimeSpan.width + 5,
            isLast: true)
        let choices = [[percent, sizes, rate, timeLeft], [percent, rate, timeLeft]]
        return choices.first { width(of: $0) + Self.smallestBar <= columns } ?? [percent, rate]
    }

    private func bar(_ progress: DownloadProgress, _ width: Int, _ frame: Int) -> StyledLine {
        guard let fraction = progress.fractionCompleted else { return movingMark(width, frame) }
        return bar(fraction: fraction, width)
    }

    func bar(fraction: Double, _ width: Int) -> StyledLine {
        let glyphs = style.glyphs
        var line = StyledLine()
        // Proven: between zero and twice the width of a terminal; not a number counts as zero.
        let halves = Int(min(1, max(0, fraction)) * Double(width * 2))
        let (full, hasHalf) = (halves / 2, halves % 2 == 1 && glyphs.barHalf != nil)
        line.append(String(repeating: glyphs.barDone, count: full), .done)
        if hasHalf, let half = glyphs.barHalf { line.append(half, .done) }
        line.append(String(repeating: glyphs.barRest, count: width - full - (hasHalf ? 1 : 0)), .rest)
        return line
    }

    /// Moves to and fro while the remaining size is unknown.
    private func movingMark(_ width: Int, _ frame: Int) -> StyledLine {
        let size = min(3, width)
        let way = width - size
        let phase = way == 0 ? 0 : frame % (2 * way)
        let start = phase <= way ? phase : 2 * way - phase
        var line = StyledLine(String(repeating: style.glyphs.barRest, count: start), .rest)
        line.append(String(repeating: style.glyphs.barDone, count: size), .mark)
        line.append(String(repeating: style.glyphs.barRest, count: way - start), .rest)
        return line
    }

    private func shortLine(_ progress: DownloadProgress, _ columns: Int) -> StyledLine {
        let amount =
            progress.totalBytes.map { "\(Percentage.of(progress.bytesStored, $0)) %" }
            ?? ByteCount.text(progress.bytesStored)
        let doing: String
        if case .waiting(let wait) = progress.state {
            let seconds = wait.secondsUntilRetry ?? 0
            doing = seconds > 0 ? "waiting \(TimeSpan.text(seconds))" : "waiting"
        } else {
            doing = Rate.text(progress.bytesPerSecond)
        }
        let whole = padded(amount, toWidth: 5) + Self.gap + doing
        // Half a number is worse than none.
        return StyledLine(whole.columns <= columns ? whole : amount.columns <= columns ? amount : "")
    }

    // MARK: The map, or what is happening instead

    private func secondLine(_ progress: DownloadProgress, _ columns: Int) -> StyledLine? {
        if case .running(.downloading) = progress.state { return map(progress, columns) }
        return reason(progress).map { sentence($0, columns) }
    }

    /// Returns the activity that takes the place of a transfer; nil during one.
    private func reason(_ progress: DownloadProgress) -> String? {
        switch progress.state {
        case .running(.downloading), .paused, .completed, .failed, .cancelled: nil
        case .waiting(let wait): reason(wait)
        case .queued, .running(.probing): "Waiting for the server…"
        case .running(.verifying): "Checking the bytes…"
        case .running(.finishing): "Syncing the file to disk…"
        }
    }

    private func reason(_ wait: DownloadState.Wait) -> String {
        guard let seconds = wait.secondsUntilRetry, seconds > 0 else { return wait.reason }
        return "Retrying\(seconds < 0.5 ? "" : " in " + TimeSpan.text(seconds)): \(wait.reason)"
    }

    private func sentence(_ text: String, _ columns: Int) -> StyledLine {
        StyledLine(text.shown(in: style.locale).fitted(to: columns, ellipsis: style.glyphs.ellipsis))
    }

    private func map(_ progress: DownloadProgress, _ columns: Int) -> StyledLine? {
        guard let total = progress.totalBytes else { return nil }
        let count = progress.connections.count
        let legend =
            columns + 1 < Self.narrowestLegend
            ? "" : padded("\(count) connection\(count == 1 ? " " : "s")", toWidth: 16)
        let map = FileMap(
            total: total, stored: progress.storedRanges, positions: progress.connections.map(\.position),
            width: columns - legend.count)
        var line = StyledLine()
        for cell in map.cells {
            switch cell {
            case .empty: line.append(style.glyphs.empty, .rest)
            case .partly: line.append(style.glyphs.partly, .done)
            case .stored: line.append(style.glyphs.stored, .done)
            case .connection: line.append(style.glyphs.connection, .mark)
            }
        }
        line.append(legend)
        return line
    }
}
