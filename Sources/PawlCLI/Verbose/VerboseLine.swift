import PawlCore

/// A log line of the library, as docs/logging.md describes it.
struct VerboseLine: Sendable {
    var message: String
    var facts: [String: String]
}

/// Formats log lines for people: `>` a request, `<` an answer, `*` what was decided, each behind the number of its
/// connection.
struct VerboseWriter: Sendable {
    let isDetailed: Bool
    let locale: Locale
    var namesDownloads = false
    /// The URL that each download asked last, which is not repeated.
    private var urls: [String: ExactText] = [:]
    /// The same of the ETags of answers.
    private var tags: [String: ExactText] = [:]

    init(isDetailed: Bool, locale: Locale) {
        self.isDetailed = isDetailed
        self.locale = locale
    }

    mutating func text(of line: VerboseLine, after elapsed: Duration) -> String {
        let text =
            switch line.facts["event"] {
            case "request": "> " + request(line)
            case "answer": "< " + answer(line.facts)
            case "fields": "< " + (line.facts["fields"] ?? "")
            default: "* " + decision(line)
            }
        return (time(elapsed) + place(line.facts) + " " + text).shown(in: locale)
    }

    private func time(_ elapsed: Duration) -> String {
        guard isDetailed else { return "" }
        let milliseconds = max(0, Int64(saturating: elapsed / .milliseconds(1)))
        let fraction = String(milliseconds % 1000)
        return padded("\(milliseconds / 1000).", toWidth: 4) + String(repeating: "0", count: 3 - fraction.utf8.count)
            + fraction + " "
    }

    private func place(_ facts: [String: String]) -> String {
        let connection = facts["connection"] ?? ""
        guard namesDownloads, let download = facts["download.id"] else { return padded(connection, toWidth: 2) }
        return padded(connection.isEmpty ? download : "\(download).\(connection)", toWidth: 5)
    }

    // MARK: Requests and answers

    private mutating func request(_ line: VerboseLine) -> String {
        let facts = line.facts
        let url = facts["url"] ?? ""
        let download = facts["download.id"] ?? ""
        let isKnown = urls.updateValue(ExactText(url), forKey: download) == ExactText(url)
        var parts = ["\(facts["method"] ?? "GET") \(isKnown ? Self.target(of: url) : url)"]
        if let range = facts["range"] { parts.append(Self.range(range)) }
        if facts["condition"] != nil { parts.append("if unchanged") }
        if !line.message.isExactly("Request sent") { parts.append("again, on a new connection") }
        return parts.joined(separator: ", ")
    }

    /// `bytes=0-99` is what the field says, and `bytes 0-99` what people and answers say.
    private static func range(_ value: String) -> String {
        let words = value.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1).map {
            String(decoding: $0, as: UTF8.self)
        }
        return words.joined(separator: " ")
    }

    /// Returns the part of a URL after the host.
    private static func target(of url: String) -> String {
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count == 4 ? "/" + String(decoding: parts[3], as: UTF8.self) : url
    }

    private mutating func answer(_ facts: [String: String]) -> String {
        let status = Int(facts["status"] ?? "") ?? 0
        var parts = [StatusPhrase.text(status)]
        if let range = facts["content-range"] {
            parts.append(range)
        } else if 200..<300 ~= status {
            add("content-length", of: facts, to: &parts) { "\($0) bytes" }
        }
        if let tag = facts["etag"] {
            let isKnown = tags.updateValue(ExactText(tag), forKey: facts["download.id"] ?? "") == ExactText(tag)
            parts.append(isKnown ? "same ETag" : "ETag \(tag)")
        }
        add("retry-after", of: facts, to: &parts) { "Retry-After \($0)" }
        add("content-encoding", of: facts, to: &parts) { "Content-Encoding \($0)" }
        guard isDetailed else { return parts.joined(separator: ", ") }
        add("last-modified", of: facts, to: &parts) { "Last-Modified \($0)" }
        add("content-type", of: facts, to: &parts) { $0 }
        add("transfer-encoding", of: facts, to: &parts) { $0 }
        add("accept-ranges", of: facts, to: &parts) { "Accept-Ranges \($0)" }
        if facts["version"] == "HTTP/1.0" { parts.append("HTTP/1.0") }
        add("seconds", of: facts, to: &parts) { "after \($0) s" }
        return parts.joined(separator: ", ")
    }

    // MARK: Decisions

    /// The facts of a decision in the order in which they follow the message.
    private static let decisionFacts: [(key: String, shown: @Sendable (String) -> String)] = [
        ("url", { $0 }), ("range", { "bytes \($0)" }), ("position", { "byte \($0)" }), ("bytes", { "\($0) bytes" }),
        ("connections", { "\($0) connections" }), ("parts", { "\($0) parts" }), ("piece", { "piece \($0)" }),
        ("algorithms", { $0 }),
        ("difference", { "\($0) differs" }), ("problem", { $0 }), ("cause", { $0 }), ("content-encoding", { $0 }),
        ("last-modified", { $0 }),
    ]

    private func decision(_ line: VerboseLine) -> String {
        var parts: [String] = []
        for fact in Self.decisionFacts { add(fact.key, of: line.facts, to: &parts, shown: fact.shown) }
        let preposition = ["retry": "in", "decision": "for"][line.facts["event"] ?? ""] ?? "after"
        add("seconds", of: line.facts, to: &parts) { "\(preposition) \($0) s" }
        add("error.message", of: line.facts, to: &parts) { $0 }
        return line.message + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }

    private func add(_ key: String, of facts: [String: String], to parts: inout [String], shown: (String) -> String) {
        if let value = facts[key], !value.isEmpty { parts.append(shown(value)) }
    }
}
