import PawlCore
import PawlJobs
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct JSONTests {
    @Test(
        arguments: [
            (.null, "null"), (.boolean(true), "true"), (.integer(Int64.min), "-9223372036854775808"),
            (.array([]), "[]"),
            (.object([]), "{}"), (["b": .integer(1), "a": [.null, .boolean(false)]], #"{"b":1,"a":[null,false]}"#),
            (.string("a\"b\\c/é漢"), #""a\"b\\c/é漢""#),
            (.string("\n\r\t\u{0}\u{1B}\u{7F}"), #""\n\r\t\u0000\u001b\u007f""#),
            (.string("\u{202E}\u{9B}\u{E0001}"), #""\u202e\u009b\udb40\udc01""#), (.rounded(1.6), "2"),
            (.rounded(nil), "null"),
            (.rounded(.nan), "0"), (.rounded(.infinity), "9223372036854775807"),
        ] as [(JSONValue, String)])
    func `values are encoded as compact JSON, with control and invisible characters escaped`(
        value: JSONValue, text: String
    ) {
        #expect(value.encoded == text)
    }

    private static let url = try! HTTPURL(parsing: "https://h/")

    private static func started(_ job: JobSpec) -> JSONValue {
        JobJSON(.command).started(
            JobFileID(3), JobFile(spec: job))
    }

    @Test func `the started event shows the URL without its secrets, and the file's directory and name`() {
        var job = JobSpec("https://u:p@example.org/a?token=secret")
        job.directory = "/srv"
        #expect(
            Self.started(job).encoded
                == #"{"event":"started","id":3,"url":"https://example.org/a?token=…","directory":"/srv","file":null}"#)
        job.fileName = "a.iso"
        #expect(Self.started(job).encoded.hasSuffix(#""file":"a.iso"}"#))
    }

    @Test func `the progress event has the bytes, the rate, the time left and every connection`() {
        let text = JobJSON(.command).progress(JobFileID(12), .halfway).encoded
        #expect(
            text
                == #"{"event":"progress","id":12,"state":"downloading","bytes":1500000000,"durable":1400000000,"total":3000000000,"rate":50000000,"secondsLeft":31,"connections":[{"id":0,"position":900000000,"end":1500000000,"rate":25000000,"host":"a.example"},{"id":3,"position":2100000000,"end":null,"rate":25000000,"host":"b.example"}]}"#
        )
    }

    @Test(
        arguments: [
            (.resumed(offset: 7), #"{"event":"resumed","id":1,"offset":7}"#),
            (.redirected(Self.url), #"{"event":"redirected","id":1,"url":"https://h/"}"#),
            (.rangesIgnored, #"{"event":"rangesIgnored","id":1}"#),
            (.encoded("gzip"), #"{"event":"encoded","id":1,"coding":"gzip"}"#),
            (.changed(.validator), #"{"event":"changed","id":1,"difference":"ETag"}"#),
            (.skipped(.notNewer), #"{"event":"skipped","id":1,"reason":"notNewer"}"#),
            (.timeNotKept("never"), #"{"event":"remoteTimeNotKept","id":1,"lastModified":"never"}"#),
            (.startedOver(keeping: nil), #"{"event":"startedOver","id":1,"kept":false}"#),
            (
                .mirrorDiffers(Self.url, "its length"),
                #"{"event":"mirrorDiffers","id":1,"url":"https://h/","reason":"its length"}"#
            ),
            (
                .sourceRested(Self.url, .reset, until: Instant(nanoseconds: 2_000_000_000)),
                #"{"event":"sourceRested","id":1,"url":"https://h/","code":"network","message":"h: reset.","milliseconds":2000}"#
            ),
            (
                .pieceWrong(2, ByteRange(4..<9), from: nil),
                #"{"event":"pieceWrong","id":1,"piece":2,"start":4,"end":9,"url":null}"#
            ),
            (.refreshing, #"{"event":"refreshing","id":1}"#),
            (
                .retrying(.reset, failures: 2, of: 9, until: Instant(nanoseconds: 1_500_000_000)),
                #"{"event":"retrying","id":1,"code":"network","message":"h: reset.","failures":2,"limit":9,"milliseconds":1500}"#
            ),
            (
                .connectionRefused(status: 503, limit: 2),
                #"{"event":"connectionRefused","id":1,"status":503,"limit":2}"#
            ),
            (
                .segment(ExchangeID(1), .began(ByteRange(start: 4, end: 9))),
                #"{"event":"segment","id":1,"connection":1,"state":"began","start":4,"end":9}"#
            ),
            (
                .segment(ExchangeID(1), .began(nil)),
                #"{"event":"segment","id":1,"connection":1,"state":"began","start":null,"end":null}"#
            ),
            (
                .segment(ExchangeID(1), .ended(stored: 8)),
                #"{"event":"segment","id":1,"connection":1,"state":"ended","storedUpTo":8}"#
            ),
        ] as [(DownloadReport, String)])
    func `every notice has its event`(report: DownloadReport, text: String) {
        #expect(JobJSON(.command).notice(JobFileID(1), DownloadNotice(report, now: .zero)).encoded == text)
    }

    @Test func `a completed, failed or stopped download has its event`() {
        #expect(
            JobJSON(.command).ended(JobFileID(1), .completed(.example), after: .milliseconds(58_200), stopped: 1)
                .encoded
                == #"{"event":"completed","id":1,"file":"disk.iso","bytes":3000000000,"complete":true,"verified":true,"skipped":false,"resumedFrom":1000000000,"milliseconds":58200,"url":"https://example.org/disk.iso","sources":[],"status":null,"contentType":null,"etag":null,"lastModified":null,"digest":null}"#
        )
        #expect(
            JobJSON(.command).ended(JobFileID(1), .failed(.reset), after: .zero, stopped: 1).encoded
                == #"{"event":"failed","id":1,"code":"network","message":"h: reset.","exitCode":3,"status":null,"again":true}"#
        )
        #expect(
            JobJSON(.command).ended(JobFileID(1), .stopped, after: .zero, stopped: ExitCode.terminated.rawValue).encoded
                == #"{"event":"failed","id":1,"code":"stopped","message":"Stopped; run the same command to resume.","exitCode":143,"status":null,"again":true}"#
        )
    }
}

@Suite struct SummaryTests {
    private func summary(_ outcomes: [Int: JobOutcome], of count: Int, cause: StopCause? = nil) throws -> RunEnding {
        RunEnding.of(try ResolvedGet.of((1...count).map { "https://example.org/\($0)" }), outcomes, cause: cause)
    }

    @Test func `the exit code is that of the first failure in the order of the arguments`() throws {
        let full = JobOutcome.failed(DownloadError(.diskFull, "full", recovery: .giveUp))
        let done = JobOutcome.completed(.example)
        #expect(try summary([1: done, 2: done], of: 2).exitCode == .done)
        #expect(try summary([3: full, 1: done, 2: .failed(.reset)], of: 3).exitCode == .network)
        #expect(try summary([3: .failed(.reset), 1: done, 2: full], of: 3).exitCode == .diskFull)
    }

    @Test func `an interruption that stops a download decides the exit code, whatever failed before`() throws {
        let failure = JobOutcome.failed(.reset)
        #expect(try summary([1: failure], of: 2, cause: .interrupt).exitCode == .interrupted)
        #expect(try summary([1: failure, 2: .stopped], of: 2, cause: .terminate).exitCode == .terminated)
        // The interruption came too late to stop anything.
        #expect(try summary([1: .completed(.example)], of: 1, cause: .interrupt).exitCode == .done)
        // One failure stopped the run: --fail-fast.
        #expect(try summary([1: failure, 2: .stopped], of: 3).exitCode == .network)
    }

    @Test func `the summary event counts the files by their outcome`() throws {
        let summary = try summary([1: .completed(.example), 2: .failed(.reset)], of: 3, cause: .interrupt)
        #expect(
            JobJSON(.command).summary(summary.summary, exitCode: summary.exitCode.rawValue).encoded
                == #"{"event":"summary","files":3,"completed":1,"skipped":0,"incomplete":0,"failed":1,"stopped":1,"fetched":2000000000,"milliseconds":2000,"exitCode":130}"#
        )
    }
}

extension DownloadError {
    static let reset = DownloadError(.network, "h: reset.", recovery: .retryNow)
}

extension DownloadResult {
    static let example = {
        var facts = FinishedFacts(
            fileName: "disk.iso", byteCount: 3_000_000_000, finalURL: "https://example.org/disk.iso")
        (facts.isVerified, facts.resumedFrom) = (true, 1_000_000_000)
        return DownloadResult(facts, in: ".")
    }()
}

extension DownloadProgress {
    static let halfway = DownloadProgress(
        state: .running(.downloading), bytesStored: 1_500_000_000, bytesDurable: 1_400_000_000,
        totalBytes: 3_000_000_000,
        bytesPerSecond: 50_000_000, secondsLeft: 30.1,
        connections: [
            Connection(id: 0, position: 900_000_000, end: 1_500_000_000, bytesPerSecond: 25_000_000, host: "a.example"),
            Connection(id: 3, position: 2_100_000_000, end: nil, bytesPerSecond: 25_000_000, host: "b.example"),
        ],
        storedRanges: [ByteRange(0..<900_000_000), ByteRange(1_500_000_000..<2_100_000_000)])
}
