import Pawl
import PawlCore
import PawlJobs
import PawlSystem

/// Shows the progress of a repair's download on a terminal.
struct RepairDisplay {
    let name: String
    let errors: OutputStream

    /// Draws until the task is cancelled, and leaves nothing on the screen.
    func show(_ download: Download) async {
        let style = DisplayStyle.current
        let renderer = RunRenderer(style: style, slots: 1)
        let clock = ContinuousClock()
        let start = clock.now
        var screen = TerminalScreen()
        var run = RunProgress(total: 1)
        var frame = 0
        run.began(1, name: name, at: .zero)
        while true {
            do { try await Pause.sleep(for: .milliseconds(125)) } catch { break }
            frame += 1
            let time = start.duration(to: clock.now)
            run.update(1, progress: download.currentProgress)
            run.tick(at: time)
            let size = Terminal.size
            guard Terminal.isForeground else {
                screen.forget()
                continue
            }
            let block = renderer.lines(run, width: size.columns, height: size.rows, time: time, frame: frame)
            let text = screen.draw(block, width: size.columns, coloured: style.isColoured)
            if !text.isEmpty { errors.write(text) }
        }
        let text = screen.clear(width: Terminal.size.columns)
        if !text.isEmpty { errors.write(text) }
    }
}
