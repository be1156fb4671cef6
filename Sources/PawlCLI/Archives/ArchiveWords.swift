import PawlArchive
import PawlCore
import PawlJobs

/// The sentences of `pawl extract` and `pawl pack`. What is written goes through ``Swift/String/shown(in:)`` first.
enum ArchiveWords {
    /// The result, and remarks about it.
    static func lines(_ result: ExtractionResult, after elapsed: Duration) -> [String] {
        [line(result, after: elapsed)] + result.notices.map { "pawl: \($0.message)" }
    }

    /// `photos: 1,234 members, 1.20 GiB unpacked in 3.1 s`.
    static func line(_ result: ExtractionResult, after elapsed: Duration) -> String {
        guard !result.isSkipped else { return "\(result.directory): already exists; left unchanged" }
        return
            "\(result.directory): \(count(result.members, "member")), \(ByteCount.text(result.bytes)) unpacked in \(TimeSpan.elapsedText(elapsed))"
    }

    /// `photos.zip: 1,234 files, 1.20 GiB packed into 600 MiB in 3.1 s`.
    static func line(_ result: PackingResult, after elapsed: Duration) -> String {
        "\(result.path): \(count(result.files, "file")), \(ByteCount.text(result.bytes)) packed into \(ByteCount.text(result.archiveBytes)) in \(TimeSpan.elapsedText(elapsed))"
    }

    /// Returns one line for a log.
    static func line(_ activity: ArchiveActivity) -> String {
        let progress = activity.progress
        let verb = activity.kind == .packing ? "packing" : "unpacking"
        if progress.isSyncing { return "\(verb) \(activity.name): syncing to disk" }
        let percent = activity.fraction.map { "\(Percentage.of(Int64(saturating: $0 * 10_000), 10_000)) %, " } ?? ""
        return
            "\(verb) \(activity.name): \(percent)\(count(progress.members, "member")), \(ByteCount.text(progress.bytes)), \(Rate.text(activity.rate))"
    }

    static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(ByteCount.grouped(Int64(number))) \(noun)s"
    }
}
