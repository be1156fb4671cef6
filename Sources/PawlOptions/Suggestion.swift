import PawlCore

/// Finds what a mistyped word was meant to be, or what another program's word is called here.
package enum Suggestion {
    /// ` Did you mean “get”?`, or nothing if no candidate is near.
    package static func sentence(for word: String, among candidates: [String]) -> String {
        if let (found, other) = known(word, among: candidates) {
            // A key of the configuration has its value in another form.
            let value = found.begins(with: "-") ? other.value.map { " " + $0 } : nil
            return " Did you mean “\(found)\(value ?? "")”?\(other.note.map { " " + $0 } ?? "")"
        }
        return nearest(to: word, among: candidates).map { " Did you mean “\($0)”?" } ?? ""
    }

    /// A word that people try, and the name of an option or a command that does it.
    package struct Known: Sendable {
        package let typed: [String]
        package let name: String
        /// The value typed behind the name.
        var value: String?
        /// A sentence.
        var note: String?

        init(_ typed: String, _ name: String, _ value: String? = nil, note: String? = nil) {
            self.typed = typed.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            (self.name, self.value, self.note) = (name, value, note)
        }
    }

    package static let known: [Known] = [
        // Options.
        .init("force overwrite clobber", "if-exists", "replace"), .init("skip-existing", "if-exists", "skip"),
        .init("resume restart-from", "adopt", note: "Pawl's own downloads resume without it."),
        .init("threads segments splits parallel-connections workers", "connections"),
        .init("parallel concurrency simultaneous", "jobs"),
        .init("no-progress", "progress", "none"), .init("dest destination path folder", "directory"),
        .init("filename save-as", "output"), .init("file urls url-file", "input-file"),
        .init("hash sha256 sha256sum md5", "checksum"), .init("bandwidth speed speed-limit max-rate", "max-speed"),
        .init("username login", "user"), .init("token", "bearer-file"), .init("cert", "certificate"),
        .init("unpack unzip untar", "extract"), .init("background", "add"), .init("exec hook", "on-complete"),
        .init("no-verify no-check ignore-certificate", "insecure"), .init("tries attempts", "retries"),
        // Commands.
        .init("download fetch dl curl wget aria2c", "get"), .init("remove delete del cancel", "rm"),
        .init("stop", "pause"), .init("continue unpause start", "resume"), .init("unpack unzip untar", "extract"),
        .init("zip tar compress", "pack"), .init("head inspect", "probe"), .init("spider links crawl mirror", "index"),
        .init("check hash sha256sum", "verify"),
        .init("daemon server", "serve"), .init("queue jobs downloads", "ls"), .init("cleanup purge prune", "clean"),
        .init("settings configure defaults", "config"), .init("edit update", "change"), .init("throttle", "limit"),
    ]

    private static func known(_ word: String, among candidates: [String]) -> (candidate: String, other: Known)? {
        let typed = bare(word)
        guard !candidates.contains(where: { bare($0).isExactly(typed) }) else { return nil }
        for other in known where other.typed.containsExactly(typed) {
            if let found = candidates.first(where: { bare($0).isExactly(other.name) }) { return (found, other) }
        }
        return nil
    }

    /// Returns a word without hyphens in front, and with hyphens between words: `if-exists` for `--if-exists` and
    /// `if_exists`.
    private static func bare(_ word: String) -> String {
        let letters = word.lowercased().utf8.drop { $0 == UInt8(ascii: "-") }
        return String(decoding: letters.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }

    package static func nearest(to word: String, among candidates: [String]) -> String? {
        let typed = Array(word.lowercased().utf8)
        // A longer word may have more mistakes in it.
        let limit = min(2, max(1, typed.count / 3))
        let ranked = candidates.map { (candidate: $0, distance: distance(typed, Array($0.utf8))) }
        if let best = ranked.min(by: { $0.distance < $1.distance }), best.distance <= limit { return best.candidate }
        return typed.count < 2 ? nil : candidates.first { $0.utf8.starts(with: typed) }
    }

    /// Returns the number of letters to add, remove, change, or exchange with their neighbour (optimal string
    /// alignment).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...right.count)
        for i in left.indices {
            var row = [i + 1]
            for j in right.indices {
                var least = min(last[j] + (left[i] == right[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                    least = min(least, beforeLast[j - 1] + 1)
                }
                row.append(least)
            }
            (beforeLast, last) = (last, row)
        }
        return last[right.count]
    }
}
