import Pawl
import PawlArchive
import PawlCore
import PawlEngine
import PawlJobs
import PawlOptions
import Testing

@testable import PawlCLI

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct GetPlannerTests {
    private func message(_ words: String..., lists: [String: String] = [:]) -> String {
        do {
            _ = try ResolvedGet.of(words, lists: lists)
            return "nothing is wrong"
        } catch let error as UsageError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    #if !canImport(Darwin)
    @Test func `hosts in letters outside ASCII are written in ASCII, on the command line and in lists`() throws {
        let get = try ResolvedGet.of(
            ["http://bücher.example/[1-2]", "-i", "list", "--referer", "https://bücher.example/ü"],
            lists: ["list": "https://me:pw@BÜCHER.example/c\thttps://faß.de/c\n"])
        let requests = get.downloads.map(\.request)
        #expect(
            requests.map(\.url) == [
                "http://xn--bcher-kva.example/1", "http://xn--bcher-kva.example/2",
                "https://me:pw@xn--bcher-kva.example/c",
            ])
        #expect(requests[2].mirrors.map(\.url) == ["https://xn--fa-hia.de/c"])
        #expect(requests[0].referer == "https://xn--bcher-kva.example/ü")
    }

    @Test func `a host that is no name is refused`() {
        #expect(message("http://evil／x.example/").contains("IDNA 2008"))
        #expect(message("https://h/a", "--mirror", "http://☕.example/").contains("IDNA 2008"))
    }
    #endif

    @Test func `only whole files are unpacked: a range from the command line or a list is refused`() {
        #expect(
            message("https://h/a", "--extract", "--range", "0-9").hasPrefix(
                "--extract and --range: Only whole files can be unpacked"))
        #expect(
            message("--extract", "-i", "l", lists: ["l": "https://h/a\n range=0-9\n"]).contains(
                "Only whole files can be unpacked"))
    }

    // MARK: URLs

    @Test func `a pattern makes several downloads, each with its own name`() throws {
        let get = try ResolvedGet.of(["https://h/{a,b}/[01-02].bin", "-o", "out/#1-#2.bin", "-d", "x"])
        #expect(
            get.downloads.map(\.request.url) == [
                "https://h/a/01.bin", "https://h/a/02.bin", "https://h/b/01.bin", "https://h/b/02.bin",
            ])
        #expect(get.downloads.map(\.request.fileName) == ["a-01.bin", "a-02.bin", "b-01.bin", "b-02.bin"])
        #expect(get.downloads.allSatisfy { $0.request.directory == "x/out" })
        #expect(get.downloads.map(\.id.number) == [1, 2, 3, 4])
        #expect(
            try ResolvedGet.of(["--no-glob", "https://h/{a,b}", "-o", "#1"]).downloads.map(\.request.fileName) == ["#1"]
        )
    }

    /// With several files, repeating the command fetches the missing ones. A single file has a different default.
    @Test func `with several URLs an existing file is skipped by default, and with one URL it is an error`() throws {
        #expect(try ResolvedGet.of(["https://h/a"]).request.options.existingFilePolicy == .fail)
        #expect(
            try ResolvedGet.of(["https://h/a", "https://h/b"]).downloads.map(\.request.ifExists) == [.skip, .skip])
        #expect(
            try ResolvedGet.of(["https://h/a", "https://h/b", "--if-exists", "fail"]).downloads.map(\.request.ifExists)
                == [.fail, .fail])
    }

    @Test func `a URL given twice is fetched once`() throws {
        let get = try ResolvedGet.of(["https://h/a", "https://h/b", "https://h/a"])
        #expect(get.downloads.map(\.request.url) == ["https://h/a", "https://h/b"])
        #expect(get.downloads.map(\.id.number) == [1, 2])
        #expect(get.remarks == ["One URL was given twice and is downloaded once."])
    }

    @Test func `two files under one name are an error before any fetch`() throws {
        let list = "https://h/a\n out=x\nhttps://h/b?secret=1\n out=x\n"
        #expect(
            message("-i", "l", lists: ["l": list]).hasPrefix(
                "Two URLs would be saved as “x”: https://h/a and https://h/b?secret=…."))
        #expect(try ResolvedGet.of(["-i", "l", "--if-exists", "rename"], lists: ["l": list]).downloads.count == 2)
        #expect(
            try ResolvedGet.of(["-i", "l"], lists: ["l": list.replacing("?secret=1\n", with: "\n dir=y\n")]).downloads
                .count == 2)
        #expect(message("https://h/a", "https://h/b", "-o", "x").hasPrefix("-o “x” names one file, but 2 are given."))
        #expect(message("https://h/[1-3]", "-o", "x").hasPrefix("-o “x” names one file, but 3 are given."))
        #expect(message("https://h/[1-3]", "-o", "#2").hasPrefix("“#2” refers to no pattern"))
    }

    @Test func `an invalid pattern is reported with the flag that turns patterns off`() {
        #expect(message("https://h/[ab-cd]").hasSuffix("[a-f] and {one,two}. --no-glob takes the URL literally."))
        #expect(message("https://h/[0-100000]").hasSuffix("more than 100000 URLs. --no-glob takes the URL literally."))
    }

    @Test func `what stands behind a URL by mistake is told from a URL`() {
        #expect(message("https://h/my", "space.txt").hasSuffix(" put that URL in quotes."))
        #expect(
            message("https://h/a", "minutes")
                == "“minutes” is not a URL. Write a time without a space, such as 30s, 5m or 2h.")
        #expect(message("[disk](https://h/a)") == "This is a link in Markdown; give only the URL in its parentheses.")
    }

    @Test(arguments: [
        ("out.bin", "“out.bin” has no scheme"), ("/etc/hostname", "-i /etc/hostname"),
        ("user:secret@host/f", "The scheme"), ("host/?key=secret", "The URL"),
    ])
    func `an argument that is no URL is named, unless it may hold a secret`(argument: String, words: String) {
        #expect { try ResolvedGet.of(["https://example.org/a", argument]) } throws: { error in
            let message = (error as? UsageError)?.message ?? ""
            return message.contains(words) && message.contains("https") && !message.contains("secret")
        }
    }

    @Test func `a flag that suits only one file is refused for several`() {
        let digest = GetCommandTests.emptySHA256
        #expect(
            message("https://h/a", "https://h/b", "--checksum", digest).hasPrefix("--checksum applies to one file."))
        #expect(message("https://h/a", "--checksum", digest) == "nothing is wrong")
    }

    @Test func `a command with nothing to fetch fails with the reason`() {
        #expect(message() == "No URL is given. Give one, or a list of URLs with -i, or a Metalink with --metalink.")
        #expect(message("-i", "l", lists: ["l": "# empty\n"]) == "The list contains no URLs.")
        #expect(message("https://h/[9-1]").contains("“[9-1]” in the URL is not a range."))
        #expect(message("nonsense") != "nothing is wrong")
    }

    @Test(arguments: [("-j", "0"), ("-j", "101"), ("--per-host", "0"), ("--per-host", "-1")])
    func `numbers outside their range are refused`(flag: String, value: String) {
        #expect(message("https://h/a", flag, value).contains("1 to 100"))
    }

    // MARK: Lists

    @Test func `a list entry's options override those of the command line`() throws {
        let list = """
            https://h/a\thttps://m/a
              out=first.iso
              dir=/srv
              checksum=sha-256=\(GetCommandTests.emptySHA256.dropFirst(8))
              split=3
              max-download-limit=2M
              header=X: y
              allow-overwrite=true
              auto-file-renaming=false
              gid=0123456789abcdef
            https://h/b
              checksum=\(GetCommandTests.emptySHA256)
            https://h/c
            """
        let get = try ResolvedGet.of(["-i", "l", "-x", "4", "--header", "A: b", "-d", "here"], lists: ["l": list])
        let (a, b, c) = (get.downloads[0].request, get.downloads[1].request, get.downloads[2].request)
        #expect(a.url == "https://h/a" && a.mirrors.map(\.url) == ["https://m/a"])
        #expect(a.fileName == "first.iso" && a.directory == "/srv")
        #expect(a.digest?.description == GetCommandTests.emptySHA256 && b.digest == a.digest && c.digest == nil)
        #expect(a.maximumConnections == 3 && b.maximumConnections == 4)
        #expect(a.maximumBytesPerSecond == 2 << 20 && b.maximumBytesPerSecond == nil)
        #expect(a.headers.map(\.name) == ["A", "X"] && b.headers.map(\.name) == ["A"])
        #expect(a.ifExists == .replace && b.ifExists == .skip)
        #expect(b.directory == "here" && b.fileName == nil)
        #expect(get.remarks == ["“gid” in “l” is an option of aria2 that has no effect here."])
        #expect(!get.isFreeOfSecrets)
    }

    @Test func `a list's http-user and http-passwd together form one login`() throws {
        let list =
            "https://h/a\n http-passwd=p:q\n http-user=me\n remote-time=true\n user-agent=x y\nhttps://h/b\n http-user=me\n"
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        let (a, b) = (get.downloads[0].request, get.downloads[1].request)
        #expect(a.authentication == .password(name: "me", .value("p:q")))
        #expect(b.authentication == .password(name: "me", .value("")))
        #expect(a.keepsRemoteTime && !b.keepsRemoteTime && a.userAgent == "x y")
        #expect(!get.downloads[0].canBeTyped)
    }

    /// The page documents each option for people.
    @Test(arguments: ListOptions.words)
    func `every option of a list is in docs/lists.md`(name: String) throws {
        let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let descriptor = open("\(root)/docs/lists.md", O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        let count = read(descriptor, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("`\(name)`"))
    }

    @Test func `an error in a list is reported with its line`() {
        func message(_ list: String) -> String { self.message("-i", "l", lists: ["l": list]) }
        #expect(
            message("https://h/a\n colour=red\n").hasPrefix(
                "“l”, line 2: “colour” is not an option of a list. The options are adopt, "))
        #expect(message("https://h/a\n\nftp://h/b\n").hasPrefix("“l”, line 3: "))
        #expect(
            message("https://h/a\n connections=17\n").hasSuffix(
                "line 2: “connections” takes a number of connections from 1 to 16."))
        #expect(message("https://h/a\n adopt=yes\n").contains("line 2: “adopt” must be true or false."))
        #expect(
            message("https://h/a\n if-exists=burn\n").hasSuffix(
                "line 2: “if-exists” takes one of fail, skip, rename, replace."))
        #expect(message("https://h/a\n on-change=1\n").hasSuffix("line 2: “on-change” takes one of restart, fail."))
        #expect(
            message("https://h/a\n split=many\n").hasSuffix(
                "line 2: “split” takes a number of connections from 1."))
        #expect(message("https://h/a\n out=/x\n dir=/y\n").contains("line 1: "))
    }

    /// The limits are the command line's, wherever the members are named.
    @Test(arguments: [[], ["--extract", "into"], ["--extract-to=into", "--extract-remove"]])
    func `members are unpacked within the limits of the command line, also those of a list`(
        _ extract: [String]
    ) throws {
        let limits = ["--no-links", "--max-unpacked", "1G", "--max-ratio", "9", "--password-file", "p"]
        let line = try ResolvedGet.of(extract + limits + ["--member", "*.txt", "https://h/a.zip"])
        let list = try ResolvedGet.of(
            extract + limits + ["-i", "l"],
            lists: ["l": "https://h/a.zip\n member=*.txt\nhttps://h/b.zip\n member=b\n member=c\nhttps://h/c\n"])
        var expected = Unpacking()
        (expected.allowsLinks, expected.maximumBytes, expected.maximumRatio) = (false, 1 << 30, 9)
        expected.password = .file("p")
        if !extract.isEmpty { expected.directory = "into" }
        expected.removesArchive = extract.contains("--extract-remove")
        for job in Array(line.jobs) + list.jobs.prefix(2) {
            #expect(job.unpacking == expected && job.acceptsWholeArchive == !extract.isEmpty)
        }
        #expect(list.jobs.map(\.members) == [["*.txt"], ["b", "c"], []])
        #expect(list.jobs[2].unpacking == (extract.isEmpty ? nil : expected))
    }

    /// A value that looks like a flag stays a value.
    @Test func `a list option's value cannot become a flag`() throws {
        let list = "https://h/a\n header=--json: x\n out=--json\n"
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        #expect(!get.writesJSON)
        #expect(get.request.headers.map(\.name) == ["--json"])
        #expect(get.request.fileName == "--json")
    }

    /// One declaration is read from the command line and from lists.
    @Test(arguments: ListOptions.all.filter { $0.places.contains(.commandLine) }.map(\.name))
    func `each option of the table is a flag of the command, with the same help`(name: String) throws {
        let option = try #require(ListOptions.all.first { $0.name == name })
        let flag = try #require(GetCommand.declaration.option(option.flag))
        // Nobody can be asked in a list, no process list shows it, and standard output is none of its files.
        let isOther = ["output", "user", "bearer"].contains(name)
        #expect((flag.help(columns: 80) == option.help(columns: 80)) != isOther)
    }

    /// Secrets that are asked for, and where else the file is: each line of a list has its own URLs.
    @Test func `each flag that is about one file is an option of the table`() throws {
        let others = AddCommand.declaration.options.map(\.flag).filter { flag in
            !ListOptions.all.contains { $0.flag == flag }
        }
        #expect(
            others == [
                "--priority", "--paused", "--top", "--tag", "--wait", "--input-file", "--no-glob", "--extract",
                "--extract-to", "--extract-keep", "--extract-remove", "--max-unpacked", "--max-ratio", "--max-members",
                "--no-links", "--allow-twins", "--password-file", "--mirror", "--metalink", "--select", "--json",
                "--quiet", "--color", "--service", "--version", "--help",
            ])
    }

    @Test func `a list says what a flag says, for one file`() throws {
        let list = """
            https://h/a
             timeout=5m
             max-time=2h
             retries=3
             retry-max-time=10m
             ignore-retry-after=true
             digest=true
             user=me:p
             mirror-country=de
             mirror-country=at
             server-mirrors=true
             cookie=a=b
            https://h/b
             bearer=t
             max-tries=4
             checksum-file=sums
            https://h/c
             max-tries=0
            """
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": list])
        let (a, b, c) = (get.downloads[0].request, get.downloads[1].request, get.downloads[2].request)
        #expect(a.options.stallTimeout == .seconds(300) && a.options.responseTimeout == .seconds(300))
        #expect(a.options.maximumTime == .seconds(7200) && a.options.maximumRetries == 3)
        #expect(a.options.maximumRetryTime == .seconds(600) && a.options.ignoresRetryAfter)
        #expect(a.options.allowsOnlyDigest && a.options.preferredLocations == ["de", "at"])
        #expect(a.options.usesServerMirrors && a.headers == [HTTPField("Cookie", "a=b")])
        #expect(b.options.maximumRetries == 3 && c.options.maximumRetries == 1_000_000)
        #expect(b.authentication == .bearer(.value("t")))
    }

    @Test func `a list has aria2's options as aria2c has them`() throws {
        let list = """
            https://h/a
             split=32
             max-connection-per-server=12
             max-download-limit=0
             metalink-location=de,at
             http-no-cache=true
             referer=*
             conditional-get=true
             continue=true
            https://h/b
             auto-file-renaming=true
             allow-overwrite=true
            https://h/c
             auto-file-renaming=false
             allow-overwrite=false
             split=32
             http-passwd=p
            """
        let get = try ResolvedGet.of(["--max-speed=1M", "-i", "l"], lists: ["l": list])
        let (a, b, c) = (get.downloads[0].request, get.downloads[1].request, get.downloads[2].request)
        #expect(a.options.maximumConnections == 12 && a.options.maximumBytesPerSecond == nil)
        #expect(a.options.preferredLocations == ["de", "at"])
        #expect(a.headers == [HTTPField("Cache-Control", "no-cache"), HTTPField("Pragma", "no-cache")])
        #expect(a.options.onlyIfNewer && !a.options.adoptsPartialFile && a.options.ifExists == .rename)
        #expect(get.jobs[0].referer == "https://h/a")
        #expect(b.options.ifExists == .replace && b.options.maximumBytesPerSecond == 1 << 20)
        #expect(c.options.ifExists == .fail && c.options.maximumConnections == 16 && c.authentication == nil)
    }

    @Test func `of two options that say the same in a list, the later one holds, whether aria2's or Pawl's`() throws {
        func options(_ words: String...) throws -> DownloadOptions {
            let list = "https://h/a\n" + words.map { " \($0)\n" }.joined()
            return try ResolvedGet.of(["--if-exists=replace", "--mirror-country=de", "-i", "l"], lists: ["l": list])
                .downloads[0].request.options
        }
        #expect(try options("allow-overwrite=true", "if-exists=skip").ifExists == .skip)
        #expect(try options("if-exists=skip", "allow-overwrite=true").ifExists == .replace)
        #expect(try options("auto-file-renaming=true", "if-exists=fail").ifExists == .fail)
        #expect(try options("split=8", "connections=2").maximumConnections == 2)
        #expect(try options("connections=2", "split=8").maximumConnections == 8)
        // What the command line says is taken back, too.
        #expect(try options("allow-overwrite=false").ifExists == .rename)
        #expect(try options("allow-overwrite=false", "auto-file-renaming=false").ifExists == .fail)
        #expect(try options("if-exists=rename", "auto-file-renaming=false").ifExists == .fail)
        #expect(try options("metalink-location=germany").preferredLocations == ["de"])
        #expect(try options("metalink-location=germany,us").preferredLocations == ["us"])
        let login = try ResolvedGet.of(
            ["-i", "l"], lists: ["l": "https://h/a\n http-user=a\n http-passwd=b\n bearer=t\n"])
        #expect(login.downloads[0].request.authentication == .bearer(.value("t")))
    }

    @Test func `what a list says without an effect is told, and standard output is no file of it`() throws {
        let remarks = try ResolvedGet.of(["-i", "l"], lists: ["l": "https://h/a\n metalink-location=germany\n"]).remarks
        #expect(remarks.count == 1 && remarks.first?.contains("metalink-location") == true)
        for name in ["out", "output"] {
            let message = message("-i", "l", lists: ["l": "https://h/a\n \(name)=-\n"])
            #expect(message.contains("“\(name)” takes the name of a file"), "\(message)")
        }
    }

    @Test func `a list ignores options of aria2 without an effect, and says why another cannot stand in it`() throws {
        let list = """
            https://h/a
             stream-piece-selector=inorder
             lowest-speed-limit=1K
             bt-max-peers=3
             gid=2089b05ecca3d829
             dry-run=false
            """
        #expect(try ResolvedGet.of(["-i", "l"], lists: ["l": list]).remarks.count == 5)
        func message(_ list: String) -> String { self.message("-i", "l", lists: ["l": list]) }
        #expect(
            message("https://h/a\n dry-run=true\n").hasSuffix(
                "line 2: “dry-run” is not supported: a probe shows what a server reports about a file."))
        #expect(
            message("https://h/a\n all-proxy=http://p\n").hasSuffix(
                "line 2: “all-proxy” applies to all files of a run and cannot be used in a list: set the proxy of the run."
            ))
    }

    /// aria2 takes any number, so a list of aria2's may have any.
    @Test func `a list's max-tries beyond every download is no error`() throws {
        func retries(_ tries: String) throws -> Int? {
            try ResolvedGet.of(["-i", "l"], lists: ["l": "https://h/a\n max-tries=\(tries)\n"])
                .request.options.maximumRetries
        }
        for tries in ["0", "1000001", "1000002", "9223372036854775807", "99999999999999999999"] {
            #expect(try retries(tries) == 1_000_000, "\(tries)")
        }
        #expect(try retries("1") == 0 && retries("1000000") == 999_999)
        for tries in ["-1", "+1", "many", ""] {
            #expect(
                message("-i", "l", lists: ["l": "https://h/a\n max-tries=\(tries)\n"])
                    == "“l”, line 2: “max-tries” takes a number from 0.", "\(tries)")
        }
    }

    @Test func `a country that is none is refused with the line of the list`() throws {
        #expect(
            message("-i", "l", lists: ["l": "https://h/a\n mirror-country=de\n mirror-country=Germany\n"])
                == "“l”, line 3: “mirror-country” takes countries of two letters, as in ISO 3166-1: de, us, jp.")
        #expect(message("--mirror-country", "d1", "https://h/a").hasPrefix("--mirror-country takes countries"))
        let get = try ResolvedGet.of(["-i", "l"], lists: ["l": "https://h/a\n mirror-country=DE\n"])
        #expect(get.request.options.preferredLocations == ["de"])
    }

    /// A list from somebody else names the server that would get them.
    @Test(arguments: ["bearer-file", "bearer-env"])
    func `a list cannot have a file or a variable of the user sent to its server`(_ name: String) {
        #expect(
            message("-i", "l", lists: ["l": "https://h/a\n \(name)=HOME\n"]).hasPrefix(
                "“l”, line 2: “\(name)” is not an option of a list."))
        #expect(GetCommand.declaration.option("--" + name) != nil)
    }

    @Test func `false in a list takes back what the command line says`() throws {
        let list = "https://h/a\n if-newer=false\nhttps://h/b\n remote-time=true\n"
        let get = try ResolvedGet.of(["--if-newer", "-i", "l"], lists: ["l": list])
        #expect(get.downloads.map(\.request.options.onlyIfNewer) == [false, true])
        #expect(get.downloads.map(\.request.options.keepsRemoteTime) == [false, true])
    }

    @Test func `patterns in lists are plain text, because programs write lists`() throws {
        #expect(
            try ResolvedGet.of(["-i", "l"], lists: ["l": "https://h/{a,b}"]).downloads.map(\.request.url) == [
                "https://h/{a,b}"
            ])
    }

    // MARK: Dry run

    @Test func `a dry run asks no server for mirrors, whoever says to`() throws {
        let list = ["l": "https://h/a\n server-mirrors=true\nhttps://h/b\n"]
        for dry in [false, true] {
            let get = try ResolvedGet.of(["--server-mirrors", "-i", "l"] + (dry ? ["--dry-run"] : []), lists: list)
            #expect(get.jobs.allSatisfy { $0.options.usesServerMirrors != dry })
            #expect(get.downloads.allSatisfy { $0.request.options.usesServerMirrors != dry })
        }
    }

    @Test func `a dry run says what would become of each URL`() throws {
        let get = try ResolvedGet.of(
            ["https://u:p@h/a?X-Amz-Signature=1&X-Amz-Date=2", "https://h/b?page=2", "-d", "x", "-i", "l"],
            lists: ["l": "https://h/c\thttps://m/c\n out=y\n"])
        func line(_ index: Int, _ change: (inout FileOutlook) -> Void) -> String {
            var outlook = FileOutlook(get.downloads[index].file)
            outlook.isNameFixed = index == 2
            change(&outlook)
            return DryRun(get: get, outlooks: [outlook]).text(get.downloads[index], outlook)
        }
        #expect(line(0) { $0.target = .begins } == "https://h/a -> x/a, unless the server names it otherwise")
        #expect(line(1) { _ in } == "https://h/b?page=2 -> x/b, unless the server names it otherwise")
        let named = "https://h/c and 1 mirror -> x/y"
        #expect(line(2) { $0.target = .begins } == named)
        #expect(line(2) { $0.target = .skips } == named + ": exists, would be skipped")
        #expect(line(2) { $0.target = .replaces } == named + ": exists, would be replaced")
        #expect(
            line(2) { $0.target = .resumes(stored: 1 << 20, total: 2 << 20) }
                == named + ": would be resumed from 1.00 MiB of 2.00 MiB")
        let other = try HTTPURL(parsing: "https://old/c?key=1")
        for (proof, words) in [
            (nil, "if the server's file is the same"), (.samples, "if samples of it are the same at the server"),
            (.version, "as the server's file is the same"), (.digest, "and the checksum would decide"),
        ] as [(UnprovenBytes.Evidence?, String)] {
            #expect(
                line(2) { $0.target = .takesOver(stored: 1 << 20, from: other, proof: proof) }
                    == named + ": would be resumed from 1.00 MiB of \(other.redacted), \(words)")
        }
        #expect(
            line(2) { $0.target = .setsAside("y.part") }
                == named + ": would begin anew; “y.part” is not Pawl's, and would be moved aside")
        #expect(line(2) { $0.target = .isCurrent } == named + ": exists, and the server's file is not newer")
        #expect(line(2) { $0.unpacking = .creates("x/z") } == named + "; would be unpacked to x/z")
        #expect(line(2) { $0.unpacking = .skips("x/z") } == named + "; is already unpacked to x/z")
        #expect(
            line(2) {
                $0.name = "y (1)"
                $0.target = .renames("y (1)")
            } == named + " (1): another file has its name")
        #expect(
            line(2) { $0.answer = FileAnswer(name: "y", file: Representation(total: 2048)) } == named + ", 2.00 KiB")
        #expect(
            line(2) { $0.answer = FileAnswer(name: "y", file: Representation(total: nil)) } == named
                + ", of unknown length")
        let error = DownloadError.nameTaken(by: .file, "“y” already exists.", remedies: [.chooseName])
        #expect(
            line(2) { $0.failure = .download(error) }
                == named + ": would fail: “y” already exists. Choose another name with -o.")
    }

    @Test func `the JSON of a dry run has an event for each file, and the exit code is that of the first failure`()
        throws
    {
        let get = try ResolvedGet.of(["https://h/a", "https://h/b"])
        var outlooks = get.downloads.map { FileOutlook($0.file) }
        outlooks[0].target = .resumes(stored: 5, total: 9)
        outlooks[0].directories = ["x", "x/y"]
        outlooks[1].failure = .download(DownloadError(.notFound, "It is not there.", recovery: .giveUp))
        let dryRun = DryRun(get: get, outlooks: outlooks)
        #expect(dryRun.exitCode == .refused)
        #expect(
            dryRun.json(get.downloads[0], outlooks[0]).encoded
                == #"{"event":"planned","id":1,"url":"https://h/a","mirrors":0,"directory":".","file":"a","likelyName":"a","outcome":"resume","createsDirectories":["x","x/y"],"stored":5,"total":null,"unpacksTo":null,"code":null,"message":null}"#
        )
        #expect(
            dryRun.json(get.downloads[1], outlooks[1]).encoded
                == #"{"event":"planned","id":2,"url":"https://h/b","mirrors":0,"directory":".","file":"b","likelyName":"b","outcome":"fail","createsDirectories":[],"stored":null,"total":null,"unpacksTo":null,"code":"notFound","message":"It is not there."}"#
        )
    }

    @Test func `--dry-run takes the word that has it ask servers, and no other`() throws {
        func kind(_ words: String...) throws -> DryRunKind? {
            let command = try PawlCommand.subcommand(from: ["get", "https://h/a"] + words) as? GetCommand
            return command?.queue.dryRun
        }
        #expect(try kind() == nil)
        #expect(try kind("--dry-run") == .offline)
        #expect(try kind("--dry-run=online") == .online)
        let problem = #expect(throws: (any Error).self) { try kind("--dry-run=offline") }
        #expect("\(try #require(problem))".contains("--dry-run takes no value, or online."))
    }
}
