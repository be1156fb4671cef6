import Pawl
import PawlCore

extension PartialFileStatus {
    /// Returns the output of `pawl status`.
    func table(in locale: Locale) -> String {
        var table = Table()
        table.row("File", fileName)
        table.row("URL", url)
        table.row("Stored", storedText)
        table.row("State", stateText)
        if resumableBytes != durableBytes {
            table.row("Durable", "\(ByteCount.exactText(durableBytes)); the rest would not survive a power cut")
        }
        table.row("Saved", "\(TimeSpan.text(Double(ageSeconds))) ago, checkpoint \(generation)")
        table.row("ETag", entityTag ?? "-")
        table.row("Last-Modified", lastModified ?? "-")
        table.row("Written by", "process \(ownerProcessID) on \(ownerHostName)")
        for (index, range) in resumableRanges.enumerated() {
            table.row(index == 0 ? "Ranges" : "", "\(range.start)..<\(range.end)", ByteCount.text(range.count))
        }
        return table.text(in: locale)
    }

    private var storedText: String {
        guard let totalBytes else { return "\(ByteCount.exactText(resumableBytes)) of an unknown length" }
        return
            "\(Percentage.of(resumableBytes, totalBytes)) %, \(ByteCount.exactText(resumableBytes)) of \(ByteCount.exactText(totalBytes))"
    }

    private var stateText: String {
        if isLocked { return isFinishing ? "being finished now" : "being downloaded now" }
        return isFinishing ? "interrupted, all bytes stored" : "interrupted"
    }
}
