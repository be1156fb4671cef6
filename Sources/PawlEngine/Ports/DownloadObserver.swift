package import PawlCore

/// Hears what a download asks, what it is answered and what it decides: for logs and metrics.
///
/// Calls come one at a time, on the control executor of the download, and must not block. A download without an
/// observer makes none of these values. What may be secret in them cannot be read: a URL can be shown redacted only,
/// and of a message only listed fields.
package protocol DownloadObserver: Sendable {
    func observe(_ observation: DownloadObservation, at now: Instant)
}

package enum DownloadObservation: Sendable {
    /// A request went out.
    case asked(ExchangeID, ObservedRequest)
    /// The head of its answer came. The verdict is nil where the rule was not asked, as for a challenge.
    case answered(ExchangeID, ObservedAnswer, Verdict?)
    /// The answer's bytes are stored from this position on; nil end: to the end of the message.
    case accepted(ExchangeID, from: Int64, end: Int64?)
    /// The same of an answer with several parts.
    case acceptedParts(ExchangeID, count: Int)
    /// Another connection fetches what lies behind this position.
    case shortened(ExchangeID, end: Int64)
    /// The answer, or the rest of it, is not wanted.
    case dropped(ExchangeID)
    /// The last word of an exchange. `received`: bytes of its body.
    case ended(ExchangeID, stored: Int64, received: Int64, StreamEnd)
    /// The number of bytes that are durable now.
    case checkpointed(bytes: Int64, took: Duration)
    /// All bytes are there; these digests are compared.
    case verifying([DigestAlgorithm])
    case verified(Verification)
}

/// A URL that can be shown, and nothing else.
package struct ObservedURL: Sendable {
    private let url: HTTPURL

    package init(_ url: HTTPURL) { self.url = url }

    /// The URL without userinfo and query values.
    package var redacted: String { url.redacted }
    package var secrets: SentSecrets { SentSecrets(url) }
}

/// A request as observers see it: without its authentication.
package struct ObservedRequest: Sendable {
    private let request: TransportRequest

    package init(_ request: TransportRequest) { self.request = request }

    package var method: String { request.method.rawValue }
    package var url: ObservedURL { ObservedURL(request.url) }
    /// The value of Range.
    package var range: String? { request.fields.first("range") }
    /// A part is wanted only if the file is still the same.
    package var isConditional: Bool { request.fields.first("if-range") != nil }
    /// A kept connection lost it, and it goes out again on a fresh one.
    package var isRepeat: Bool { request.needsFreshConnection }
    /// The secrets that must not appear in a log line, even if a server echoes them.
    package var secrets: SentSecrets { SentSecrets(request) }
}

/// Status and some fields of an answer, none of which is meant to carry a secret.
package struct ObservedAnswer: Sendable {
    private let head: ResponseHead

    package init(_ head: ResponseHead) { self.head = head }

    package var status: Int { head.status }
    package var version: String { head.isHTTP10 ? "HTTP/1.0" : "HTTP/1.1" }

    /// The fields that decisions rest on, in this order. Location is not among them: where it leads is told when it is
    /// followed.
    package static let shownFields = [
        "content-range", "content-length", "transfer-encoding", "content-encoding", "content-type", "etag",
        "last-modified", "accept-ranges",
        "retry-after",
    ]

    package var fields: [(name: String, value: String)] {
        Self.shownFields.compactMap { name in head.fields.first(name).map { (name, $0) } }
    }

    /// Fields that carry a secret or a URL, whose query may be one.
    private static let secretFields = [
        "set-cookie", "set-cookie2", "location", "content-location", "link", "refresh", "authentication-info",
        "www-authenticate", "proxy-authenticate", "proxy-authentication-info",
    ]

    /// The other fields in the order of the message, the names in lower case; secret ones have `…` as their value.
    package var otherFields: [(name: String, value: String)] {
        head.fields.compactMap { field in
            let name = field.name.lowercased()
            if Self.shownFields.contains(where: name.isExactly) { return nil }
            return (name, Self.secretFields.contains(where: name.isExactly) ? "…" : field.value)
        }
    }
}
