import PawlCore
import PawlSystem
import Testing

@testable import Pawl
@testable import PawlCLI
@testable import PawlJobs

@Suite struct GetWordsTests {
    private func words(_ urls: String..., options: [String] = []) throws -> GetWords {
        let urls = urls.isEmpty ? ["https://example.org/disk.iso"] : urls
        return GetWords(
            get: try .of(urls + options), style: DisplayStyle(locale: .utf8, isColoured: false),
            command: ["pawl", "get"] + urls + options)
    }

    private func line(for report: DownloadReport, _ words: GetWords) -> String? {
        words.line(for: DownloadNotice(report, now: .zero), of: words.get.downloads[0])
    }

    private func lines(for ending: JobOutcome, after elapsed: Duration, _ words: GetWords) -> [String] {
        words.lines(for: ending, of: words.get.downloads[0], after: elapsed)
    }

    @Test func `notices are sentences with control characters escaped; segments and redirects print nothing`() throws {
        let words = try words()
        #expect(line(for: .resumed(offset: 1 << 30), words) == "Resuming: 1.00 GiB already downloaded.")
        #expect(line(for: .segment(ExchangeID(1), .ended(stored: 5)), words) == nil)
        #expect(line(for: .redirected(try HTTPURL(parsing: "https://h/")), words) == nil)
        #expect(
            line(for: .encoded("gz\u{1B}[2Jip"), words)
                == "The server compressed the file (gz\\u{1B}[2Jip) although asked not to; storing it as received.")
        #expect(
            line(for: .connectionRefused(status: 503, limit: 1), words)
                == "The server refused another connection (503 Service Unavailable); using one from now on.")
    }

    @Test func `a retry notice is not printed again if only its wait differs`() throws {
        let words = try words()
        var told = NoticeDeduplicator()
        let notices = [(1, 4), (2, 7), (1, 5)].map { failures, seconds in
            DownloadNotice(.retrying(.reset, failures: failures, of: 9, until: .zero + .seconds(seconds)), now: .zero)
        }
        let lines = notices.map { words.line(for: $0, of: words.get.downloads[0]) ?? "" }
        #expect(
            lines == [
                "h: reset; retrying in 4 s (1 of 9)", "h: reset; retrying in 7 s (2 of 9)",
                "h: reset; retrying in 5 s (1 of 9)",
            ])
        #expect(zip(notices, lines).map { told.isNew($0, $1) } == [true, true, false])
    }

    @Test func `the last line says whether the file was verified, complete, possibly incomplete, skipped or failed`()
        throws
    {
        let words = try words()
        #expect(
            lines(for: .completed(.example), after: .seconds(40), words)
                == ["disk.iso: 2.79 GiB in 40 s, 47.7 MiB/s, verified by the server's digest, resumed from 954 MiB"])
        #expect(
            lines(for: .completed(.made(isComplete: true)), after: .milliseconds(200), words)
                == ["a.txt: 1.00 KiB in 200 ms, 5.00 KiB/s, complete"])
        #expect(
            lines(for: .completed(.made(isComplete: true)), after: .milliseconds(8), words)
                == ["a.txt: 1.00 KiB in 8 ms, complete"])
        #expect(
            lines(for: .completed(.made(isComplete: false)), after: .milliseconds(200), words)
                == [
                    "a.txt: 1.00 KiB in 200 ms, 5.00 KiB/s, may be incomplete: the server gave neither a length nor a clear end"
                ])
        #expect(
            lines(for: .completed(.made(skipReason: .exists)), after: .zero, words)
                == ["a.txt: already exists; left unchanged"])
        #expect(lines(for: .failed(.reset), after: .zero, words) == ["pawl: error: h: reset."])
    }

    @Test func `the last line names the algorithm of --checksum`() throws {
        let words = try words(options: ["--checksum", "md5:d41d8cd98f00b204e9800998ecf8427e"])
        #expect(lines(for: .completed(.example), after: .seconds(40), words).first?.contains("verified md5") == true)
    }

    @Test func `a stopped download prints the command that resumes it, but never the query of its URL`() throws {
        #expect(
            try farewell(words(), total: 2 << 20)
                == ["pawl: Stopped; 1.00 MiB of 2.00 MiB saved. To resume:", "  pawl get https://example.org/disk.iso"])
        #expect(
            try farewell(words("https://example.org/a?key=secret"), total: nil)
                == ["pawl: Stopped; 1.00 MiB saved. Run the same command to resume."])
    }

    @Test func `what cannot be resumed is not said to be saved`() throws {
        let lines = farewell(try words(), total: 2 << 20, canResume: false)
        #expect(
            lines.count == 2 && !lines[0].contains("saved") && !lines[0].contains("To resume")
                && lines[0].contains("start over"), "\(lines)")
    }

    @Test func `a link that has expired is not to be tried again by the same command`() throws {
        let expired = DownloadError(.unauthorized, "Expired.", remedies: [.renewURL], recovery: .reconnect)
        #expect(farewell(try words(), total: nil, .failed(expired)) == ["pawl: 1.00 MiB stored."])
        let cut = DownloadError(.network, "Cut.", recovery: .reconnect)
        #expect(farewell(try words(), total: nil, .failed(cut)).first == "pawl: 1.00 MiB stored. To try again:")
    }

    private func farewell(
        _ words: GetWords, total: Int64?, canResume: Bool = true, _ outcome: JobOutcome = .stopped
    ) -> [String] {
        var run = RunProgress(total: 1)
        run.began(1, name: "", at: .zero)
        var progress = DownloadProgress(state: .paused, bytesStored: 1 << 20, bytesDurable: 1 << 20, totalBytes: total)
        progress.canResume = canResume
        run.update(1, progress: progress)
        run.ended(1, outcome)
        return words.lines(for: RunSummary(run, [JobFileID(1): outcome], elapsed: .seconds(1)))
    }

    @Test func `a host that does not exist and is asked again at once is not worth a notice`() throws {
        let unknown = DownloadError(
            .network, "h was not found: no.", remedies: [.checkURL, .checkNetwork], recovery: .retryNow)
        let words = try words()
        let waits = [Duration.milliseconds(16), .seconds(1)].map {
            line(for: .retrying(unknown, failures: 1, of: 2, until: .zero + $0), words) != nil
        }
        #expect(waits == [false, true])
    }

    @Test(arguments: [
        ("https://h/small.bin,", "The URL ends with “,”, which may not belong to it."),
        ("https://h/small.bin)", "The URL ends with “)”, which may not belong to it."),
        ("https://h/small.bin foo", "In a list, a name is given by out=NAME on an indented line below the URL."),
        ("https://h/*.zip", "“pawl index URL” prints the files that a directory lists."),
        ("https://h/a_(b)", "no."), ("https://h/a", "no."),
    ])
    func `a file that is not there is told with the slip in its URL`(url: String, end: String) throws {
        let missing = DownloadError(.notFound, "no.", remedies: [], recovery: .giveUp)
        let line = try #require(lines(for: .failed(missing), after: .zero, try words(url)).first)
        #expect(line.hasSuffix(end), "\(line)")
    }

    @Test func `a list of another process's descriptor is not named in a command`() throws {
        #expect(ListFile.isOfThisProcess("/dev/fd/63") && ListFile.isOfThisProcess("-"))
        #expect(!ListFile.isOfThisProcess("list") && !ListFile.isOfThisProcess("/dev/fdx"))
    }

    @Test func `a wait of less than a second is said in milliseconds`() throws {
        #expect(
            line(for: .retrying(.reset, failures: 1, of: 9, until: .zero + .milliseconds(50)), try words())
                == "h: reset; retrying in 50 ms (1 of 9)")
    }

    @Test func `a log says a wait once, however long it is`() throws {
        let text = try written { errors in
            var reporter = PlainReporter(words: try words(), errors: errors)
            var run = RunProgress(total: 1)
            run.began(1, name: "disk.iso", at: .zero)
            var waiting = DownloadProgress.halfway
            waiting.state = .waiting(.network(seconds: 30, reason: "h: reset."))
            run.update(1, progress: waiting)
            for seconds in 1...3 { reporter.tick(run, at: .seconds(10 * seconds)) }
            run.update(1, progress: .halfway)
            reporter.tick(run, at: .seconds(40))
        }
        #expect(
            text == """
                pawl: 50 %, 1.40 GiB of 2.79 GiB, waiting for the network: h: reset.
                pawl: 50 %, 1.40 GiB of 2.79 GiB, 47.7 MiB/s, 31 s left

                """)
    }

    /// Returns the text that `body` writes to stderr.
    private func written(_ body: (OutputStream) throws -> Void) throws -> String {
        var descriptors: [Int32] = [0, 0]
        try #require(pipe(&descriptors) == 0)
        defer { close(descriptors[0]) }
        do {
            defer { close(descriptors[1]) }
            try body(OutputStream(descriptor: descriptors[1]))
        }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = read(descriptors[0], &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    @Test func `a log names each file in the order of the list, failed ones among them`() throws {
        let words = try words("https://example.org/[1-9]")
        let text = try written { errors in
            var reporter = PlainReporter(words: words, errors: errors)
            for id in (1...9).reversed() {
                let outcome = id == 4 ? JobOutcome.failed(.reset) : .completed(.made(isComplete: true))
                reporter.ended(words.get.downloads[id - 1], outcome, after: .seconds(1))
            }
            reporter.tick(RunProgress(total: 9), at: .seconds(10))
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 10 && lines[3].hasSuffix("error: https://example.org/4: h: reset."), "\(text)")
        #expect(!text.contains("others"))
    }

    @Test func `of a long list, a log names the failures and counts the rest`() throws {
        let words = try words("https://example.org/[001-200]")
        let text = try written { errors in
            var reporter = PlainReporter(words: words, errors: errors)
            for download in words.get.downloads {
                let outcome =
                    download.id.number % 50 == 0 ? JobOutcome.failed(.reset) : .completed(.made(isComplete: true))
                reporter.ended(download, outcome, after: .seconds(1))
            }
            reporter.makeRoom()
        }
        #expect(
            text.split(separator: "\n").map { String($0) }
                == ["050", "100", "150", "200"].map { "pawl: error: https://example.org/\($0): h: reset." })
    }

    @Test func `waiting files are counted with the connections in use, and the flag where that is the limit`() throws {
        func line(connections: Int, perHost: Int, _ obstacle: RunObstacle) throws -> String? {
            var run = RunProgress(total: 30)
            run.began(1, name: "a", at: .zero)
            var progress = DownloadProgress(state: .running(.downloading))
            progress.connections = (0..<connections).map {
                DownloadProgress.Connection(id: $0, position: 0, end: nil, bytesPerSecond: 1, host: "h")
            }
            run.update(1, progress: progress)
            run.obstacle = obstacle
            let words = try words("https://h/[1-30]", options: ["--per-host", "\(perHost)"])
            return words.line(for: run)
        }
        let limit = RunObstacle(.hostLimit, "h:443", count: 27)
        #expect(
            try line(connections: 8, perHost: 8, limit)
                == "0 of 30 files, 0 B, 0 B/s, 27 waiting: 8 connections to h:443 are in use (--per-host)")
        #expect(try line(connections: 3, perHost: 8, limit)?.hasSuffix("3 connections to h:443 are in use") == true)
        #expect(
            try line(connections: 1, perHost: 1, limit)?.hasSuffix("1 connection to h:443 is in use (--per-host)")
                == true)
        #expect(try line(connections: 0, perHost: 8, limit)?.hasSuffix("all connections to h:443 are in use") == true)
        #expect(
            try line(connections: 1, perHost: 8, RunObstacle(.fullDisk, "The disk is full."))?
                .hasSuffix("1 waiting: The disk is full.") == true)
    }

    @Test(arguments: [true, false])
    func `a log has lines of progress, unless they are unwanted`(_ showsProgress: Bool) throws {
        var descriptors: [Int32] = [0, 0]
        try #require(pipe(&descriptors) == 0)
        var reporter = PlainReporter(
            words: try words(), errors: OutputStream(descriptor: descriptors[1]), showsProgress: showsProgress)
        var run = RunProgress(total: 1)
        run.began(1, name: "disk.iso", at: .zero)
        run.update(1, progress: .halfway)
        reporter.tick(run, at: .seconds(10))
        reporter.remark("the end")
        close(descriptors[1])
        var bytes = [UInt8](repeating: 0, count: 1000)
        let count = read(descriptors[0], &bytes, bytes.count)
        close(descriptors[0])
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(
            text == (showsProgress ? "pawl: 50 %, 1.40 GiB of 2.79 GiB, 47.7 MiB/s, 31 s left\n" : "")
                + "pawl: the end\n")
    }

    @Test func `a line of progress in a log has percentage, bytes, rate and time left, or the reason for a wait`()
        throws
    {
        let words = try words()
        func line(_ progress: DownloadProgress) -> String? {
            var run = RunProgress(total: 1)
            run.began(1, name: "disk.iso", at: .zero)
            run.update(1, progress: progress)
            return words.line(for: run)
        }
        #expect(line(.halfway) == "50 %, 1.40 GiB of 2.79 GiB, 47.7 MiB/s, 31 s left")
        var waiting = DownloadProgress.halfway
        waiting.state = .waiting(.network(seconds: 3, reason: "h: reset."))
        #expect(line(waiting) == "50 %, 1.40 GiB of 2.79 GiB, waiting for the network: h: reset.")
        waiting.state = .waiting(.freshURL)
        #expect(
            line(waiting) == "50 %, 1.40 GiB of 2.79 GiB, waiting: The link has expired; fetching a fresh one.")
        // It was said when it was decided.
        waiting.state = .waiting(.backOff(seconds: 3, reason: "h: reset."))
        #expect(line(waiting) == nil)
        #expect(words.line(for: RunProgress(total: 1)) == nil)
    }

    // MARK: Several files

    @Test func `with several files, each line names its file or URL, and retries print nothing`() throws {
        let words = try words("https://example.org/a.iso", "https://example.org/b.iso")
        #expect(line(for: .changed(.validator), words)?.hasPrefix("a.iso: The file changed on the server") == true)
        #expect(line(for: .retrying(.reset, failures: 1, of: 9, until: .zero), words) == nil)
        #expect(
            lines(for: .failed(.reset), after: .zero, words) == ["pawl: error: https://example.org/a.iso: h: reset."])
        let telling = DownloadError(.notFound, "https://example.org/a.iso has no such file (404).", recovery: .giveUp)
        #expect(
            lines(for: .failed(telling), after: .zero, words) == [
                "pawl: error: https://example.org/a.iso has no such file (404)."
            ])
    }

    private func summary(_ words: GetWords, _ endings: [Int: JobOutcome], cause: StopCause? = nil) -> [String] {
        words.lines(for: RunEnding.of(words.get, endings, cause: cause).summary)
    }

    @Test func `the summary ends with the command that retries only the failed downloads`() throws {
        let words = try words("https://example.org/[1-3]", "https://example.org/d", options: ["-d", "my isos"])
        let done = JobOutcome.completed(.made(isComplete: true))
        #expect(
            summary(
                words, [1: done, 2: .failed(.reset), 3: .completed(.made(skipReason: .exists)), 4: .failed(.reset)])
                == [
                    "pawl: 2 of 4 files, 1 already existed, 2 failed; 1.00 KiB in 2.0 s, 512 B/s",
                    "pawl: To try those again:", "  pawl get -d 'my isos' https://example.org/2 https://example.org/d",
                ])
        #expect(
            summary(words, [1: done, 2: done, 3: done, 4: done]) == [
                "pawl: 4 of 4 files; 4.00 KiB in 2.0 s, 2.00 KiB/s"
            ])
    }

    @Test func `the summary of a long run lists the first 20 failures again, with their reasons`() throws {
        let words = try words("https://example.org/[01-60]")
        let endings = Dictionary(
            uniqueKeysWithValues: (1...60).map { id in
                (id, id > 25 ? JobOutcome.completed(.made(isComplete: true)) : .failed(.reset))
            })
        let lines = summary(words, endings)
        #expect(lines.count == 1 + 1 + 20 + 1 + 2)
        #expect(lines[2] == "  https://example.org/01: h: reset.")
        #expect(lines[22] == "  and 5 more")
        // Too many URLs to type again; the same command skips the existing files.
        #expect(lines.last == "  pawl get 'https://example.org/[01-60]'")
    }

    @Test func `listed failures are broken between words, and commands are not`() throws {
        let words = try words("https://example.org/[01-12]")
        let lost = JobOutcome.failed(
            DownloadError(.network, "The server closed the connection before it had sent all.", recovery: .retryNow))
        let run = RunEnding.of(words.get, Dictionary(uniqueKeysWithValues: (1...12).map { ($0, lost) }))
        let lines = words.lines(for: run.summary, columns: 40)
        #expect(
            lines[2] == """
                  https://example.org/01: The server
                    closed the connection before it had
                    sent all.
                """)
        #expect(lines.last == "  pawl get 'https://example.org/[01-12]'")
    }

    @Test func `of two URLs whose name an older file has, both are offered under other names`() throws {
        let words = try words("https://example.org/1/f", "https://example.org/2/f", "https://example.org/g")
        let clash = JobOutcome.failed(
            .fetch,
            .clash(
                TargetClash(kind: .bothExisted, other: JobFileID(1)), with: words.get.downloads[0].file, at: "f"),
            fetched: nil)
        let done = JobOutcome.completed(.made(isComplete: true))
        #expect(
            summary(words, [1: done, 2: clash, 3: done]).suffix(2) == [
                "pawl: To try those again:",
                "  pawl get --if-exists=rename https://example.org/1/f https://example.org/2/f",
            ])
    }

    private static func unknown(_ host: String) -> JobOutcome {
        .failed(
            DownloadError(
                .network, "\(HTTPURL.shown(host: host)) was not found: no such name.", recovery: .retryNow,
                facts: .init(unknownHost: host)))
    }

    @Test func `a host that is not found is told once, with the number of its files`() throws {
        let lost = Self.unknown("xn--bcher-kva.example")
        let long = try words("https://example.org/[01-24]", "https://example.org/x")
        let endings = (1...25).map { ($0, $0 == 25 ? JobOutcome.failed(.reset) : lost) }
        let lines = summary(long, Dictionary(uniqueKeysWithValues: endings))
        #expect(lines[0].hasPrefix("pawl: 0 of 25 files, 25 failed"))
        #expect(lines[1] == "pawl: Failed:")
        #expect(lines[2].hasPrefix("  24 files from bücher.example (xn--bcher-kva.example): bücher.example"))
        #expect(lines[3] == "  https://example.org/x: h: reset.")
        let short = try words("https://example.org/[1-4]", "https://example.org/x")
        let few = summary(short, [1: lost, 2: lost, 3: lost, 4: Self.unknown("other.example"), 5: .failed(.reset)])
        #expect(
            few[1] == "pawl: 2 more files from bücher.example (xn--bcher-kva.example) failed for the same reason.")
        #expect(few[2] == "pawl: To try those again:")
    }

    @Test(arguments: [true, false])
    func `reports print one error for a host that is not found`(_ isQuiet: Bool) throws {
        var descriptors: [Int32] = [0, 0]
        try #require(pipe(&descriptors) == 0)
        let words = try words("https://example.org/[1-4]")
        let errors = OutputStream(descriptor: descriptors[1])
        var reporter: any GetReporter =
            isQuiet ? QuietReporter(words: words, errors: errors) : PlainReporter(words: words, errors: errors)
        let lost = Self.unknown("nowhere.example")
        let endings: [Int: JobOutcome] = [1: lost, 2: lost, 3: .failed(.reset), 4: lost]
        for (number, outcome) in endings.sorted(by: { $0.key < $1.key }) {
            reporter.ended(words.get.downloads[number - 1], outcome, after: .zero)
        }
        reporter.finished(.of(words.get, endings))
        close(descriptors[1])
        var bytes = [UInt8](repeating: 0, count: 4000)
        let count = read(descriptors[0], &bytes, bytes.count)
        close(descriptors[0])
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(text.split(separator: "\n").count { $0.contains("was not found") } == 1, "\(text)")
        #expect(text.contains("h: reset") && text.contains("2 more files from nowhere.example failed"), "\(text)")
    }

    @Test func `the one error for a host names the first of its files, whichever failed first`() async throws {
        var descriptors: [Int32] = [0, 0]
        try #require(pipe(&descriptors) == 0)
        let get = try ResolvedGet.of(["https://nowhere.example/[1-3]", "-q"])
        let errors = OutputStream(descriptor: descriptors[1])
        let display = GetDisplay(get, Session(output: errors, errors: errors))
        await display.handle(.planned(get.downloads.files, repeated: 0))
        for number in [3, 1, 2] {
            await display.handle(.ended(JobFileID(number), Self.unknown("nowhere.example")))
        }
        _ = try await display.finish()
        close(descriptors[1])
        var bytes = [UInt8](repeating: 0, count: 4000)
        let count = read(descriptors[0], &bytes, bytes.count)
        close(descriptors[0])
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(text.contains("https://nowhere.example/1: "), "\(text)")
        #expect(!text.contains("https://nowhere.example/3"), "\(text)")
    }

    @Test func `the summary of a stopped run ends with the command that resumes it`() throws {
        let words = try words("https://example.org/[1-3]")
        var run = RunProgress(total: 3)
        for id in 1...2 { run.began(id, name: "", at: .zero) }
        run.update(2, progress: DownloadProgress(state: .paused, bytesStored: 1024, totalBytes: nil))
        let outcomes = [1: JobOutcome.completed(.made(isComplete: true)), 2: .stopped]
        for (id, outcome) in outcomes { run.ended(id, outcome) }
        let byID = Dictionary(uniqueKeysWithValues: outcomes.map { (JobFileID($0.key), $0.value) })
        #expect(
            words.lines(for: RunSummary(run, byID, elapsed: .seconds(2))) == [
                "pawl: 1 of 3 files, 2 stopped; 2.00 KiB in 2.0 s, 1.00 KiB/s", "pawl: Progress is saved. To resume:",
                "  pawl get 'https://example.org/[1-3]'",
            ])
    }

    @Test func `several downloads that cannot be resumed are not said to be saved`() throws {
        let words = try words("https://example.org/[1-2]")
        var run = RunProgress(total: 2)
        for id in 1...2 {
            run.began(id, name: "", at: .zero)
            var progress = DownloadProgress(state: .running(.downloading), bytesStored: 1024, totalBytes: nil)
            progress.canResume = false
            run.update(id, progress: progress)
            // Once it rests, nothing is known of the server's answers.
            run.update(id, progress: DownloadProgress(state: .paused, bytesStored: 1024, totalBytes: nil))
            run.ended(id, .stopped)
        }
        let lines = words.lines(
            for: RunSummary(run, [JobFileID(1): .stopped, JobFileID(2): .stopped], elapsed: .seconds(2)))
        #expect(
            lines.dropFirst() == [
                "pawl: The downloads may have to start over. To run it again:",
                "  pawl get 'https://example.org/[1-2]'",
            ])
    }

    @Test func `what fails because a name is taken gets a command of its own, and what stays unchanged gets none`()
        throws
    {
        let taken = JobOutcome.failed(
            DownloadError(.locked, "It is in use.", remedies: [.renameIfExists], recovery: .giveUp))
        let unequal = JobOutcome.failed(
            DownloadError(
                .digestMismatch, "It does not match.", remedies: [.checkDigest, .replaceExisting], recovery: .giveUp))
        let words = try words("https://example.org/[1-4]")
        let lines = summary(words, [1: taken, 2: .failed(.reset), 3: unequal, 4: .completed(.made(isComplete: true))])
        #expect(
            lines.dropFirst() == [
                "pawl: To try those again:", "  pawl get https://example.org/2",
                "  pawl get --if-exists=rename https://example.org/1",
            ])
        #expect(
            summary(words, [1: .completed(.made()), 2: .completed(.made()), 3: unequal, 4: .completed(.made())]).count
                == 1)
    }

    /// Whichever option was given: by it the same would fail again, or one would replace the other's file.
    @Test(arguments: ["fail", "replace", "skip"])
    func `M17 the retry command of URLs that share a name renames, and fetches the file that is missing`(
        _ policy: String
    ) throws {
        let urls = ["https://example.org/1/f", "https://example.org/2/f", "https://example.org/g"]
        let words = try words(urls[0], urls[1], urls[2], options: ["--if-exists", policy])
        let files = words.get.downloads.map(\.file)
        let done = JobOutcome.completed(.made(isComplete: true))
        func replaced(_ other: Int) -> JobOutcome {
            .failed(
                .fetch,
                .clash(
                    TargetClash(kind: .replacedOther, other: JobFileID(other)), with: files[other - 1], at: "f"),
                fetched: nil)
        }
        let exists = JobOutcome.failed(
            DownloadError(.fileExists, "It exists.", remedies: [.decideIfExists, .chooseName], recovery: .giveUp))
        let endings: [(JobOutcome, String)] = [
            (exists, urls[1]), (.failed(.reset), urls[1]), (replaced(1), urls[0]),
        ]
        for (ending, url) in endings {
            #expect(
                summary(words, [1: done, 2: ending, 3: done]).last == "  pawl get --if-exists=rename \(url)",
                "\(ending)")
        }
        #expect(
            summary(words, [1: .failed(.reset), 2: .failed(.reset), 3: .failed(.reset)]).suffix(2) == [
                "  pawl get --if-exists \(policy) https://example.org/g",
                "  pawl get --if-exists=rename https://example.org/1/f https://example.org/2/f",
            ])
    }

    /// The command shows no query, and does not mistake a flag's value for a URL.
    @Test func `a retry command contains no secret and keeps the meaning of the arguments`() throws {
        func last(_ urls: [String], _ options: [String], after error: DownloadError = .reset) throws -> String? {
            let get = try ResolvedGet.of(urls + options)
            let words = GetWords(
                get: get, style: DisplayStyle(locale: .utf8, isColoured: false),
                command: ["pawl", "get"] + urls + options)
            return summary(words, [1: .failed(error), 2: .completed(.made(isComplete: true))]).last
        }
        let secret = try last(["https://example.org/a?key=1", "https://example.org/b"], [])
        #expect(secret == "pawl: To try those again, run it again with the same URLs: existing files are skipped.")
        for options in [
            ["--header", "A: b"], ["--checksum-file", "https://h/sums?key=1"],
            ["--metalink", "https://h/m.meta4?key=1"],
        ] {
            #expect(try last(["https://example.org/a", "https://example.org/b"], options) == secret, "\(options)")
        }
        #expect(
            try last(["https://example.org/{a}", "https://example.org/b"], ["--no-glob"])
                == "  pawl get --no-glob 'https://example.org/{a}'")
        #expect(
            try last(["https://example.org/\\[a\\]", "https://example.org/b"], [])
                == "  pawl get 'https://example.org/\\[a\\]'")
        let taken = DownloadError(.locked, "It is in use.", remedies: [.renameIfExists], recovery: .giveUp)
        #expect(
            try last(["https://example.org/{a,b}"], [], after: taken)
                == "  pawl get --if-exists=rename https://example.org/a")
        #expect(
            try last(["--", "https://example.org/{a,b}"], [], after: taken)
                == "  pawl get --if-exists=rename -- https://example.org/a")
        #expect(try last(["https://example.org/{a,b}?c=1"], [], after: taken)?.contains("--if-exists rename") == true)
        for policy in [["--if-exists", "replace"], ["--if-exists=skip"]] {
            #expect(
                try last(["https://example.org/{a,b}"], policy, after: taken)
                    == "  pawl get --if-exists=rename https://example.org/a")
        }
        for name in [["-o", "part #1"], ["-opart #1"], ["--output", "part #1"], ["--output=part #1"]] {
            #expect(
                try last(["https://example.org/[1-2]"], ["-q"] + name)
                    == "  pawl get -q '--output=part 1' https://example.org/1")
        }
    }
}

extension DownloadResult {
    fileprivate static func made(isComplete: Bool = false, skipReason: SkipReason? = nil) -> DownloadResult {
        var facts = FinishedFacts(fileName: "a.txt", byteCount: 1024, finalURL: "https://example.org/a.txt")
        (facts.isComplete, facts.skipReason) = (isComplete, skipReason)
        return DownloadResult(facts, in: ".")
    }
}
