import PawlCore
import PawlJobs
import PawlTestKit
import Testing

@testable import PawlClient

@Suite struct ServiceCallTests {
    private func error<Value>(_ body: () async throws(ServiceError) -> Value) async -> ServiceError? {
        do throws(ServiceError) {
            _ = try await body()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a page is read, and members of later versions are skipped`() async throws {
        let service = try ScriptedService { _, _, _, connection in try connection.answer(Example.page) }
        defer { service.stop() }
        var query = DownloadQuery()
        query.filter.states = [.running, .waiting]
        query.filter.text = "a b&ü"
        query.sort = "-size"
        let page = try await service.client.downloads(query)
        #expect(page.total == 1 && page.change == 4182 && page.next == nil && page.counts[.running] == 1)
        #expect(
            page.downloads.first?.id == Example.id && page.downloads.first?.connections.first?.host == "example.org")
        #expect(
            service.requests.first?.target
                == "/api/v1/downloads?state=running,waiting&q=a%20b%26%C3%BC&sort=-size&limit=100")
        #expect(service.requests.first?.fields.contains { $0.name == "Authorization" } == false)
    }

    @Test func `an answer may come byte by byte`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            let text =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(Example.page.utf8.count)\r\n\r\n\(Example.page)"
            try connection.drip(text.utf8, piece: 7, every: .microseconds(200))
        }
        defer { service.stop() }
        #expect(try await service.client.downloads().total == 1)
    }

    @Test func `a problem becomes an error with its code, detail and hint`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            try connection.problem("404 Not Found", Example.unknown)
        }
        defer { service.stop() }
        let error = await error { () throws(ServiceError) in try await service.client.download(Example.id) }
        #expect(
            error
                == ServiceError(
                    .unknownDownload, "There is no such download.", hint: "It may have been removed.", status: 404))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\n<p>!", "SSH-2.0-OpenSSH_9.9\r\n",
        "HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n{",
    ])
    func `what is not the service is told as such`(answer: String) async throws {
        let service = try ScriptedService { _, _, _, connection in try connection.send(answer) }
        defer { service.stop() }
        #expect(await error { () throws(ServiceError) in try await service.client.downloads() }?.code == .foreignAnswer)
    }

    @Test func `nothing that listens is a service that does not run`() async throws {
        let client = ServiceClient(.socket("/nonexistent/pawl.sock"))
        #expect(await error { () throws(ServiceError) in try await client.version() }?.code == .notRunning)
        let service = try ScriptedService { _, _, _, _ in }
        service.stop()
        #expect(await error { () throws(ServiceError) in try await service.client.version() }?.code == .notRunning)
        let long = ServiceClient(.socket("/" + String(repeating: "x", count: 200)))
        #expect(await error { () throws(ServiceError) in try await long.version() }?.code == .unreachable)
    }

    @Test func `an answer that is too large is refused`() async throws {
        let service = try ScriptedService { _, _, _, connection in
            try connection.send("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            try connection.sendForEver([UInt8](repeating: 0x20, count: 65536))
        }
        defer { service.stop() }
        var client = service.client
        client.maximumAnswer = 1 << 20
        let narrow = client
        #expect(await error { () throws(ServiceError) in try await narrow.downloads() }?.code == .answerTooLarge)
    }

    @Test func `a service that says nothing is not waited for, and a cancelled call ends`() async throws {
        let service = try ScriptedService { _, _, _, connection in try connection.stall() }
        defer { service.stop() }
        var client = service.client
        client.timeout = .milliseconds(50)
        client.tries = 1
        let hasty = client
        #expect(await error { () throws(ServiceError) in try await hasty.version() }?.code == .timedOut)
        let patient = service.client
        let task = Task { try await patient.version() }
        try await Task.sleep(for: .milliseconds(20))
        task.cancel()
        let result = await task.result
        #expect((try? result.get()) == nil)
    }

    // MARK: Lost answers

    private static let beginning =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"downloads\":["

    @Test(arguments: ["", beginning, "HTTP/1.1 20"])
    func `reading is repeated when an answer is lost, before it or in its middle`(beginning: String) async throws {
        let service = try ScriptedService { number, _, _, connection in
            if number < 3 {
                try connection.send(beginning)
                connection.close()
            } else {
                try connection.answer(Example.page)
            }
        }
        defer { service.stop() }
        #expect(try await service.client.downloads().total == 1)
        #expect(service.requests.count == 3)
    }

    @Test func `adding is repeated with the same key`() async throws {
        let service = try ScriptedService { number, _, body, connection in
            guard number > 1 else { return connection.close() }
            #expect(
                body
                    == #"[{"version":1,"url":"https://h/a","priority":5,"paused":true,"tag":"t","position":"top"},{"version":1,"url":"https://h/b"}]"#
            )
            try connection.answer(
                #"[{"status":200,"download":\#(Example.download())},{"status":409,"problem":\#(Example.unknown)}]"#)
        }
        defer { service.stop() }
        let added = try await service.client.add([
            NewDownload(JobSpec("https://h/a"), priority: 5, isPaused: true, tag: "t", position: .top),
            NewDownload("https://h/b"),
        ])
        #expect(added.map { $0.download?.id } == [Example.id, nil])
        #expect(added.map { $0.error?.code } == [nil, .unknownDownload])
        let keys = service.requests.map { request in request.fields.first { $0.name == "Idempotency-Key" }?.value }
        #expect(keys.count == 2 && keys[0] == keys[1] && keys[0] != nil)
    }

    @Test func `a relative move is never repeated, an absolute one is`() async throws {
        let service = try ScriptedService { _, _, _, connection in connection.close() }
        defer { service.stop() }
        #expect(
            await error { () throws(ServiceError) in try await service.client.act(.move(.by(1)), on: [Example.id]) }?
                .code == .connectionLost)
        #expect(service.requests.count == 1)
        #expect(
            await error { () throws(ServiceError) in try await service.client.act(.move(.top), on: [Example.id]) }?.code
                == .connectionLost)
        #expect(service.requests.count == 4)
        var patch = DownloadPatch()
        patch.position = .by(-1)
        let relative = patch
        _ = await error { () throws(ServiceError) in try await service.client.change(Example.id, relative) }
        #expect(service.requests.count == 5)
    }

    @Test func `a removal whose answer was lost is done when the download is gone`() async throws {
        let service = try ScriptedService { number, _, _, connection in
            if number == 1 { connection.close() } else { try connection.problem("404 Not Found", Example.unknown) }
        }
        defer { service.stop() }
        try await service.client.remove(Example.id, deletingFiles: true)
        #expect(
            service.requests.last?.target == "/api/v1/downloads/\(Example.id)?files=delete"
                && service.requests.last?.method == "DELETE")
    }

    // MARK: Requests

    @Test func `jobs are sent in requests that the service takes`() {
        #expect(ServiceClient.bodies(of: []) == [])
        #expect(ServiceClient.bodies(of: ["1", "2"]).map { String(decoding: $0, as: UTF8.self) } == ["[1,2]"])
        #expect(ServiceClient.bodies(of: Array(repeating: "1", count: 10_001)).count == 2)
        let large = ServiceClient.bodies(of: Array(repeating: String(repeating: "x", count: 1 << 20), count: 5))
        #expect(large.count == 5 && large.allSatisfy { $0.count <= 2 << 20 })
    }

    @Test func `a limit that is lifted is null, and one that stays is left out`() async throws {
        let service = try ScriptedService { _, _, body, connection in
            #expect(body == #"{"speedLimit":null,"timetable":"08:00,512k 19:00,off"}"#)
            try connection.problem(
                "422 Unprocessable Content",
                #"{"code":"invalidValue","detail":"No.","fields":["timetable"],"status":422}"#)
        }
        defer { service.stop() }
        var patch = SettingsPatch()
        patch.speedLimit = .some(nil)
        patch.timetable = .some("08:00,512k 19:00,off")
        let settled = patch
        #expect(
            await error { () throws(ServiceError) in try await service.client.changeSettings(settled) }?.fields == [
                "timetable"
            ])
    }

    // MARK: Addresses

    @Test func `the socket is found as the XDG base directory specification says`() throws {
        func shown(_ environment: [String: String]) throws -> String {
            try ServiceAddress.standard { environment[$0] }.shown
        }
        #expect(try shown(["PAWL_SOCKET": "s", "XDG_RUNTIME_DIR": "/run/1"]) == "“s”")
        #expect(try shown(["XDG_RUNTIME_DIR": "/run/1", "HOME": "/h"]) == "“/run/1/pawl/pawl.sock”")
        #expect(try shown(["XDG_RUNTIME_DIR": "run", "XDG_STATE_HOME": "/s", "HOME": "/h"]) == "“/s/pawl/pawl.sock”")
        #expect(try shown(["HOME": "/h"]) == "“/h/.local/state/pawl/pawl.sock”")
        #expect(throws: ServiceError.self) { try shown([:]) }
    }

    @Test func `over TCP the token is sent, and a prefix is kept`() async throws {
        let server = try ScriptedServer { _, connection in
            try connection.answer(#"{"name":"pawld","version":"1.0","api":1}"#)
        }
        defer { server.stop() }
        let client = ServiceClient(try .url(server.url("/pawl/"), token: "secret"))
        #expect(try await client.version().version == "1.0")
        #expect(server.requests.first?.target == "/pawl/api/v1/version")
        #expect(server.requests.first?.fields.first { $0.name == "Authorization" }?.value == "Bearer secret")
        for text in ["ftp://h/", "https://name:secret@h/", "http://h/?a=b"] {
            #expect(throws: ServiceError.self) { _ = try ServiceAddress.url(text, token: nil) }
        }
    }

    @Test func `N30 an https address is shown and asked for as it is written`() throws {
        let address = try ServiceAddress.url("https://nas.example/pawl/", token: nil)
        #expect(address.shown == "https://nas.example/pawl")
        #expect(try ServiceAddress.url("https://[::1]:8443", token: nil).shown == "https://[::1]:8443")
    }
}
