import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import PawlOptions
import Testing

@Suite struct `Options of aria2` {
    private func options(_ json: JSONValue, _ calls: Aria2Option.Calls = .adding) throws -> Aria2Options {
        try Aria2Options(json, takenBy: calls)
    }

    @Test func `each option has a name of its own, in order, and takes its own initial value`() throws {
        let names = Aria2Option.all.map(\.name)
        #expect(names == names.sorted())
        #expect(Set(names).count == names.count)
        for option in Aria2Option.all {
            guard let initial = option.initial else { continue }
            #expect(try option.value(of: initial) == initial, "\(option.name)")
        }
    }

    /// Options for the program that is started, in which a new option of aria2 is not to land by itself.
    private static let ofProgram = """
        all-proxy all-proxy-passwd all-proxy-user ca-certificate certificate check-certificate conf-path \
        connect-timeout console-log-level daemon disable-ipv6 download-result enable-color enable-rpc \
        follow-metalink force-save force-sequential help http-proxy http-proxy-passwd http-proxy-user https-proxy \
        https-proxy-passwd https-proxy-user human-readable input-file interface load-cookies log log-level \
        max-concurrent-downloads max-download-result max-overall-download-limit metalink-file netrc-path no-conf \
        no-netrc no-proxy on-download-complete on-download-error on-download-pause on-download-start \
        on-download-stop parameterized-uri private-key quiet rpc-allow-origin-all rpc-certificate rpc-listen-all \
        rpc-listen-port rpc-private-key rpc-secret rpc-secure save-cookies save-not-found save-session \
        save-session-interval select-file show-console-readout stderr stop stop-with-process summary-interval \
        truncate-console-readout version
        """

    @Test func `each option is one of a job, of the program, or has a reason in the table`() {
        let program = Aria2Option.all.filter { if case .program = $0.meaning { true } else { false } }
        #expect(program.map(\.name) == Self.ofProgram.split(separator: " ").map(String.init))
        for name in Aria2Rest.all.flatMap(\.names) {
            #expect(Aria2Option.index(of: name) != nil, "\(name) is no option of aria2")
            #expect(ListOptions.option(name) == nil, "\(name) has a meaning, and a reason for having none")
        }
    }

    @Test func `each option of a job with a name of aria2's means the same as aria2's`() {
        for option in ListOptions.all {
            for name in option.aria2 { #expect(Aria2Option.index(of: name) != nil, "\(name)") }
            #expect(
                Aria2Option.index(of: option.name) == nil || option.aria2.contains(option.name),
                "\(option.name) of aria2 would be read as another option")
        }
    }

    @Test(arguments: [
        ("min-split-size", "1M", "1048576"), ("min-split-size", "1048576", "1048576"),
        ("max-download-limit", "20k", "20480"),
        ("max-download-limit", "0", "0"), ("split", "007", "7"), ("continue", "true", "true"),
        ("seed-ratio", "0.5", "0.5"),
        ("file-allocation", "none", "none"),
        ("checksum", "SHA-1=" + String(repeating: "0", count: 40), "sha-1=" + String(repeating: "0", count: 40)),
    ])
    func `a value is kept as aria2 keeps it`(_ name: String, _ text: String, _ value: String) throws {
        let index = try #require(Aria2Option.index(of: name))
        #expect(try Aria2Option.all[index].value(of: text) == value)
    }

    @Test(arguments: [
        ("min-split-size", "1K"), ("min-split-size", "2G"), ("max-download-limit", "-1"),
        ("max-download-limit", "9999999999999M"), ("split", "0"), ("split", ""),
        ("split", "1.5"), ("max-connection-per-server", "17"), ("continue", "yes"), ("continue", "TRUE"),
        ("seed-ratio", "nan"), ("seed-ratio", "-1"),
        ("file-allocation", "some"), ("checksum", "sha-1=0"), ("checksum", "crc=00"), ("checksum", "0"),
    ])
    func `a value that aria2 refuses is refused in its words`(_ name: String, _ text: String) throws {
        let index = try #require(Aria2Option.index(of: name))
        let problem = #expect(throws: Aria2Option.Problem.self) { try Aria2Option.all[index].value(of: text) }
        #expect(problem?.message == "We encountered a problem while processing the option '--\(name)'.")
    }

    @Test func `a call takes texts for its own options, and lists where an option may be given several times`() throws {
        let given = try options([
            "header": ["A: 1", 3, "B: 2"], "out": ["x"], "split": 3, "daemon": "true", "nothing": "1", "pause": "true",
            "dir": "/d",
        ])
        #expect(given["header"] == "A: 1\nB: 2")
        #expect(given.lines("header") == ["A: 1", "B: 2"])
        #expect(given.json == ["dir": "/d", "header": "A: 1\nB: 2", "pause": "true"])
        #expect(
            try options(["pause": "true", "max-download-limit": "1K", "log": "x"], .global).json == [
                "log": "x", "max-download-limit": "1024",
            ])
        #expect(
            try options(["out": "x", "split": "2", "max-download-limit": "5"], .changing).json == [
                "max-download-limit": "5"
            ])
    }

    @Test func `what is nearer holds, and secrets are not told`() throws {
        let near = try options(["split": "2", "http-passwd": "secret"])
        let far = try options(["split": "7", "timeout": "9"])
        let all = near.over(far).over(.initial)
        #expect((all["split"], all["timeout"], all["max-tries"]) == ("2", "9", "5"))
        #expect(all["http-passwd"] == "secret")
        #expect(!all.json.encoded.contains("secret"))
    }

    @Test func `aria2's tries and countries become those of a job, as far as there are such`() throws {
        func job(_ name: String, _ value: String) throws -> JobSpec {
            try JobSpec(aria2: ["http://a.example/x"], try options([name: .string(value)]))
        }
        for (tries, retries) in [("0", 1_000_000), ("1", 0), ("5", 4), ("9223372036854775807", 1_000_000)] {
            #expect(try job("max-tries", tries).options.maximumRetries == retries, "\(tries)")
        }
        for (list, countries) in [("DE, us", ["de", "us"]), ("Germany,at,,d1", ["at"]), ("", []), (",", [])] {
            let job = try job("metalink-location", list)
            #expect(job.options.preferredLocations == countries, "\(list)")
            try job.checked()
        }
    }

    @Test func `options become a job`() throws {
        let given = try options([
            "out": "name", "split": "8", "max-connection-per-server": "4", "max-download-limit": "1M",
            "header": ["A: 1", "B:2"], "referer": "*",
            "user-agent": "me", "http-user": "u", "http-passwd": "p",
            "checksum": .string("md5=" + String(repeating: "0", count: 32)), "remote-time": "true", "continue": "true",
        ])
        let job = try JobSpec(aria2: ["http://a.example/x", "magnet:?x", "https://b.example/x"], given)
        var expected = JobSpec(.url("http://a.example/x", mirrors: [Mirror("https://b.example/x")]))
        expected.fileName = "name"
        (expected.headers, expected.referer, expected.userAgent) = (
            [HTTPField("A", "1"), HTTPField("B", "2")], "http://a.example/x", "me"
        )
        expected.authentication = .password(name: "u", .value("p"))
        expected.options.maximumConnections = 4
        expected.options.maximumBytesPerSecond = 1 << 20
        expected.options.digest = try Digest(parsing: "md5:" + String(repeating: "0", count: 32))
        (expected.options.keepsRemoteTime, expected.options.adoptsPartialFile) = (true, true)
        expected.ifExists = .rename
        #expect(job == expected)
    }

    @Test(arguments: [
        ("allow-overwrite", "true", ExistingFilePolicy.replace), ("auto-file-renaming", "false", .fail),
        ("auto-file-renaming", "true", .rename),
        ("split", "2", .rename), ("conditional-get", "true", .rename),
    ])
    func `what happens to an existing file`(_ name: String, _ value: String, _ policy: ExistingFilePolicy) throws {
        #expect(try JobSpec(aria2: ["http://a.example/x"], options([name: .string(value)])).ifExists == policy)
    }

    @Test func `V23 only allow-overwrite lets conditional-get replace a file`() throws {
        func job(_ given: JSONValue) throws -> JobSpec {
            var job = try JobSpec(aria2: ["http://a.example/x"], options(given))
            try job.set(options(["conditional-get": "true"]))
            return job
        }
        #expect(try job(["split": "2"]).ifExists == .rename)
        #expect(try job(["auto-file-renaming": "false"]).ifExists == .fail)
        #expect(try job(["allow-overwrite": "true"]).ifExists == .replace)
        #expect(try job(["allow-overwrite": "true", "auto-file-renaming": "false"]).ifExists == .replace)
        let resuming = try job(["continue": "true"])
        #expect(resuming.options.onlyIfNewer && !resuming.options.adoptsPartialFile && resuming.options.problem == nil)
    }

    @Test func `V23 a change of one option for existing files keeps the other`() throws {
        var job = try JobSpec(
            aria2: ["http://a.example/x"], options(["allow-overwrite": "true", "auto-file-renaming": "false"]))
        try job.set(options(["auto-file-renaming": "true"]))
        #expect(job.ifExists == .replace)
        var strict = try JobSpec(aria2: ["http://a.example/x"], options(["auto-file-renaming": "false"]))
        try strict.set(options(["allow-overwrite": "false", "conditional-get": "true"]))
        #expect(strict.ifExists == .fail)
    }

    @Test func `a job keeps what is not given anew`() throws {
        var job = try JobSpec(
            aria2: ["http://a.example/x"],
            options([
                "out": "name", "referer": "*", "checksum": .string("md5=" + String(repeating: "0", count: 32)),
                "header": ["A: 1"],
            ]))
        let before = job
        try job.set(options(["remote-time": "true"]))
        var expected = before
        expected.options.keepsRemoteTime = true
        #expect(job == expected)
        try job.set(options(["header": ["B: 2"], "referer": "", "out": "other"]))
        #expect((job.headers, job.referer, job.fileName) == ([HTTPField("B", "2")], nil, "other"))
    }

    @Test func `what is not HTTP is refused by its scheme alone`() throws {
        let problem = #expect(throws: JobSpec.Aria2Problem.self) {
            try JobSpec(aria2: ["ftp://user:secret@host/x"], Aria2Options())
        }
        #expect(problem?.message.contains("ftp") == true)
        #expect(problem?.message.contains("secret") == false)
    }

    @Test func `each error has a number that aria2 has`() {
        for code in DownloadError.Code.all {
            #expect((1...32).contains(Aria2Status.number(of: code.rawValue)), "\(code)")
        }
        #expect(Aria2Status.number(of: "nothing") == 1)
        #expect(Aria2Status.number(of: DownloadError.Code.notFound.rawValue) == 3)
    }
}
