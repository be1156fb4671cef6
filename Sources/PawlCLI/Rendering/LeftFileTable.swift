import Pawl
import PawlCore

/// The output of `pawl list --partial` and `pawl clean`.
struct LeftFileTable {
    private let files: [LeftFile]
    private let now: Int64

    /// - Parameter now: seconds since 1970.
    init(_ files: [LeftFile], now: Int64) {
        self.files = files
        self.now = now
    }

    func text(on stream: OutputStream, in locale: Locale = .current) -> String {
        var table = Table()
        for file in files {
            table.row(
                file.path, ByteCount.text(file.bytes), "\(TimeSpan.text(Double(max(0, now - file.modified)))) ago",
                Self.words(for: file))
        }
        return table.text(in: locale, columns: stream.columns)
    }

    private static let stranger = "; perhaps not Pawl's"

    private static func words(for file: LeftFile) -> String {
        switch file.kind {
        case .unfinished(let status):
            let stored =
                status.totalBytes.map { "\(Percentage.of(status.resumableBytes, $0)) % of \(ByteCount.text($0))" }
                ?? "\(ByteCount.text(status.resumableBytes)) stored"
            return "\(file.isHeld ? "being downloaded" : "unfinished"), \(stored): \(status.url)"
        case .unrecorded: return "partial file without a journal"
        case .journal: return "journal without a partial file"
        case .damaged: return "its journal cannot be read"
        case .otherFile: return "does not match its journal (perhaps a copy)"
        case .setAside: return "set aside: the file changed, or its origin is unknown" + (file.isOurs ? "" : stranger)
        case .unpacking: return file.isHeld ? "being unpacked" : "left by an unpacking that was killed"
        case .mismatched: return "the checksum did not match" + (file.isOurs ? "" : stranger)
        }
    }
}
