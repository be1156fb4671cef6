/// How a scripted server serves one file: correctly by default (RFC 9110 §13, §14), and wrong in the ways that are set.
///
/// Requests are numbered from 1 over the whole life of the server.
package struct FileBehaviour: Sendable {
    package enum Framing: Sendable {
        case contentLength
        case chunked(size: Int)
        /// The message has neither length nor chunks: the body ends with the connection.
        case untilClose
    }

    package enum CompleteLength: Sendable {
        case known
        /// `Content-Range: bytes 0-9/*`
        case unknown
        /// The length that the server claims, whatever it holds.
        case claimed(Int64)
    }

    package enum End: Sendable {
        case finish
        case reset
    }

    /// Ends the connection when a response has sent this many bytes of its body.
    package struct Cut: Sendable {
        package var afterBytes: Int
        package var end: End
        /// The requests that are affected; nil for all.
        package var requests: ClosedRange<Int>?
        /// Delay between the last byte and the end: a client that sees both at once may drop what it holds.
        package var pause: Duration = .zero

        package init(afterBytes: Int, _ end: End = .finish, requests: ClosedRange<Int>? = nil, pause: Duration = .zero)
        {
            self.afterBytes = afterBytes
            self.end = end
            self.requests = requests
            self.pause = pause
        }
    }

    /// Stops sending, with the connection left open, once a response has sent this many bytes of its body.
    package struct Stall: Sendable {
        package var afterBytes: Int
        package var requests: ClosedRange<Int>?
        /// Polled; true releases the rest. Nil never releases it.
        package var isOver: (@Sendable () -> Bool)?

        package init(afterBytes: Int, requests: ClosedRange<Int>? = nil, isOver: (@Sendable () -> Bool)? = nil) {
            self.afterBytes = afterBytes
            self.requests = requests
            self.isOver = isOver
        }
    }

    package enum Refusal: Sendable {
        /// Answers the request with this status; the limit counts requests in progress.
        case status(Int)
        /// Resets the connection before reading; the limit counts open connections.
        case reset
    }

    /// Content that replaces the first, with its own validators.
    package struct Replacement: Sendable {
        package var afterRequests: Int
        package var content: [UInt8]
        package var etag: String?
        package var lastModified: String?

        package init(afterRequests: Int, content: [UInt8], etag: String?, lastModified: String? = nil) {
            self.afterRequests = afterRequests
            self.content = content
            self.etag = etag
            self.lastModified = lastModified
        }
    }

    /// A query that must be present, as in a signed URL; it expires after this many requests.
    package struct Token: Sendable {
        package var query: String
        package var goodForRequests: Int
        package var refusal: Int

        package init(query: String, goodForRequests: Int = .max, refusal: Int = 403) {
            self.query = query
            self.goodForRequests = goodForRequests
            self.refusal = refusal
        }
    }

    package var content: [UInt8]
    package var etag: String? = "\"v1\""
    package var lastModified: String? = "Wed, 01 Jan 2020 00:00:00 GMT"
    package var date: String? = "Fri, 01 May 2026 12:00:00 GMT"
    package var contentType: String? = "application/octet-stream"

    package var honoursRanges = true
    /// Serves the requested range although the validator does not match.
    package var ignoresIfRange = false
    package var completeLength = CompleteLength.known
    package var framing = Framing.contentLength
    package var replacement: Replacement?

    /// The rate of each connection.
    package var bytesPerSecond: Int?
    /// Closes the connection after each response without announcing it.
    package var closesAfterResponse = false
    /// Whether a TLS connection is closed with close_notify, which distinguishes an end from a truncation.
    package var sendsCloseNotify = true
    package var cut: Cut?
    package var stall: Stall?

    package var maximumConnections: Int?
    /// Resets these connections, counted from 1, before reading a byte.
    package var refusedConnections: Set<Int> = []
    package var refusal = Refusal.status(503)
    /// Answers the n-th request with this status and a short text.
    package var statusOverrides: [Int: Int] = [:]
    /// Sent with every status from 429 on.
    package var retryAfter: String?
    package var token: Token?
    /// Redirects, from a path to its new location.
    package var redirects: [String: String] = [:]
    package var redirectStatus = 302

    /// Field lines sent verbatim, without the line end.
    package var extraFieldLines: [String] = []
    /// Statuses of interim responses sent before the final one.
    package var interimStatuses: [Int] = []
    /// Roughly how many bytes the system may buffer of a response that the client does not read.
    package var sendBufferSize: Int?

    package init(content: [UInt8]) {
        self.content = content
    }

    /// Bytes in which no stretch repeats another, so that a misplaced one shows.
    package static func pattern(count: Int, seed: UInt64 = 1) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var state = seed
            for index in buffer.indices {
                // The generator of Knuth's MMIX; its high bits are the most random.
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                buffer.initializeElement(at: index, to: UInt8(truncatingIfNeeded: state >> 56))
            }
            initialized = count
        }
    }
}

extension ScriptedServer {
    package convenience init(file behaviour: FileBehaviour) throws {
        let script = FileScript(behaviour)
        try self.init(admit: script.admit, script: script.answer)
    }
}
