import PawlArchive
import PawlCore
import PawlJobs

/// Draws the two lines that show an archive being unpacked or packed: a pure function of its state.
struct ArchiveRenderer {
    let style: DisplayStyle

    private static let gap = "  "

    /// - Parameter named: put the archive's name in front, for one of several.
    func lines(_ activity: ArchiveActivity, named: Bool = false, width: Int) -> [StyledLine] {
        let columns = max(0, width - 1)
        return [firstLine(activity, columns), secondLine(activity, named, columns)]
    }

    private func firstLine(_ activity: ArchiveActivity, _ columns: Int) -> StyledLine {
        let bytes = ByteCount.text(activity.progress.bytes)
        let rate = padded(Rate.text(activity.rate), toWidth: Rate.width)
        guard let fraction = activity.fraction else {
            let text = padded(bytes, toWidth: ByteCount.width) + Self.gap + rate
            return StyledLine(text.columns <= columns ? text : bytes.columns <= columns ? bytes : "")
        }
        // Rounded down, and never all of it before it is: the fraction is at most one.
        let percent = padded("\(Percentage.of(Int64(saturating: fraction * 10_000), 10_000)) %", toWidth: 5)
        let sizes = activity.progress.totalBytes.map { total in
            padded("\(bytes) of \(ByteCount.text(total))", toWidth: ByteCount.width + 4 + ByteCount.text(total).count)
        }
        let choices = [
            [percent, sizes ?? padded(bytes, toWidth: ByteCount.width), rate], [percent, rate], [percent], [],
        ]
        let fields =
            choices.first { $0.map { Self.gap + $0 }.joined().columns + ProgressRenderer.smallestBar <= columns } ?? []
        let text = fields.map { Self.gap + $0 }.joined()
        var line = ProgressRenderer(style: style).bar(fraction: fraction, max(0, columns - text.columns))
        line.append(text)
        return line
    }

    private func secondLine(_ activity: ArchiveActivity, _ named: Bool, _ columns: Int) -> StyledLine {
        let progress = activity.progress
        let done = ByteCount.grouped(Int64(progress.members))
        let count = progress.totalMembers.map { "\(done) of \(ByteCount.grouped(Int64($0)))" } ?? done
        let what = progress.isSyncing ? "Syncing to disk…" : progress.member
        let name = named ? "\(activity.name): " : ""
        return StyledLine(
            (name + count + Self.gap + what).shown(in: style.locale).fitted(
                to: columns, ellipsis: style.glyphs.ellipsis))
    }
}
