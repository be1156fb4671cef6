import PawlCore

/// An extended attribute that names the download that made a finished file. It is written once all bytes are there and
/// checked, and before the file gets its name. So a file with the marker under a final name proves that the download
/// completed, even if the program ended before it saved its session.
struct CompletionMarker: Hashable, Sendable {
    /// A random number, unique to one download of one session.
    var number: UInt64
    /// The length of the file in bytes.
    var size: Int64
    var isComplete: Bool
    var isVerified: Bool

    static let attributeName = "user.pawl.receipt"

    init(number: UInt64, size: Int64, isComplete: Bool, isVerified: Bool) {
        self.number = number
        self.size = size
        self.isComplete = isComplete
        self.isVerified = isVerified
    }

    /// Parses a marker; nil for anything but what ``text`` returns.
    init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, let number = UInt64(words[0], radix: 16), let size = Int64(words[1]),
            ["-", "c", "v", "cv"].contains(words[2])
        else { return nil }
        self.init(number: number, size: size, isComplete: words[2].contains("c"), isVerified: words[2].contains("v"))
        guard self.text == text else { return nil }
    }

    /// Number, size, and whether it is complete (`c`) and verified (`v`).
    var text: String {
        let flags = (isComplete ? "c" : "") + (isVerified ? "v" : "")
        return "\(String(number, radix: 16)) \(size) \(flags.isEmpty ? "-" : flags)"
    }
}

extension TargetInspection {
    /// The completion marker of this very download in a file that is as it was finished.
    func completionMarker(in name: String, _ status: FileStatus) throws(DownloadError) -> CompletionMarker? {
        guard let number = plan.markerNumber, status.kind == .regular else { return nil }
        // A file that we may not read is not one that we have just made.
        guard let file = try? directory.open(name, writable: false) else { return nil }
        defer { try? file.close() }
        guard let bytes = try? file.attribute(CompletionMarker.attributeName),
            let marker = CompletionMarker(String(decoding: bytes, as: UTF8.self)), marker.number == number,
            marker.size == status.size
        else { return nil }
        // The file has its name; make that durable.
        try disk(directory.sync)
        return marker
    }
}
