import PawlCore
import Testing

@testable import Pawl
@testable import PawlCLI

@Suite struct GetWordsTests {
    private func words(_ url: String = "https://example.org/disk.iso", locale: Locale = .utf8) -> GetWords {
        GetWords(get: ResolvedGet(DownloadRequest(url)), locale: locale, command: ["pawl", "get", url])
    }

    @Test func noticesArePlainSentences() {
        #expect(words().line(for: .resumed(offset: 1 << 30)) == "Going on: 1.00 GiB were stored before.")
        #expect(words().line(for: .segmentEnded(connection: 1, storedUpTo: 5)) == nil)
        #expect(words().line(for: .redirected(url: "https://h/")) == nil)
        #expect(
            words().line(for: .encoded("gz\u{1B}[2Jip"))
                == "The server sends the file compressed (gz\\u{1B}[2Jip) though asked not to; it is stored as it comes.")
        #expect(
            words().line(for: .connectionRefused(status: 503, limit: 1))
                == "The server refused one more connection (503); one is used from now on.")
    }

    @Test func aFailureThatComesBackIsToldOnce() {
        var told = ToldNotices()
        let lines = (1...3).map { words().line(for: .retrying(.reset, failures: $0, seconds: Double($0))) ?? "" }
        #expect(lines.map { told.isNew($0) } == [true, false, false])
        #expect(lines[0] == "h: reset. Trying again.")
    }

    @Test func theLastLineSaysWhatIsKnownOfTheFile() {
        #expect(
            words().lines(for: .completed(.example), after: .seconds(40))
                == ["disk.iso: 2.79 GiB in 40 s, 47.7 MiB/s, verified by the server's digest, resumed from 954 MiB"])
        #expect(
            words().lines(for: .completed(.made(isComplete: true)), after: .milliseconds(200))
                == ["a.txt: 1.00 KiB in 0.2 s, 5.00 KiB/s, complete"])
        #expect(
            words().lines(for: .completed(.made(isComplete: false)), after: .milliseconds(200))
                == [
                    "a.txt: 1.00 KiB in 0.2 s, 5.00 KiB/s, perhaps cut off: the server gave neither a length nor a clear end"
                ])
        #expect(
            words().lines(for: .completed(.made(wasSkipped: true)), after: .zero)
                == ["a.txt: exists already and was left as it is"])
        #expect(words().lines(for: .failed(.reset), after: .zero).isEmpty)
    }

    @Test func aChecksumOfOnesOwnIsNamed() throws {
        var words = words()
        var get = words.get
        get.request.digest = try Digest(parsing: "md5:d41d8cd98f00b204e9800998ecf8427e")
        words = GetWords(get: get, locale: .utf8, command: [])
        let lines = words.lines(for: .completed(.example), after: .seconds(40))
        #expect(lines.first?.contains("verified md5") == true)
    }

    @Test func stoppingSaysHowToGoOn() {
        #expect(
            words().lines(for: .stopped(.interrupt, bytes: 1 << 20, total: 2 << 20), after: .zero)
                == ["pawl: Stopped; 1.00 MiB of 2.00 MiB are saved. To go on:", "  pawl get https://example.org/disk.iso"])
        #expect(
            words("https://example.org/a?key=secret").lines(for: .stopped(.interrupt, bytes: 1 << 20, total: nil), after: .zero)
                == ["pawl: Stopped; 1.00 MiB are saved. Run the same command to go on."])
    }

    @Test func progressInALog() {
        #expect(words().line(for: .halfway) == "50 %, 1.40 GiB of 2.79 GiB, 47.7 MiB/s, 31 s left")
        var waiting = DownloadProgress.halfway
        waiting.state = .waiting(seconds: 3, reason: "h: reset.")
        #expect(words().line(for: waiting) == "50 %, 1.40 GiB of 2.79 GiB, trying again in 3 s: h: reset.")
    }
}

extension DownloadResult {
    fileprivate static func made(isComplete: Bool = false, wasSkipped: Bool = false) -> DownloadResult {
        DownloadResult(
            path: "a.txt", byteCount: 1024, isComplete: isComplete, isVerified: false, wasSkipped: wasSkipped,
            resumedFrom: 0, entityTag: nil, lastModified: nil, contentEncoding: nil, finalURL: "https://example.org/a.txt")
    }
}
