import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct PeerWordsTests {
    static let url = "https://example.org/disk.iso"

    /// Returns the command line in the words of `pawl get`; nil if it has no translation.
    private func words(_ line: String) throws -> [String] {
        let own = GetCommand.takingValues
        var peers = PeerWords(own: own)
        return try peers.translated(line.split(separator: " ").map(String.init))
    }

    @Test(arguments: [
        // curl
        ("-O URL", "URL"),
        ("URL -O", "URL"),
        ("-LO URL", "URL"),
        ("-fsSL URL", "--quiet URL"),
        ("-fsSLo disk.iso URL", "--quiet -o disk.iso URL"),
        ("-OJL URL", "URL"),
        ("-C - -O URL", "--adopt URL"),
        ("-C- -o a URL", "--adopt -o a URL"),
        ("-C 5 URL", "URL"),
        ("--continue-at - URL", "--adopt URL"),
        ("-H A:b URL", "--header=A:b URL"),
        ("-u name:pw URL", "--user=name:pw URL"),
        ("-r 0-99 URL", "--range=0-99 URL"),
        ("-r -500 URL", "--range=-500 URL"),
        ("-k URL", "--insecure URL"),
        ("-kL URL", "--insecure URL"),
        ("-A Mozilla/5.0 URL", "--user-agent=Mozilla/5.0 URL"),
        ("-b a=b URL", "--cookie=a=b URL"),
        ("-b jar.txt URL", "--cookies=jar.txt URL"),
        ("-x http://proxy:3128 URL", "--proxy=http://proxy:3128 URL"),
        ("-x localhost:3128 URL", "--proxy=localhost:3128 URL"),
        ("--limit-rate 1M URL", "--max-speed=1M URL"),
        ("--limit-rate=1M URL", "--max-speed=1M URL"),
        ("--ssl-reqd --url URL", "URL"),
        ("--url=URL -o a", "URL -o a"),
        ("--retry 5 URL", "--retries=5 URL"),
        ("-4 -# URL", "-4 URL"),
        ("--output-dir isos -O URL", "--directory=isos URL"),
        // wget
        ("-O disk.iso URL", "--output=disk.iso URL"),
        ("-qO- URL", "-q --output=- URL"),
        ("-O - URL", "--output=- URL"),
        ("-Odisk.iso URL", "--output=disk.iso URL"),
        ("-c URL", "--adopt URL"),
        ("-P isos URL", "--create-dirs --directory=isos URL"),
        ("-nc URL", "--if-exists=skip URL"),
        ("-N URL", "--if-newer --remote-time URL"),
        ("-t 3 -T 20 URL", "--retries=2 --timeout=20 URL"),
        ("--retry 0 URL", "--retries=0 URL"),
        ("-t 0 URL", "--retries=1000000 URL"),
        ("--tries=inf -t1 URL", "--retries=1000000 --retries=0 URL"),
        ("--max-tries=0 URL", "--retries=1000000 URL"),
        (
            "-u=me:pw -A=foo/1 -T=5 -qP=isos -x=4 URL",
            "--user=me:pw --user-agent=foo/1 --timeout=5 -q --create-dirs --directory=isos -x 4 URL"
        ),
        ("-cOa.tar URL", "--adopt --output=a.tar URL"),
        ("-U name/1 URL", "--user-agent=name/1 URL"),
        ("--no-check-certificate URL", "--insecure URL"),
        ("--load-cookies jar URL", "--cookies=jar URL"),
        ("-e robots=off URL", "URL"),
        ("--progress=dot:giga URL", "URL"),
        ("--progress bar:force:noscroll URL", "URL"),
        ("--progress bar URL", "--progress bar URL"),
        ("--no-cookies --no-hsts --cut-dirs=3 -nH URL", "URL"),
        ("--secure-protocol=auto --prefer-family=IPv4 URL", "URL"),
        // aria2c
        ("-x16 -s16 -k1M URL", "-x 16 URL"),
        ("-x 16 -s 16 -k 1M URL", "-x 16 URL"),
        ("-j 5 -i list", "-j 5 -i list"),
        ("--max-connection-per-server=4 URL", "--connections=4 URL"),
        ("--allow-overwrite=true --continue=true URL", "--if-exists=replace --adopt URL"),
        ("--dir=isos --out=a URL", "--create-dirs --directory=isos --output=a URL"),
        // Ours stays ours, values too.
        ("-o -O URL", "-o -O URL"),
        ("--header -L URL", "--header -L URL"),
        ("-d isos -x 4 -j2 URL", "-d isos -x 4 -j 2 URL"),
        ("-- -O URL", "-- -O URL"),
        ("--no-such-flag URL", "--no-such-flag URL"),
        ("-L!x URL", "-L!x URL"),
        ("-", "-"),
        // Behind curl, all words are curl's.
        ("curl URL -k -H A:b --compressed --http2", "URL --insecure --header=A:b"),
        ("curl URL -x host:1 -c jar -m 9 -XGET -LOJ -sS", "URL --proxy host:1 --save-cookies=jar --max-time 9 --quiet"),
        (
            "curl URL -b a=https://b.example/ -H X-Empty; -o b",
            "URL --cookie=a=https://b.example/ --header=X-Empty: -o b"
        ),
        ("-d isos curl URL -q -N", "-d isos URL"),
        ("curl.exe URL -Ok", "URL --insecure"),
    ])
    func `a command line of another program is translated`(typed: String, meant: String) throws {
        #expect(
            try words(typed.replacing("URL", with: Self.url)).joined(separator: " ")
                == meant.replacing("URL", with: Self.url))
    }

    @Test(arguments: [
        "-I URL", "-r URL", "-T file URL", "-X POST URL", "--http1.0 URL", "-U name:password URL",
        "-U user:pa/ss URL", "-U name URL", "-m 5 URL", "-c keep.txt URL", "-e http_proxy=h:1 URL", "--tlsv1.3 URL",
        "--max-redirs 0 URL", "-t many URL", "--enable-rpc", "--socks5 h:1 URL", "-b URL",
        "--secure-protocol=SSLv3 URL", "--compression=auto URL", "--pinnedpubkey x URL", "--location-trusted URL",
    ])
    func `what Pawl lacks is refused, with the option's name`(typed: String) throws {
        let error = #expect(throws: PeerProblem.self) { try words(typed.replacing("URL", with: Self.url)) }
        let message = try #require(error?.messages.first)
        #expect(message.contains(typed.prefix { $0 != " " && $0 != "=" }))
        #expect(!message.contains("name:password"))
    }

    @Test func `all that Pawl lacks is told at once`() {
        var peers = PeerWords(own: GetCommand.takingValues)
        let words = ["curl", Self.url, "-X", "POST", "-d", "a=b", "-F", "c=d", "-T", "e", "-I", "--json", "{}"]
        let error = #expect(throws: PeerProblem.self) { try peers.translated(words) }
        #expect(error?.messages.count == 5)
    }

    /// `-k 1M` of aria2c must not turn off the check of certificates.
    @Test(arguments: ["-Ok URL", "-Ogcc URL", "-Okernel URL", "-ck URL", "-cs URL"])
    func `joined letters that can be read in two ways are refused`(typed: String) {
        #expect(throws: PeerProblem.self) { try words(typed.replacing("URL", with: Self.url)) }
    }

    @Test func `a command line of curl that names no file is one that writes to stdout`() throws {
        func writesToOutput(_ line: String) throws -> Bool {
            var peers = PeerWords(own: GetCommand.takingValues)
            _ = try peers.translated(line.split(separator: " ").map(String.init) + [Self.url])
            return peers.writesToOutput
        }
        for line in ["-fsSL", "--location", "-n -L", "-s -x http://proxy:1", "curl -fsSL", "curl -s"] {
            #expect(try writesToOutput(line), "\(line)")
        }
        for line in [
            "-fsSLO", "-L -o x", "-Lo x", "-L --output=x", "-c", "-x16 -s16", "-q", "-q -nc", "-L -H Range:-o -O",
            "-H A:b --compressed", "-n -u a:b -A Mozilla/5.0", "curl -H A:b --compressed", "curl -L",
        ] {
            #expect(try !writesToOutput(line), "\(line)")
        }
    }

    @Test func `what a command lacks is refused by the option that was typed`() throws {
        let own = AddCommand.takingValues
        var peers = PeerWords(own: own)
        let error = #expect(throws: PeerProblem.self) { try peers.translated(["-k", Self.url]) }
        #expect(error?.messages.first?.hasPrefix("-k ") == true)
    }

    @Test(arguments: ["-k 1M URL", "-k1M URL"])
    func `what follows tells two programs apart`(typed: String) throws {
        let words = try words(typed.replacing("URL", with: Self.url))
        #expect(!words.contains("--insecure") && !words.contains { $0.hasPrefix("--retries") })
    }

    @Test func `every translation is an option that the command has`() {
        let own = GetCommand.takingValues
        for option in PeerOption.all {
            guard case .same(let text) = option.meaning else { continue }
            let words = text.split(separator: " ").map(String.init)
            for (index, word) in words.enumerated() {
                let name = String(word.prefix { $0 != "=" })
                let hasValue = word.contains("=") || index == words.count - 1 && option.value.isPassedOn
                #expect(own[ExactText(name)] == hasValue, "\(option.spellings): \(text)")
            }
        }
    }

    @Test func `no entry takes a spelling of ours, unless what follows tells them apart`() {
        let own = GetCommand.takingValues
        for option in PeerOption.all {
            for spelling in option.spellings where own[ExactText(spelling)] != nil {
                if case .proxy = option.value { continue }
                if case .display = option.value { continue }
                Issue.record("\(spelling) is ours")
            }
        }
    }

    @Test func `every entry can be reached`() {
        func key(_ option: PeerOption) -> [String] { option.spellings.map { "\($0) \(option.value)" } }
        var seen: Set<String> = []
        for option in PeerOption.all { for key in key(option) { #expect(seen.insert(key).inserted, "\(key)") } }
    }

    // MARK: The whole command line

    @Test(arguments: [
        ["URL"], ["-O", "URL"], ["get", "-sSLO", "URL"], ["URL", "-o", "a"], ["-oa", "URL"], ["-disos", "URL"],
        ["curl", "URL", "-H", "A: b"], ["curl 'URL' -H 'A: b'"], ["get", "curl", "URL"], ["-d", "isos", "curl URL -k"],
    ])
    func `a URL needs no command in front`(words: [String]) throws {
        let words = try PawlCommand.withCommand(words.map { $0.replacing("URL", with: Self.url) })
        let command = try #require(try PawlCommand.subcommand(from: words) as? GetCommand)
        #expect(command.jobs.urls == [Self.url])
    }

    @Test(arguments: [("gte", "get"), ("stat", "status"), ("downlaod", nil), ("serv", "serve"), ("x", nil)])
    func `a mistyped command is named, with what was meant`(typed: String, meant: String?) throws {
        let error = #expect(throws: UsageError.self) { try PawlCommand.withCommand([typed, Self.url]) }
        #expect(error?.message.contains("“\(typed)”") == true)
        if let meant {
            #expect(error?.message.contains("“\(meant)”") == true, "\(error?.message ?? "")")
        } else {
            #expect(error?.message.contains("mean") == false)
        }
    }

    @Test func `help about nothing is an error`() throws {
        let error = #expect(throws: UsageError.self) { try PawlCommand.withCommand(["help", "targt"]) }
        #expect(error?.message.contains("“target”") == true)
        #expect(try PawlCommand.withCommand(["help", "probe"]) == ["help", "probe"])
        #expect(try PawlCommand.withCommand(["help"]) == ["help"])
    }
}
