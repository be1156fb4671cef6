import PawlClient
import PawlCore

/// The output of `pawl ls`: a pure function of the list.
struct DownloadTable {
    let locale: Locale
    /// The width of the terminal, in columns; nil where lines may be of any length.
    let width: Int?

    /// The number of columns dropped by width: in narrow terminals the least needed go.
    private static let widths = [(least: 76, drops: 0), (least: 60, drops: 1), (least: 46, drops: 2)]
    private static let smallestName = 12

    func text(_ downloads: [ServiceDownload]) -> String {
        guard !downloads.isEmpty else { return "" }
        let length = DownloadIDs.shown(downloads.map(\.id))
        let drops = width.map { width in Self.widths.first { width >= $0.least }?.drops ?? 3 } ?? 0
        let rows = downloads.map { cells($0, length) }
        let kept = rows.map { Array($0.prefix($0.count - drops)) }
        let names = downloads.map { ServiceWords.name($0).shown(in: locale) }
        let columns = (0..<(kept.first?.count ?? 0)).map { column in kept.map { $0[column].text.columns }.max() ?? 0 }
        let left = columns.reduce(0) { $0 + $1 + 2 }
        let room = width.map { max(Self.smallestName, $0 - 1 - left) }
        return zip(kept, names).map { row, name in
            let cells = zip(row, columns).map {
                $0.isNumber
                    ? padded($0.text, toWidth: $1)
                    : $0.text + String(repeating: " ", count: max(0, $1 - $0.text.columns))
            }
            let ellipsis = DisplayStyle(locale: locale, isColoured: false).glyphs.ellipsis
            return cells.joined(separator: "  ") + "  "
                + (room.map { name.fittedInMiddle(to: $0, ellipsis: ellipsis) } ?? name) + "\n"
        }.joined()
    }

    private struct Cell {
        var text: String
        var isNumber = false
    }

    /// Returns the cells of a row, the least needed last.
    private func cells(_ download: ServiceDownload, _ idLength: Int) -> [Cell] {
        let percent = download.total.map { "\(Percentage.of(download.bytes, $0)) %" } ?? "-"
        let rate = download.state == .running ? Rate.text(Double(download.rate)) : "-"
        let left = download.secondsLeft.map { TimeSpan.text(Double($0)) } ?? "-"
        return [
            Cell(text: DownloadIDs.beginning(of: download.id, idLength)),
            Cell(text: ServiceWords.state(download).shown(in: locale)),
            Cell(text: percent, isNumber: true),
            Cell(text: ByteCount.text(download.total ?? download.bytes), isNumber: true),
            Cell(text: rate, isNumber: true), Cell(text: left, isNumber: true),
        ]
    }
}

extension ServiceDownloadDetail {
    /// Returns the output of `pawl show`.
    func table(in locale: Locale) -> String {
        var table = Table()
        table.row("Id", download.id)
        table.row("URL", download.url)
        table.row(download.fileName == nil ? "Directory" : "File", ServiceWords.path(download))
        table.row("State", stateText)
        table.row("Stored", storedText)
        if download.durable != download.bytes {
            table.row("Durable", "\(ByteCount.exactText(download.durable)); the rest would not survive a power cut")
        }
        if let limit = download.maxSpeed { table.row("Limit", Rate.text(Double(limit))) }
        if let position = download.position {
            table.row("Queue", "place \(position + 1), priority \(download.priority)")
        }
        if let tag = download.tag { table.row("Tag", tag) }
        if let digest { table.row("Digest", "\(digest.algorithm) \(digest.value)\(Self.verdict(digest))") }
        if let unpacked = download.unpacked { table.row("Unpacked", unpacked) }
        table.row("Added", download.added)
        if let ended = download.ended { table.row("Ended", ended) }
        for (index, source) in sources.enumerated() {
            table.row(
                index == 0 ? "Sources" : "", source.url, source.message.map { "\(source.state): \($0)" } ?? source.state
            )
        }
        for (index, file) in download.files.enumerated() {
            table.row(index == 0 ? "Files" : "", file.name ?? "-", file.state.rawValue)
        }
        for (index, entry) in log.enumerated() { table.row(index == 0 ? "Log" : "", "\(entry.time) \(entry.message)") }
        return table.text(in: locale)
    }

    private var stateText: String {
        let reason = download.failure ?? download.wait
        return reason.map { "\(ServiceWords.state(download)): \($0)" } ?? ServiceWords.state(download)
    }

    private var storedText: String {
        guard let total = download.total else { return "\(ByteCount.exactText(download.bytes)) of an unknown length" }
        return
            "\(Percentage.of(download.bytes, total)) %, \(ByteCount.exactText(download.bytes)) of \(ByteCount.exactText(total))"
    }

    private static func verdict(_ digest: Digest) -> String {
        switch digest.matches {
        case true: ", matches"
        case false: ", does not match"
        case nil: ""
        }
    }
}
