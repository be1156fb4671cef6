import PawlCore
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct JSONTests {
    @Test(arguments: [
        (.null, "null"), (.boolean(true), "true"), (.integer(Int64.min), "-9223372036854775808"), (.array([]), "[]"),
        (.object([]), "{}"), (["b": .integer(1), "a": [.null, .boolean(false)]], #"{"b":1,"a":[null,false]}"#),
        (.string("a\"b\\c/é漢"), #""a\"b\\c/é漢""#), (.string("\n\r\t\u{0}\u{1B}\u{7F}"), #""\n\r\t\u0000\u001b\u007f""#),
        (.string("\u{202E}\u{9B}\u{E0001}"), #""\u202e\u009b\udb40\udc01""#), (.rounded(1.6), "2"), (.rounded(nil), "null"),
        (.rounded(.nan), "0"), (.rounded(.infinity), "9223372036854775807"),
    ] as [(JSONValue, String)])
    func encoding(value: JSONValue, text: String) {
        #expect(value.encoded == text)
    }

    @Test func started() {
        var get = ResolvedGet(DownloadRequest("https://u:p@example.org/a?token=secret", in: "/srv"))
        #expect(
            GetEvents.started(get, url: "https://example.org/a?token=…").encoded
                == #"{"event":"started","url":"https://example.org/a?token=…","directory":"/srv","file":null}"#)
        get.request.fileName = "a.iso"
        #expect(GetEvents.started(get, url: "x").encoded.hasSuffix(#""file":"a.iso"}"#))
    }

    @Test func progress() {
        let text = GetEvents.progress(.halfway).encoded
        #expect(
            text
                == #"{"event":"progress","state":"downloading","bytes":1500000000,"durable":1400000000,"total":3000000000,"rate":50000000,"secondsLeft":31,"connections":[{"id":0,"position":900000000,"end":1500000000,"rate":25000000},{"id":3,"position":2100000000,"end":null,"rate":25000000}]}"#
        )
    }

    @Test(arguments: [
        (.resumed(offset: 7), #"{"event":"resumed","offset":7}"#),
        (.redirected(url: "https://h/"), #"{"event":"redirected","url":"https://h/"}"#),
        (.rangesIgnored, #"{"event":"rangesIgnored"}"#),
        (.encoded("gzip"), #"{"event":"encoded","coding":"gzip"}"#),
        (.changed("ETag"), #"{"event":"changed","difference":"ETag"}"#),
        (.refreshing, #"{"event":"refreshing"}"#),
        (
            .retrying(.reset, failures: 2, seconds: 1.5),
            #"{"event":"retrying","code":"network","message":"h: reset.","failures":2,"milliseconds":1500}"#
        ),
        (.connectionRefused(status: 503, limit: 2), #"{"event":"connectionRefused","status":503,"limit":2}"#),
        (
            .segmentBegan(connection: 1, range: ByteRange(start: 4, end: 9)),
            #"{"event":"segment","connection":1,"state":"began","start":4,"end":9}"#
        ),
        (
            .segmentBegan(connection: 1, range: nil),
            #"{"event":"segment","connection":1,"state":"began","start":null,"end":null}"#
        ),
        (
            .segmentEnded(connection: 1, storedUpTo: 8),
            #"{"event":"segment","connection":1,"state":"ended","storedUpTo":8}"#
        ),
    ] as [(DownloadNotice, String)])
    func notices(notice: DownloadNotice, text: String) {
        #expect(GetEvents.notice(notice).encoded == text)
    }

    @Test func endings() {
        #expect(
            GetEvents.ended(.completed(.example), after: .milliseconds(58_200)).encoded
                == #"{"event":"completed","file":"disk.iso","bytes":3000000000,"complete":true,"verified":true,"skipped":false,"resumedFrom":1000000000,"milliseconds":58200,"url":"https://example.org/disk.iso"}"#
        )
        #expect(
            GetEvents.ended(.failed(.reset), after: .zero).encoded
                == #"{"event":"failed","code":"network","message":"h: reset.","exitCode":3}"#)
        #expect(
            GetEvents.ended(.stopped(.terminate, bytes: 5, total: nil), after: .zero).encoded
                == #"{"event":"failed","code":"stopped","message":"Stopped; run the same command to go on.","exitCode":143}"#)
    }
}

extension DownloadError {
    static let reset = DownloadError(.network, "h: reset.", recovery: .retryNow)
}

extension DownloadResult {
    static let example = DownloadResult(
        path: "disk.iso", byteCount: 3_000_000_000, isComplete: true, isVerified: true, wasSkipped: false,
        resumedFrom: 1_000_000_000, entityTag: nil, lastModified: nil, contentEncoding: nil,
        finalURL: "https://example.org/disk.iso")
}

extension DownloadProgress {
    static let halfway = DownloadProgress(
        state: .downloading, bytesStored: 1_500_000_000, bytesDurable: 1_400_000_000, totalBytes: 3_000_000_000,
        bytesPerSecond: 50_000_000, secondsLeft: 30.1,
        connections: [
            Connection(id: 0, position: 900_000_000, end: 1_500_000_000, bytesPerSecond: 25_000_000),
            Connection(id: 3, position: 2_100_000_000, end: nil, bytesPerSecond: 25_000_000),
        ],
        storedRanges: [ByteRange(0..<900_000_000), ByteRange(1_500_000_000..<2_100_000_000)])
}
