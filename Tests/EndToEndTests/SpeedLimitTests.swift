import PawlTestKit
import Testing

extension EndToEnd {
    /// The accuracy of a speed limit on the wire, measured by the server's system as bytes that reached the client's.
    @Suite("Speed limits on the wire", .serialized, .timeLimit(.minutes(10)))
    struct SpeedLimitTests {
        struct Case: Sendable, CustomStringConvertible {
            var rate: String
            var bytesPerSecond: Int
            var connections: Int
            var isSecure = false
            /// The largest second allowed, as a multiple of the rate: the first second also has handshakes and initial
            /// buffers. Later seconds: 1.25.
            var most = 1.25

            var description: String { "\(rate)\(isSecure ? " over TLS" : "") by \(connections)" }
        }

        /// A TLS record has up to 16 KiB and can be accepted only whole, which allows the slow secure case a larger
        /// second.
        static let cases = [
            Case(rate: "100k", bytesPerSecond: 100 << 10, connections: 1),
            Case(rate: "100k", bytesPerSecond: 100 << 10, connections: 1, isSecure: true, most: 1.35),
            Case(rate: "1M", bytesPerSecond: 1 << 20, connections: 4),
            Case(rate: "1M", bytesPerSecond: 1 << 20, connections: 4, isSecure: true),
        ]

        /// The cases run concurrently, because each takes five seconds.
        @Test
        func
            `a speed limit holds on the wire within 3 percent over five seconds, and no later second exceeds 1.25 times the rate`()
            async throws
        {
            let authority = try await CertificateAuthority()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for test in Self.cases { group.addTask { try await Self.check(test, authority) } }
                try await group.waitForAll()
            }
        }

        /// The longest total wait of a thread for a processor, in five seconds, on a machine that is not overloaded.
        private static let maximumDelay: Duration = .milliseconds(100)

        /// Judges the first of three attempts in which the program's threads were allowed to run. If there is none,
        /// judges the last, with the bytes that its delays held up allowed on top. The overall rate is judged in every
        /// attempt.
        private static func check(_ test: Case, _ authority: CertificateAuthority) async throws {
            let attempts = 3
            for attempt in 1...attempts {
                let (record, delays) = try await measure(test, authority)
                let whole = record.bytesPerSecond(from: .zero, to: .seconds(60)).least / Double(test.bytesPerSecond)
                #expect(whole <= 1.1 && whole > 0, "\(test): \(whole) times the rate as a whole")
                print("\(test): attempt \(attempt): kept from running: \(delays)")
                let isDelayed = delays.longest > maximumDelay
                if !isDelayed || attempt == attempts { return judge(test, record, delays, isDelayed: isDelayed) }
                print("\(test): attempt \(attempt) was delayed and is repeated")
            }
        }

        private static func measure(
            _ test: Case, _ authority: CertificateAuthority
        ) async throws -> (WireMeter.Record, RunDelays.Account) {
            let content = FileBehaviour.pattern(count: 5 * test.bytesPerSecond)
            let server = try ScriptedServer(
                tls: test.isSecure ? ServerTLS(authority) : nil, file: FileBehaviour(content: content))
            defer { server.stop() }
            let directory = try TemporaryDirectory("limit")
            let file = directory.file("file.bin")
            let meter = try WireMeter(server)
            let program = try Program.start(
                "get", server.url(), "-o", file, "-q", "-x", "\(test.connections)", "--max-speed", test.rate,
                "--ca-certificate",
                authority.certificate)
            let (output, delays) = try await RunDelays.during(program.processID) { try await program.output() }
            let record = meter.stop()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(file, to: content))
            #expect(delays.isKnown || !Files.exists("/proc/self/schedstat"))
            return (record, delays)
        }

        private static func judge(
            _ test: Case, _ record: WireMeter.Record, _ delays: RunDelays.Account, isDelayed: Bool
        ) {
            let limit = Double(test.bytesPerSecond)
            let settled = record.beginning + .milliseconds(500)
            let overall = record.bytesPerSecond(from: settled, to: record.beginning + .seconds(60)).least / limit
            let usual = record.usualBytesPerSecond(from: settled) / limit
            let largest = Double(record.largestSecond()) / limit
            let later = Double(record.largestSecond(from: record.beginning + .seconds(1))) / limit
            print(
                "\(test): \((overall - 1) * 100) %, usually \((usual - 1) * 100) %, largest second × \(largest), after the first × \(later)"
            )
            // Threads cannot fill time in which they were not scheduled. The delay counts twice because the usual rate
            // is taken from half of the time.
            let lost = 2 * (delays.total / .seconds(5))
            // Bytes that a delay held up, in the program or in the server, may follow it at once: at most as many as
            // the limit allows in that time.
            let caughtUp = isDelayed ? delays.total / .seconds(1) : 0
            #expect(overall <= 1.03 + (isDelayed ? lost : 0) && overall > 0, "\(test): \(overall) times the rate")
            #expect(usual >= 0.97 - lost, "\(test): usually \(usual) times the rate, with \(lost) lost to others")
            #expect(
                largest <= test.most + caughtUp,
                "\(test): a second with \(largest) times the rate, with \(caughtUp) held up by delays")
            #expect(
                later <= 1.25 + caughtUp,
                "\(test): a later second with \(later) times the rate, with \(caughtUp) held up by delays")
        }
    }
}
