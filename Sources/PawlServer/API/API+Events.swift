import Hummingbird
import NIOCore
import PawlCore
import PawlEngine

/// The change feed as Server-Sent Events (the HTML standard, §9.2).
extension API {
    /// Proxies close what is silent for longer.
    private static let keepAlive = Duration.seconds(15)
    /// The longest time until a reader notices that it may no longer listen.
    private static let look = Duration.seconds(1)

    func events(_ call: HTTPCall) throws(Problem) -> HTTPAnswer {
        var since: Int64?
        if let text = call.field("last-event-id") ?? call.parameter("since") {
            guard (1...19).contains(text.utf8.count), text.utf8.allSatisfy(ASCII.isDigit), let number = Int64(text)
            else {
                throw .parameter("since", "Last-Event-ID and “since” must be the number of a change.")
            }
            since = number
        }
        let last = try reading { () throws(DownloadError) in try store.lastChange() }
        let start = since ?? last
        let hello = Self.event(
            "hello", id: start,
            ["change": .integer(start), "version": .string(version), "instance": .string(service.instance)])
        let hub = hub
        return HTTPAnswer(
            status: 200, fields: [("content-type", "text/event-stream"), ("x-accel-buffering", "no")],
            body: .stream(length: nil) { writer in
                hub.enter()
                defer { hub.leave() }
                try await writer.write(ByteBuffer(string: hello))
                try await Self.send(hub, EventHub.Place(change: start), to: &writer)
                try await writer.finish(nil)
            })
    }

    private static func send(
        _ hub: EventHub, _ start: EventHub.Place, to writer: inout any ResponseBodyWriter
    ) async throws {
        var place = start
        var lastWrite = ContinuousClock.now
        while !Task.isCancelled {
            let news = try hub.news(&place)
            var text = ""
            if let reset = news.reset { text += event("reset", id: reset, ["change": .integer(reset)]) }
            for change in news.changes { text += change.text }
            for figure in news.figures { text += figure }
            if news.isEnd { text += "event: goodbye\ndata: {}\n\n" }
            if text.isEmpty, ContinuousClock.now - lastWrite >= keepAlive { text = ":\n\n" }
            // Also without text: the writer says whether the reader may still listen.
            try await writer.write(ByteBuffer(string: text))
            if !text.isEmpty { lastWrite = ContinuousClock.now }
            if news.isEnd { return }
            let silence = keepAlive - (ContinuousClock.now - lastWrite)
            if news.changes.isEmpty { await hub.wait(place, atMost: min(look, silence)) }
        }
    }

    /// - Parameter id: nil for what is not repeated.
    static func event(_ name: String, id: Int64?, _ data: JSONValue) -> String {
        "event: \(name)\n" + (id.map { "id: \($0)\n" } ?? "") + "data: \(data.encoded)\n\n"
    }
}
