import Pawl
import PawlCore

/// One JSON object a line on stdout.
struct JSONReporter: GetReporter {
    let get: ResolvedGet
    let output: OutputStream
    let interruption: Interruption

    var interval: Duration? { .milliseconds(250) }

    func began(url: String) { write(GetEvents.started(get, url: url)) }

    func note(_ notice: DownloadNotice) { write(GetEvents.notice(notice)) }

    func tick(_ progress: DownloadProgress) { write(GetEvents.progress(progress)) }

    func ended(_ ending: GetEnding, after elapsed: Duration) { write(GetEvents.ended(ending, after: elapsed)) }

    /// Whoever reads this started the download; once the reader is gone, nobody wants it to go on.
    private func write(_ event: JSONValue) {
        if !output.write(event.encoded + "\n") { interruption.stop(.outputClosed) }
    }
}
