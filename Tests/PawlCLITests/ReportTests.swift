import PawlCore
import PawlJobs
import Testing

@testable import Pawl
@testable import PawlCLI

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct ReportTests {
    private static let probe = ProbeReport(
        finalURL: "https://mirror.example.org/disk.iso", redirects: 1,
        get: .init(
            status: 206, totalBytes: 3_000_000_000, entityTag: "\"a1\u{1B}[2J\"", lastModified: nil,
            contentType: "application/octet-stream", acceptRanges: "bytes"),
        head: .init(
            status: 403, totalBytes: nil, entityTag: nil, lastModified: nil, contentType: "text/html", acceptRanges: nil
        ),
        acceptsRanges: true, hasStrongValidator: true, suggestedName: "disk.iso")

    @Test func `the table of a probe describes the file and compares GET with HEAD`() {
        #expect(
            Self.probe.table(in: .utf8) == """
                URL            https://mirror.example.org/disk.iso (after 1 redirect)
                Name           disk.iso
                Length         2.79 GiB (3,000,000,000 bytes)
                Ranges         yes: can be resumed and split
                Validator      strong: a change on the server is always detected

                               GET bytes=0-              HEAD
                Status         206                       403
                Length         3000000000                -
                ETag           "a1\\u{1B}[2J"             -
                Last-Modified  -                         -
                Content-Type   application/octet-stream  text/html
                Accept-Ranges  bytes                     -

                """)
    }

    @Test func `the JSON of a probe describes the file and the answers to GET and HEAD`() {
        #expect(
            Self.probe.json(warnings: []).encoded
                == #"{"url":"https://mirror.example.org/disk.iso","redirects":1,"name":"disk.iso","total":3000000000,"acceptsRanges":true,"strongValidator":true,"get":{"status":206,"total":3000000000,"etag":"\"a1\u001b[2J\"","lastModified":null,"contentType":"application/octet-stream","acceptRanges":"bytes"},"head":{"status":403,"total":null,"etag":null,"lastModified":null,"contentType":"text/html","acceptRanges":null},"warnings":[]}"#
        )
    }

    /// Writes a real journal, the only source of a status.
    @Test func `the status of a partial file comes from its journal, as a table and as JSON`() throws {
        let status = try makeStatus()
        let age = status.ageSeconds
        #expect(
            status.table(in: .utf8) == """
                File           disk.iso
                URL            https://example.org/disk.iso
                Stored         50 %, 1.40 GiB (1,500,000,000 bytes) of 2.79 GiB (3,000,000,000 bytes)
                State          interrupted
                Saved          \(TimeSpan.text(Double(age))) ago, checkpoint 6
                ETag           "a1"
                Last-Modified  -
                Written by     process 4242 on host
                Ranges         0..<900000000            858 MiB
                               1500000000..<2100000000  572 MiB

                """)
        #expect(
            status.json.encoded
                == #"{"file":"disk.iso","url":"https://example.org/disk.iso","total":3000000000,"durable":[[0,900000000],[1500000000,2100000000]],"durableBytes":1500000000,"resumable":[[0,900000000],[1500000000,2100000000]],"resumableBytes":1500000000,"etag":"\"a1\"","lastModified":null,"generation":6,"ageSeconds":\#(age),"locked":false,"finishing":false,"ownerProcessID":4242,"ownerHostName":"host"}"#
        )
    }

    private func makeStatus() throws -> PartialFileStatus {
        let record = JournalRecord(
            generation: 6, id: Array(repeating: 7, count: 16),
            owner: Owner(processID: 4242, bootID: Array(repeating: 1, count: 16), startTime: 1, hostName: "host"),
            state: .downloading, url: "https://example.org/disk.iso", urlHash: .xxh64(1), targetName: "disk.iso",
            representation: Representation(fields: [HTTPField("ETag", "\"a1\"")], total: 3_000_000_000),
            partialDevice: 1,
            partialInode: 1, expectedDigest: nil, updated: 1_700_000_000, blockSize: 1 << 20,
            durable: RangeSet(DownloadProgress.halfway.storedRanges), blockHashes: [:], recentBlocks: [])
        var template = Array("/tmp/pawl-status-XXXXXX".utf8CString)
        let directory = try #require(mkdtemp(&template).map { String(cString: $0) })
        let path = directory + "/disk.iso"
        defer {
            unlink(path + ".pawl")
            unlink(path + ".part")
            rmdir(directory)
        }
        var bytes = [UInt8](repeating: 0, count: Journal.fileSize)
        let slot = Journal.encode(record)
        let offset = Int(Journal.slotOffset(generation: record.generation))
        bytes.replaceSubrange(offset..<offset + slot.count, with: slot)
        let file = open(path + ".pawl", O_CREAT | O_WRONLY, 0o600)
        #expect(write(file, bytes, bytes.count) == bytes.count)
        close(file)
        close(open(path + ".part", O_CREAT | O_WRONLY, 0o600))
        return try PartialFileStatus.read(path)
    }
}
