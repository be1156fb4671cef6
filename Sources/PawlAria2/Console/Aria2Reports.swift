import PawlCore

/// The readout drawn once a second, and the table at the end.
package struct Aria2Reports: Sendable {
    private let options: Aria2Options
    private let console: Aria2Console
    private let readout: (coloured: Aria2Readout, plain: Aria2Readout)

    package init(_ options: Aria2Options, _ console: Aria2Console) {
        (self.options, self.console) = (options, console)
        let isForPeople = !options.isFalse("human-readable")
        readout = (
            Aria2Readout(isForPeople: isForPeople, isColoured: console.isColoured),
            Aria2Readout(isForPeople: isForPeople, isColoured: false)
        )
    }

    /// - Parameter second: since the start.
    package func draw(_ running: [Aria2Readout.Running], second: Int64) {
        guard !running.isEmpty else { return }
        let interval = options.number("summary-interval") ?? 60
        if interval > 0, second % interval == 0 {
            console.show(
                readout.plain.summary(running, date: Aria2Console.date("%a %b %e %H:%M:%S %Y"), width: console.columns)
                    + "\n")
        }
        guard !options.isFalse("show-console-readout") else { return }
        console.draw(
            readout.coloured.line(running), plain: readout.plain.line(running),
            isCut: !options.isFalse("truncate-console-readout"))
    }

    package func show(_ results: Aria2Results) {
        let form = options["download-result"] ?? "default"
        if !form.isExactly("hide") {
            console.show(results.table(isFull: form.isExactly("full"), isColoured: console.isColoured))
        }
        if results.exitStatus != Aria2Status.complete {
            console.show("\nDownloads resume if the same command is run again.\n")
        }
    }
}
