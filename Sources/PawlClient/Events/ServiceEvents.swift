import Pawl
import PawlCore

/// The events of the service, for as long as somebody reads them.
///
/// A connection that breaks is made again, with the id of the last event, so that no change is missed;
/// ``ServiceEvent/disconnected(_:)`` tells of it. A slow reader holds nothing but its own connection.
public struct ServiceEvents: AsyncSequence, Sendable {
    public typealias Element = ServiceEvent
    public typealias Failure = ServiceError

    let address: ServiceAddress
    let since: Int64?
    let timing: EventTiming

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private let events: ServiceEvents
        private var stream: EventStream?
        private var lastID: String?
        private var pending: ArraySlice<ServiceEvent> = []
        /// The number of failures since the last event.
        private var failures = 0
        private var wasConnected = false

        fileprivate init(_ events: ServiceEvents) {
            self.events = events
            lastID = events.since.map { "\($0)" }
        }

        /// - Throws: if the service cannot be reached at first, or refuses. Later, only for a refusal and the end of
        ///   the task.
        public mutating func next() async throws(ServiceError) -> ServiceEvent? {
            while true {
                if let event = pending.popFirst() { return event }
                do throws(ServiceError) {
                    try await receive()
                } catch {
                    stream?.close()
                    stream = nil
                    // A service that refuses once refuses again; one that starts is not there for a moment.
                    guard wasConnected, error.isTransient else { throw error }
                    failures += 1
                    if failures == 1 { return .disconnected(error) }
                    try await events.timing.pause(beforeTry: failures)
                }
            }
        }

        private mutating func receive() async throws(ServiceError) {
            if stream == nil {
                if failures == 1 { try await events.timing.pause(beforeTry: 1) }
                stream = try await EventStream(events.address, lastID: lastID, events.timing)
                wasConnected = true
            }
            for message in try await stream?.messages() ?? [] {
                lastID = message.id ?? lastID
                if let event = try ServiceEvent(message) { pending.append(event) }
                failures = 0
            }
        }
    }
}

/// The waiting times of an event stream.
struct EventTiming: Hashable, Sendable {
    /// The service sends a comment every 15 seconds.
    var silence = Duration.seconds(45)
    var connectTimeout = Duration.seconds(10)
    var firstPause = Duration.milliseconds(250)
    var longestPause = Duration.seconds(8)

    func pause(beforeTry count: Int) async throws(ServiceError) {
        let pause = min(longestPause, firstPause * (1 << min(10, count - 1)))
        do {
            try await Pause.sleep(for: pause)
        } catch {
            throw ServiceError(.cancelled, "The call was cancelled.")
        }
    }
}

/// A connection that carries events.
private struct EventStream: Sendable {
    private let connection: ServiceConnection
    private let timing: EventTiming
    private var parser = EventStreamParser()

    init(_ address: ServiceAddress, lastID: String?, _ timing: EventTiming) async throws(ServiceError) {
        self.timing = timing
        var request = ServiceRequest.get("events")
        request.fields.append(HTTPField("Accept", "text/event-stream"))
        if let lastID { request.fields.append(HTTPField("Last-Event-ID", lastID)) }
        connection = try await ServiceConnection(request, to: address, connectTimeout: timing.connectTimeout)
        try await connection.expectEvents(within: timing.silence)
    }

    func close() { connection.close() }

    mutating func messages() async throws(ServiceError) -> [EventStreamParser.Message] {
        switch try await connection.next(within: timing.silence) {
        case .head: return []
        case .body(let bytes):
            do throws(EventStreamParser.TooLong) {
                return try parser.feed(bytes)
            } catch {
                throw ServiceError(.answerTooLarge, "An event of the service is larger than this program accepts.")
            }
        case .end: throw ServiceError(.connectionLost, "The service ended the stream of events.")
        }
    }
}
