import Pawl
import PawlAria2
import PawlCore
import PawlJobs
import Testing

@Suite struct `Start of aria2c` {
    /// With these files, each a text.
    private func start(
        _ words: [String], files: [String: String] = [:], environment: [String: String] = [:]
    ) throws -> Aria2Invocation {
        let environment = Aria2Environment(
            variable: { environment[$0] }, home: "/h", currentDirectory: "/here", isFile: { files[$0] != nil },
            readFile: { (path) throws(Aria2Failure) in
                guard let text = files[path] else { throw Aria2Failure("missing") }
                return text
            },
            readList: { (name) throws(DownloadList.Problem) in
                guard let text = files[name] else { throw DownloadList.Problem(line: 0, message: "missing") }
                return try DownloadList(parsing: Array(text.utf8)).entries
            })
        var invocation = try Aria2Invocation(try Aria2CommandLine(words, home: "/h"), environment)
        try invocation.readDownloads()
        return invocation
    }

    private func status(_ words: [String], files: [String: String] = [:]) -> Int? {
        do {
            _ = try start(words, files: files)
            return nil
        } catch {
            return (error as? Aria2Failure)?.status
        }
    }

    @Test func `URIs are of one file, and with -Z of one each`() throws {
        #expect(
            try start(["http://a/x", "http://b/x", "-oname"]).downloads.map(\.source) == [
                .urls(["http://a/x", "http://b/x"])
            ])
        let each = try start(["http://a/x", "http://b/y", "-Z", "-oname"])
        #expect(each.downloads.map(\.source) == [.urls(["http://a/x"]), .urls(["http://b/y"])])
        #expect(each.downloads.allSatisfy { $0.options["out"] == nil })
    }

    @Test func `patterns are patterns with -P only`() throws {
        #expect(
            try start(["-P", "http://{a,b}/x[1-2]"]).downloads.map(\.source) == [
                .urls(["http://a/x1", "http://a/x2", "http://b/x1", "http://b/x2"])
            ])
        #expect(try start(["http://a/x[1-2]"]).downloads.map(\.source) == [.urls(["http://a/x[1-2]"])])
    }

    @Test func `a list has names, GIDs and options of its own, beneath those of the command line`() throws {
        let list =
            "http://a/x\thttp://b/x\n out=name\n gid=00000000000000ab\n split=2\n enable-rpc=true\n nonsense=1\nhttp://c/y\nftp://d/z\n"
        let start = try start(["-iL", "-s7", "-oother", "--pause"], files: ["L": list])
        #expect(start.downloads.map(\.source) == [.urls(["http://a/x", "http://b/x"]), .urls(["http://c/y"])])
        #expect(start.downloads[0].gid.text == "00000000000000ab")
        #expect(start.downloads[0].own.json == ["gid": "00000000000000ab", "out": "name", "split": "2"])
        #expect(start.downloads[0].options["split"] == "2")
        #expect(start.downloads[1].options["split"] == "7")
        #expect(start.downloads[1].options["out"] == nil)
        #expect(
            start.failed.count == 1 && start.failed[0].failure.message.contains("line 8")
                && !start.failed[0].failure.message.contains("//d/z"))
        #expect(start.failed[0].download.entry.urls == ["ftp://d/z"])
        #expect(start.failed[0].download.row(start.failed[0].failure).path == "n/a")
        #expect(start.remarks.count == 1 && start.remarks[0].contains("nonsense"))
        #expect(start.options["pause"] == nil && start.options["input-file"] == nil)
    }

    @Test func `what holds for all is refused for one, and what cannot be met is told of lists too`() throws {
        #expect(status(["-iL"], files: ["L": "http://a/x\n all-proxy=http://p\n"]) == 28)
        #expect(
            status(["-iL", "--all-proxy=http://p"], files: ["L": "http://a/x\n all-proxy=http://p\n no-netrc=false\n"])
                == nil)
        #expect(
            try start(["-iL", "--retry-wait=3"], files: ["L": "http://a/x\n retry-wait=4\n lowest-speed-limit=1K\n"])
                .remarks.count == 2)
    }

    @Test func `-Z, -P and a checksum hold for lists`() throws {
        let code = "sha-1=" + String(repeating: "0", count: 40)
        let each = try start(["-iL", "-Z", "-P", "--checksum=\(code)"], files: ["L": "http://a/x[1-2]\n"])
        #expect(each.downloads.map(\.source) == [.urls(["http://a/x1"]), .urls(["http://a/x2"])])
        #expect(each.downloads.allSatisfy { $0.options["checksum"] == code })
        #expect(throws: JobSpec.Aria2Problem.self) {
            try start(["--checksum=\(code)", "http://a/x.meta4"]).downloads[0].spec(else: "/")
        }
    }

    @Test func `header fields of the configuration are sent with those of the command line`() throws {
        let start = try start(["--header=B: 2", "http://a/x"], files: ["/h/.aria2/aria2.conf": "header=A: 1\n"])
        #expect(start.options.lines("header") == ["A: 1", "B: 2"])
    }

    @Test func `what no list can have is left out of a session`() {
        var options = Aria2Options()
        (options["out"], options["user-agent"]) = ("a\u{1}b", "me")
        let text = Aria2Session.text([
            .init(
                urls: ["http://a/x", "http://a/\u{7F}", String(repeating: "u", count: 65_500), "http://b/x"],
                gid: GID("00000000000000ab")!, isPaused: false, options: options),
            .init(urls: ["\n"], gid: GID("00000000000000ac")!, isPaused: false, options: options),
        ])
        #expect(text == "http://a/x\thttp://b/x\n gid=00000000000000ab\n user-agent=me\n")
    }

    @Test func `the command line comes before the environment, and that before the configuration`() throws {
        let files = ["/h/.aria2/aria2.conf": "split=3\nall-proxy=http://conf\nhttp-proxy=http://conf\nodd=1"]
        let start = try start(
            ["--all-proxy=http://line", "http://a/x"], files: files,
            environment: ["all_proxy": "http://env", "http_proxy": "http://env"])
        #expect(
            (start.options["split"], start.options["all-proxy"], start.options["http-proxy"]) == (
                "3", "http://line", "http://env"
            ))
        #expect(start.remarks.count == 1 && start.remarks[0].contains("line 4"))
        #expect(try self.start(["--no-conf", "http://a/x"], files: files).options["split"] == nil)
        #expect(status(["--conf-path=/none", "http://a/x"]) == 1)
        #expect(status(["http://a/x"], files: ["/h/.aria2/aria2.conf": "split=0"]) == 28)
    }

    @Test func `options that cannot be met are told once and together, and none that ask for nothing`() throws {
        let start = try start([
            "--max-file-not-found=3", "--retry-wait=2", "--lowest-speed-limit=0", "--file-allocation=none",
            "--min-split-size=1M", "--bt-max-peers=3", "http://a/x",
        ])
        #expect(start.remarks.count == 1)
        #expect(start.remarks[0].contains("--max-file-not-found, --retry-wait:"))
        #expect(try self.start(["--max-tries=5", "--check-integrity=false", "http://a/x"]).remarks.isEmpty)
        #expect(try self.start(["--metalink-location=DE, us", "http://a/x"]).remarks.isEmpty)
        let countries = try self.start(["--metalink-location=de,Germany", "http://a/x"])
        #expect(countries.remarks.count == 1 && countries.remarks[0].contains("“Germany”"))
        #expect(try countries.downloads[0].spec(else: "/").options.preferredLocations == ["de"])
    }

    @Test(
        arguments: [
            (["--torrent-file=x"], 28), (["--dry-run", "http://a/x"], 28),
            (["--hash-check-only=true", "http://a/x"], 28), (["--dry-run=false", "http://a/x"], nil),
            (["--min-tls-version=TLSv1.3", "http://a/x"], 28), (["--min-tls-version=TLSv1.1", "http://a/x"], nil),
            ([], 1), (["magnet:?x"], 1), (["ftp://a/x"], 1),
            (["http://a/x", "magnet:?x"], 1), (["--gid=0", "http://a/x"], 1),
            (["--gid=00000000000000ab", "-Z", "http://a/x", "http://a/y"], 1),
            (["--enable-rpc"], nil), (["--enable-rpc", "--rpc-listen-all"], 28),
            (["--enable-rpc", "--rpc-allow-origin-all"], 28),
            (["--enable-rpc", "--rpc-listen-all", "--rpc-secret=s"], nil), (["--enable-rpc", "--rpc-user=u"], 28),
            (["-inone"], 1), (["--out=x/", "http://a/x"], nil),
        ] as [([String], Int?)])
    func `what would change what users get is refused`(_ words: [String], _ expected: Int?) {
        #expect(status(words) == expected)
    }

    @Test func `Metalinks are local files, named by an option, or URLs that end so`() throws {
        let files = ["m": "<?xml version=\"1.0\"?>", "n": "no"]
        #expect(try start(["m"], files: files).downloads.map(\.source) == [.metalink("m")])
        #expect(try start(["-Mm"], files: files).downloads.map(\.source) == [.metalink("m")])
        #expect(try start(["http://a/x.meta4"]).downloads.map(\.source) == [.metalink("http://a/x.meta4")])
        #expect(
            try start(["--follow-metalink=false", "http://a/x.meta4"]).downloads.map(\.source) == [
                .urls(["http://a/x.meta4"])
            ])
        #expect(status(["n"], files: files) == 1)
        let spec = try start(["-Mm", "--select-file=1-3,7", "-ox"], files: files).downloads[0].spec(else: "/here")
        #expect(spec.source == .metalink("m", select: ["1", "2", "3", "7"]))
        #expect(spec.fileName == nil)
    }

    @Test(
        arguments: [
            ([], "/here", nil), (["-d/d/"], "/d/", nil), (["-d/d/", "-oa"], "/d", "a"), (["-oa/b/c"], "/here/a/b", "c"),
            (["-o/a//b"], "/here/a", "b"), (["-d", "rel", "-o./x"], "rel", "x"),
        ] as [([String], String, String?)])
    func `a file goes beneath the directory, whatever its name`(
        _ words: [String], _ directory: String, _ name: String?
    ) throws {
        let spec = try start(words + ["http://a/x"]).downloads[0].spec(else: "/here")
        #expect((spec.directory, spec.fileName) == (directory, name))
    }

    @Test func `a session is a list that says the same again`() throws {
        let list =
            "http://a/x\thttp://b/x\n gid=00000000000000ab\n pause=true\n header=A: 1\n header=B: 2\n out=name\nhttp://c/y\n gid=00000000000000ac\n"
        let start = try start(["-iL"], files: ["L": list])
        let text = Aria2Session.text(
            start.downloads.map { download in
                guard case .urls(let urls) = download.source else {
                    return .init(urls: [], gid: download.gid, isPaused: false, options: download.own)
                }
                return .init(
                    urls: urls, gid: download.gid, isPaused: download.options.isTrue("pause"), options: download.own)
            })
        #expect(text == list)
    }

    @Test(arguments: ["--all-proxy=socks4://u:secret@h:1080", "--http-proxy=socks4a://u:secret@h"])
    func `N36 a SOCKS 4 proxy is refused with what to give instead`(option: String) throws {
        let start = try start([option, "http://a/x"])
        var configuration = Downloader.Configuration()
        #expect {
            try configuration.set(start.options, reading: NamedFiles(), home: "/h") { _ in false }
        } throws: { error in
            let message = (error as? Aria2Failure)?.message ?? ""
            return message == ProxyParseError.oldSOCKS.message && message.contains("socks5://")
        }
    }

    @Test func `proxies have their passwords from options of their own`() throws {
        var configuration = Downloader.Configuration()
        let start = try start([
            "--all-proxy=proxy:3128", "--all-proxy-user=me@x", "--all-proxy-passwd=p/q", "--no-proxy=a.example",
            "http://a/x",
        ])
        try configuration.set(start.options, reading: NamedFiles(), home: "/h") { _ in false }
        #expect(configuration.proxies == (try ProxySettings("http://me%40x:p%2Fq@proxy:3128", exceptFor: "a.example")))
        #expect(
            try {
                var plain = Downloader.Configuration();
                try plain.set(try self.start(["http://a/x"]).options, reading: NamedFiles(), home: "/h") { _ in false };
                return plain.proxies == ProxySettings()
            }())
    }
}
