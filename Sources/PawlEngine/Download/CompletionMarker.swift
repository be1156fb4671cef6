import PawlCore

/// What a finished file of a session says of the download that made it, in an extended attribute: it is written when all bytes are there
/// and checked, and before the file has its name. So whoever finds it under a final name knows that this download was completed, though
/// the program ended before its list said so.
struct CompletionMarker: Hashable, Sendable {
    /// Of one download of one session, and random.
    var number: UInt64
    /// In bytes.
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

    /// Nil for anything but what ``text`` is.
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

extension Locator {
    /// The completion marker of this very download in a file that is as it was finished.
    func completionMarker(in name: String, _ status: FileStatus) throws(DownloadError) -> CompletionMarker? {
        guard let number = spec.markerNumber, status.kind == .regular else { return nil }
        // One that we may not read is no file that we have just made.
        guard let file = try? directory.open(name, writable: false) else { return nil }
        defer { try? file.close() }
        guard let bytes = try? file.attribute(CompletionMarker.attributeName),
            let marker = CompletionMarker(String(decoding: bytes, as: UTF8.self)), marker.number == number, marker.size == status.size
        else { return nil }
        // The name is there; whether it outlives a power cut is decided now.
        try disk(directory.sync)
        return marker
    }
}
