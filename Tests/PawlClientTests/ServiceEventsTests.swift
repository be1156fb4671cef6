import PawlCore
import PawlTestKit
import Testing

@testable import PawlClient

@Suite struct ServiceEventsTests {
    private static let hello = "event: hello\nid: 7\ndata: {\"change\":7,\"version\":\"1\",\"instance\":\"a\"}\n\n"

    /// The first of what is read.
    private func events(_ service: ScriptedService, since: Int64? = nil, _ count: Int) async throws -> [ServiceEvent] {
        var events: [ServiceEvent] = []
        for try await event in service.client.events(since: since) {
            events.append(event)
            if events.count == count { break }
        }
        return events
    }

    @Test func `each kind of event is read, however it is cut into pieces`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            try connection.beginEvents()
            let text =
                Self.hello + ": awake\r\n\r\n" + "event: change\r\nid: 8\r\ndata: \(Example.download())\r\n\r\n"
                + "event: unknown\ndata: 1\n\nevent: progress\ndata: [{\"id\":\"\(Example.id)\",\ndata: \"bytes\":5,\"durable\":1,\"total\":null,\"rate\":2,\"connections\":[]}]\n\n"
                + "event: stats\ndata: \(Example.stats)\n\nevent: removed\nid: 9\ndata: {\"id\":\"\(Example.id)\"}\n\n"
                + "event: reset\nid: 12\ndata: {\"change\":12}\n\nevent: goodbye\ndata: {}\n\n"
            for byte in text.utf8 { try connection.events(String(decoding: [byte], as: UTF8.self)) }
            try connection.stall()
        }
        defer { service.stop() }
        let events = try await events(service, 7)
        #expect(events.first == .hello(change: 7, version: "1", instance: "a"))
        if case .changed(let download) = events[1] {
            #expect(download.fileName == "disk.iso")
        } else {
            Issue.record("\(events[1])")
        }
        if case .progress(let list) = events[2] {
            #expect(list.map(\.bytes) == [5])
        } else {
            Issue.record("\(events[2])")
        }
        if case .stats(let stats) = events[3] { #expect(stats.rate == 9) } else { Issue.record("\(events[3])") }
        #expect(Array(events[4...]) == [.removed(id: Example.id), .reset(change: 12), .goodbye])
    }

    @Test(arguments: [true, false])
    func `a connection that breaks is made again, and continues after the last id`(isCut: Bool) async throws {
        let service = try ScriptedService { number, _, _, connection in
            if number == 2 { return connection.reset() }
            try connection.beginEvents()
            if number == 1 {
                try connection.events(
                    Self.hello, "event: removed\nid: 9\ndata: {\"id\":\"a\"}\n\nevent: removed\nid: 10\ndata: {\"i")
                if isCut { connection.close() } else { try connection.send("0\r\n\r\n") }
            } else {
                try connection.events("event: removed\nid: 10\ndata: {\"id\":\"b\"}\n\n")
                try connection.stall()
            }
        }
        defer { service.stop() }
        let events = try await events(service, since: 6, 4)
        #expect(events[1] == .removed(id: "a") && events[3] == .removed(id: "b"))
        if case .disconnected(let error) = events[2] {
            #expect(error.code == .connectionLost)
        } else {
            Issue.record("\(events[2])")
        }
        let ids = service.requests.map { request in request.fields.first { $0.name == "Last-Event-ID" }?.value }
        #expect(ids == ["6", "9", "9"])
    }

    @Test func `a service that is not there, or refuses, is an error at once`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            try connection.problem("401 Unauthorized", #"{"code":"tokenRequired","detail":"No.","status":401}"#)
        }
        await #expect(throws: ServiceError(.tokenRequired, "No.", status: 401)) { _ = try await events(service, 1) }
        service.stop()
        do {
            _ = try await events(service, 1)
            Issue.record("no error")
        } catch let error as ServiceError {
            #expect(error.code == .notRunning)
        }
    }

    @Test func `a stream that is silent for too long is made again`() async throws {
        let service = try ScriptedService { number, _, _, connection in
            try connection.beginEvents()
            try connection.events(Self.hello)
            try connection.stall()
        }
        defer { service.stop() }
        var client = service.client
        client.eventTiming.silence = .seconds(1)
        var kinds: [ServiceError.Code?] = []
        for try await event in client.events() {
            if case .disconnected(let error) = event { kinds.append(error.code) } else { kinds.append(nil) }
            if kinds.count == 3 { break }
        }
        #expect(kinds == [nil, .timedOut, nil])
    }

    @Test func `a reader that is cancelled ends`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            try connection.beginEvents()
            try connection.events(Self.hello)
            try connection.stall()
        }
        defer { service.stop() }
        let client = service.client
        let task = Task { for try await _ in client.events() {} }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        await #expect(throws: ServiceError.self) { try await task.value }
    }
}
