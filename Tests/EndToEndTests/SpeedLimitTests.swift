import PawlTestKit
import Testing

extension EndToEnd {
    /// What a limit is worth on the wire, where others share it: counted by the server's system as what has reached the client's.
    @Suite("Speed limits on the wire", .timeLimit(.minutes(1)))
    struct SpeedLimitTests {
        struct Case: Sendable, CustomStringConvertible {
            var rate: String
            var bytesPerSecond: Int
            var connections: Int
            var isSecure = false
            /// Of the first second, in which handshakes and the first buffers come on top; of all later ones it is 1.25.
            var most = 1.25

            var description: String { "\(rate)\(isSecure ? " over TLS" : "") by \(connections)" }
        }

        /// A record of TLS is up to 16 KiB, and can be taken only whole.
        static let cases = [
            Case(rate: "100k", bytesPerSecond: 100 << 10, connections: 1),
            Case(rate: "100k", bytesPerSecond: 100 << 10, connections: 1, isSecure: true, most: 1.35),
            Case(rate: "1M", bytesPerSecond: 1 << 20, connections: 4),
            Case(rate: "1M", bytesPerSecond: 1 << 20, connections: 4, isSecure: true),
        ]

        /// All at once, for each takes five seconds by its nature.
        @Test
        func `a limit holds on the wire within 3 percent over five seconds, and no second has more than 1.25 times the rate`() async throws {
            let authority = try await CertificateAuthority()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for test in Self.cases { group.addTask { try await Self.check(test, authority) } }
                try await group.waitForAll()
            }
        }

        private static func check(_ test: Case, _ authority: CertificateAuthority) async throws {
            let content = FileBehaviour.pattern(count: 5 * test.bytesPerSecond)
            let server = try ScriptedServer(tls: test.isSecure ? ServerTLS(authority) : nil, file: FileBehaviour(content: content))
            defer { server.stop() }
            let directory = try TemporaryDirectory("limit")
            let file = directory.file("file.bin")
            let meter = try WireMeter(server)
            let output = try await Program.run(
                "get", server.url(), "-o", file, "-q", "-x", "\(test.connections)", "--max-speed", test.rate, "--ca-certificate",
                authority.certificate)
            let record = meter.stop()
            #expect(output.ending == ExitCode.done, "\(output.standardError)")
            #expect(try Files.isEqual(file, to: content))

            let limit = Double(test.bytesPerSecond)
            let settled = record.beginning + .milliseconds(500)
            // Above it never, whatever the machine does. Below it usually not: a program that was not let run makes up for a tenth of a
            // second only, and rightly.
            let overall = record.bytesPerSecond(from: settled, to: record.beginning + .seconds(60)).least / limit
            let usual = record.usualBytesPerSecond(from: settled) / limit
            let largest = Double(record.largestSecond()) / limit
            let later = Double(record.largestSecond(from: record.beginning + .seconds(1))) / limit
            print("\(test): \((overall - 1) * 100) %, usually \((usual - 1) * 100) %, largest second × \(largest), after the first × \(later)")
            #expect(overall <= 1.03 && overall > 0, "\(test): \(overall) times the rate")
            #expect(usual >= 0.97, "\(test): usually \(usual) times the rate")
            #expect(largest <= test.most, "\(test): a second with \(largest) times the rate")
            #expect(later <= 1.25, "\(test): a later second with \(later) times the rate")
        }
    }
}
