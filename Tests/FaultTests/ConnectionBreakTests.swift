import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct `B5 Connections that break or fall silent` {
    /// Allows one connection only, so that requests and bytes can be counted exactly.
    private func alone(_ plan: inout Plan) { plan.settings.maximumConnections = 1 }

    @Test func `N04 a stalled connection is dropped after 30 s and its bytes are kept`() async throws {
        let time = SkippedTime()
        let content = FileBehaviour.pattern(count: 60_000)
        let script = FileScript(FileBehaviour(content: content))
        let partial = Locked("")
        let trial = try Trial(content, time: time) { request, connection in
            guard request.number == 1 else { return try script.answer(request, connection) }
            try connection.sendSliceHead(of: content, 0..<content.count)
            try connection.sendBody(content[..<10_000])
            // The silence begins once the bytes sent are stored.
            let deadline = ContinuousClock.now + .seconds(10)
            while (try? Files.read(partial.withLock { $0 }))?.prefix(10_000) != content[..<10_000], .now < deadline {
                try connection.sleep(.milliseconds(20))
            }
            try connection.stall(letting: .seconds(31), passOf: time)
        }
        partial.withLock { $0 = trial.partial }
        let after = try await trial.run(alone)
        after.expectWhole(content)
        // The request repeats the 4096 bytes before the first missing one, for comparison.
        #expect(after.requests.map(\.rangeStart) == [0, 10_000 - 4096])
        #expect(after.requests.last?.fields.first("If-Range") == "\"v1\"")
        #expect(after.bodyBytes == content.count + 4096)
        let reasons = after.reports.compactMap {
            if case .retrying(let error, 1, _, _) = $0 { error.message } else { nil }
        }
        #expect(reasons.count == 1 && reasons[0].contains("no byte for"), "\(reasons)")
    }

    #if os(Linux)
    @Test func `N04 every connection has TCP keepalive probes and a timeout for unacknowledged data`() async throws {
        let trial = try Trial { $0.stall = .init(afterBytes: 1000) }
        var options: [CInt] = []
        _ = try await trial.run(during: { driver in
            while trial.server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
            options = Self.options(ofConnectionTo: trial.server.port)
            driver.cancel()
        })
        #expect(options == [1, 30, 10, 3, 60_000], "keepalive, its idle time, interval and count, user timeout")
    }

    /// The TCP options of this process's only socket that is connected to this port.
    private static func options(ofConnectionTo port: UInt16) -> [CInt] {
        for descriptor in 3..<getdtablesize() {
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            guard result == 0, address.sin_family == sa_family_t(AF_INET), UInt16(bigEndian: address.sin_port) == port
            else {
                continue
            }
            let tcp = CInt(IPPROTO_TCP)
            let names = [
                (SOL_SOCKET, SO_KEEPALIVE), (tcp, TCP_KEEPIDLE), (tcp, TCP_KEEPINTVL), (tcp, TCP_KEEPCNT),
                (tcp, TCP_USER_TIMEOUT),
            ]
            return names.map { level, name in
                var value: CInt = -1
                var size = socklen_t(MemoryLayout<CInt>.size)
                getsockopt(descriptor, level, name, &value, &size)
                return value
            }
        }
        return []
    }
    #endif

    @Test func `N07 L17 a response head that arrives in drips times out after 60 s in total`() async throws {
        let time = SkippedTime()
        let content = FileBehaviour.pattern(count: 60_000)
        let script = FileScript(FileBehaviour(content: content))
        let trial = try Trial(content, time: time) { request, connection in
            guard request.number == 1 else { return try script.answer(request, connection) }
            try connection.send("HTTP/1.1 206 Partial Content\r\n")
            for _ in 0..<13 {
                try connection.send("X-Slow: 1\r\n")
                try connection.sleep(.milliseconds(20))
                time.skip(.seconds(5))
            }
            try connection.stall()
        }
        let after = try await trial.run(alone)
        after.expectWhole(content)
        #expect(after.requests.count == 2)
        #expect(after.took >= .seconds(60) && after.took < .seconds(100), "\(after.took)")
        let reasons = after.reports.compactMap {
            if case .retrying(let error, _, _, _) = $0 { error.message } else { nil }
        }
        #expect(reasons.count == 1 && reasons[0].contains("no answer within"), "\(reasons)")
        #expect(after.bodyBytes == content.count)
    }

    @Test func `N10 connections that die silently when the network changes are replaced`() async throws {
        let time = SkippedTime()
        let content = FileBehaviour.pattern(count: 200_000)
        let script = FileScript(FileBehaviour(content: content))
        let trial = try Trial(content, time: time) { request, connection in
            // The connection of the old network: some bytes arrive, then neither bytes nor FIN nor RST.
            guard request.number == 1 else { return try script.answer(request, connection) }
            try connection.sendSliceHead(of: content, 0..<content.count)
            try connection.drip(content[..<40_000], piece: 8000, every: .milliseconds(30))
            try connection.stall(letting: .seconds(31), passOf: time)
        }
        let after = try await trial.run()
        after.expectWhole(content)
        // Other connections may fetch the dead one's remainder before its timeout, and need not wait for that.
        after.expectCost(requests: 12, bytes: content.count + 20_000)
    }
}

extension ServerConnection {
    /// Sends nothing while `duration` passes, and then until the client hangs up.
    fileprivate func stall(letting duration: Duration, passOf time: SkippedTime) throws {
        // The bytes sent must have arrived before the silence begins.
        try sleep(.milliseconds(400))
        time.skip(duration)
        try stall()
    }
}
