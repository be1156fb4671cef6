import PawlClient
import PawlCore
import Testing

@testable import PawlCLI

extension ServiceDownload {
    private static let usual: JSONValue = [
        "change": 1, "url": "https://h/disk.iso", "directory": "/d", "priority": 0, "bytes": 0, "durable": 0,
        "rate": 0, "connections": [], "notStored": [], "verified": .boolean(false), "skipped": .boolean(false),
        "missing": .boolean(false), "added": "2026-03-01T12:30:05Z", "files": [],
    ]

    /// - Parameter more: members in place of the usual ones, each with a comma behind it.
    static func of(_ id: String, _ state: String = "running", _ more: String = "") throws -> ServiceDownload {
        let text = #"{\#(more)"id":"\#(id)","state":"\#(state)"}"#
        guard case .object(let own) = try JSONValue(parsing: Array(text.utf8)), case .object(let usual) = usual else {
            throw ServiceError(.foreignAnswer, text)
        }
        let rest = usual.filter { member in !own.contains { $0.key.isExactly(member.key) } }
        return try ServiceDownload(.object(own + rest))
    }
}

@Suite struct DownloadTableTests {
    private static let running =
        #""file":"disk.iso","bytes":13107200,"total":104857600,"rate":52428800,"secondsLeft":2,"#

    private func downloads() throws -> [ServiceDownload] {
        [
            try .of("8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00", "running", Self.running),
            try .of(
                "11111111-3c1a-4f0e-9b7d-2f6a5c4e1d00", "failed",
                #""file":"a name that is rather long.tar.zst","bytes":0,"#),
            try .of(
                "22222222-3c1a-4f0e-9b7d-2f6a5c4e1d00", "completed",
                #""file":"naïve.bin","bytes":1048576,"total":1048576,"missing":true,"#),
        ]
    }

    @Test func `a wide terminal shows everything`() throws {
        #expect(
            DownloadTable(locale: .utf8, width: 90).text(try downloads()) == """
                8d6f2b1e  running   12 %   100 MiB  50.0 MiB/s  2 s  disk.iso
                11111111  failed       -       0 B           -    -  a name that is rather long.tar.zst
                22222222  missing  100 %  1.00 MiB           -    -  naïve.bin

                """)
    }

    @Test func `in a narrow one the least needed columns go, and names are cut`() throws {
        let text = DownloadTable(locale: .utf8, width: 50).text(try downloads())
        #expect(
            text == """
                8d6f2b1e  running   12 %   100 MiB  disk.iso
                11111111  failed       -       0 B  a name…ar.zst
                22222222  missing  100 %  1.00 MiB  naïve.bin

                """)
        #expect(text.split(separator: "\n").allSatisfy { $0.count < 50 })
        #expect(
            DownloadTable(locale: .ascii, width: 40).text(try downloads()).split(separator: "\n").allSatisfy {
                $0.count < 40
            })
    }

    @Test func `ids are as long as tells them apart`() throws {
        #expect(DownloadIDs.shown(["11111111-a", "22222222-b"]) == 8)
        #expect(DownloadIDs.shown(["11111111-ab", "11111111-ac"]) == 11)
        #expect(DownloadTable(locale: .utf8, width: nil).text([]).isEmpty)
    }

    @Test func `a beginning stands for one id`() throws {
        let known = ["8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00", "8d6f2b1f-3c1a-4f0e-9b7d-2f6a5c4e1d00"]
        #expect(try DownloadIDs.whole("8d6f2b1e", known) == known[0])
        #expect(try DownloadIDs.whole(known[1], []) == known[1])
        #expect(throws: UsageError.self) { try DownloadIDs.whole("8d6f", known) }
        #expect(throws: UsageError.self) { try DownloadIDs.whole("9999", known) }
    }

    @Test func `control characters of names do not reach the terminal`() throws {
        let download = try ServiceDownload.of(
            "8d6f2b1e-3c1a-4f0e-9b7d-2f6a5c4e1d00", "running", #""file":"a\u001b[2Jb","#)
        #expect(!DownloadTable(locale: .utf8, width: 80).text([download]).contains("\u{1B}"))
    }
}
