/// How a scripted server serves one file: correct by default (RFC 9110 §13, §14), and wrong in the ways that are asked for.
///
/// Requests are numbered from 1 over the whole life of the server.
package struct FileBehaviour: Sendable {
    package enum Framing: Sendable {
        case contentLength
        case chunked(size: Int)
        /// Neither length nor chunks: the body ends with the connection.
        case untilClose
    }

    package enum CompleteLength: Sendable {
        case known
        /// `Content-Range: bytes 0-9/*`
        case unknown
        /// What the server claims, whatever it holds.
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
        /// Nil: all of them.
        package var requests: ClosedRange<Int>?
        /// Between the last byte and the end: a client may drop what it holds when it sees both at once.
        package var pause: Duration = .zero

        package init(afterBytes: Int, _ end: End = .finish, requests: ClosedRange<Int>? = nil, pause: Duration = .zero) {
            self.afterBytes = afterBytes
            self.end = end
            self.requests = requests
            self.pause = pause
        }
    }

    /// Sends no more, and leaves the connection open, when a response has sent this many bytes of its body.
    package struct Stall: Sendable {
        package var afterBytes: Int
        package var requests: ClosedRange<Int>?
        /// Asked again and again: true lets the rest go. Nil: never.
        package var isOver: (@Sendable () -> Bool)?

        package init(afterBytes: Int, requests: ClosedRange<Int>? = nil, isOver: (@Sendable () -> Bool)? = nil) {
            self.afterBytes = afterBytes
            self.requests = requests
            self.isOver = isOver
        }
    }

    package enum Refusal: Sendable {
        /// Answers the request with this status; what is limited is requests being answered.
        case status(Int)
        /// Resets the connection before reading; what is limited is open connections.
        case reset
    }

    /// The content that takes the place of the first, with its own validators.
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

    /// A query that must be present, as in a signed URL; worth nothing after so many requests.
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
    /// Serves the range asked for even though the validator does not match.
    package var ignoresIfRange = false
    package var completeLength = CompleteLength.known
    package var framing = Framing.contentLength
    package var replacement: Replacement?

    /// Of each connection by itself.
    package var bytesPerSecond: Int?
    /// Closes the connection after each response, though it did not announce that.
    package var closesAfterResponse = false
    /// False closes a TLS connection without the farewell that tells an end from a cut.
    package var sendsCloseNotify = true
    package var cut: Cut?
    package var stall: Stall?

    package var maximumConnections: Int?
    /// Resets these connections, counted from 1, before a byte of them is read.
    package var refusedConnections: Set<Int> = []
    package var refusal = Refusal.status(503)
    /// Answers the n-th request with this status and a short text.
    package var statusOverrides: [Int: Int] = [:]
    /// Sent with every status from 429 on.
    package var retryAfter: String?
    package var token: Token?
    /// From a path to where it is said to have gone.
    package var redirects: [String: String] = [:]
    package var redirectStatus = 302

    /// Field lines sent as they are, without the line end.
    package var extraFieldLines: [String] = []
    /// Statuses of interim responses sent before the final one.
    package var interimStatuses: [Int] = []
    /// What the system may hold of a response the client does not read, roughly.
    package var sendBufferSize: Int?

    package init(content: [UInt8]) {
        self.content = content
    }

    /// Bytes in which no stretch looks like another, so that a misplaced one shows.
    package static func pattern(count: Int, seed: UInt64 = 1) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var state = seed
            for index in buffer.indices {
                // The generator of Knuth's MMIX; its high bits are the good ones.
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
