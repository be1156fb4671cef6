extension PeerOption {
    /// The options of peers. Where two entries share a spelling, the first whose value fits what was typed counts.
    ///
    /// Options that are ours as well are not here, as long as they mean the same: `--output`, `-d`, `-i`, `--header`,
    /// `--user-agent`.
    package static let all: [PeerOption] =
        target + resuming + requests + credentials + network + speed + output + others + rest

    private static let listing =
        "links in pages are not followed; the files that a directory lists are downloaded by "
        + "pawl index URL --depth N | pawl -i -"

    private static let target = [
        PeerOption("-O --output-document", [.wget], .file, .same("--output")),
        PeerOption(
            "-O --remote-name --remote-name-all", [.curl], .none,
            .needless("the server or the URL names the file unless -o does")),
        PeerOption(
            "-J --remote-header-name", [.curl], .none, .needless("a name that the server sends is used if it is safe")),
        PeerOption(
            "--content-disposition --trust-server-names", [.wget], .none,
            .needless("a name that the server sends is used if it is safe")),
        PeerOption("--out", [.aria2c], .any("FILE"), .same("--output")),
        PeerOption("-P --directory-prefix", [.wget], .file, .same("--create-dirs --directory")),
        PeerOption("--force-directories", [.wget], .none, .same("--keep-paths")),
        PeerOption("--output-dir", [.curl], .file, .same("--directory")),
        PeerOption("--dir", [.aria2c], .file, .same("--create-dirs --directory")),
        PeerOption("-nc --no-clobber", [.wget, .curl], .none, .same("--if-exists=skip")),
        PeerOption("-nd --no-directories -nH", [.wget], .none, .needless("files go into one directory")),
        PeerOption("--skip-existing", [.curl], .none, .same("--if-exists=skip")),
        PeerOption("--allow-overwrite=true", [.aria2c], .none, .same("--if-exists=replace")),
        PeerOption("--auto-file-renaming=true", [.aria2c], .none, .same("--if-exists=rename")),
        PeerOption(
            "--auto-file-renaming=false", [.aria2c], .none,
            .needless("an existing file is an error unless --if-exists says otherwise")),
        PeerOption(
            "--allow-overwrite=false", [.aria2c], .none,
            .needless("an existing file is an error unless --if-exists says otherwise")),
        PeerOption("-N --timestamping", [.wget], .none, .same("--if-newer --remote-time")),
        PeerOption("-R", [.curl, .aria2c], .none, .same("--remote-time")),
        PeerOption("--remote-time=true", [.aria2c], .none, .same("--remote-time")),
        PeerOption("--conditional-get=true", [.aria2c], .none, .same("--if-newer --if-exists=rename")),
        PeerOption(
            "-z --time-cond", [.curl], .any("DATE"),
            .instead("--if-newer downloads only if the server's file is newer than the existing one")),
        PeerOption(
            "--no-use-server-timestamps", [.wget], .none,
            .needless("the modification time is that of the download unless --remote-time is given")),
        PeerOption("--remove-on-error", [.curl], .none, .needless("a file gets its name only once it is complete")),
        PeerOption(
            "--file-allocation", [.aria2c], .any("METHOD"),
            .needless("space is reserved before the first byte, where the disk can")),
        PeerOption("-n", [.curl], .none, .same("--netrc")),
    ]

    private static let resuming = [
        PeerOption("-C --continue-at", [.curl], .hyphen, .same("--adopt")),
        PeerOption(
            "-C --continue-at", [.curl], .any("OFFSET"),
            .needless("interrupted downloads resume from what is stored; --adopt resumes those of other programs")),
        PeerOption(
            "-c", [.curl], .separateFile, .instead("--save-cookies FILE saves cookies, and nothing is needed to resume")
        ),
        PeerOption("-c --continue", [.wget, .aria2c], .none, .same("--adopt")),
        PeerOption("--continue=true", [.aria2c], .none, .same("--adopt")),
        PeerOption(
            "--always-resume --max-resume-failure-tries --auto-save-interval", [.aria2c], .any("VALUE"),
            .needless("interrupted downloads resume from what is stored")),
        PeerOption("--start-pos", [.wget], .any("OFFSET"), .instead("--range OFFSET- downloads the end of a file")),
        PeerOption("--retry", [.curl], .count, .same("--retries")),
        PeerOption("-t --tries", [.wget], .tries, .same("--retries")),
        PeerOption("--max-tries", [.aria2c], .tries, .same("--retries")),
        PeerOption("--retry-delay", [.curl], .any("SECONDS"), .needless("delays grow from half a second to a minute")),
        PeerOption("--retry-wait", [.aria2c], .any("SECONDS"), .needless("delays grow from half a second to a minute")),
        PeerOption("--waitretry", [.wget], .any("SECONDS"), .needless("delays grow from half a second to a minute")),
        PeerOption(
            "--retry-all-errors --retry-connrefused", [.curl, .wget], .none,
            .needless("all temporary errors are retried")),
        PeerOption("--retry-on-http-error", [.wget], .any("CODES"), .needless("all temporary errors are retried")),
    ]

    private static let requests = [
        PeerOption("-L --location", [.curl], .none, .needless("redirects are followed")),
        PeerOption("--max-redirs --max-redirect", [.curl, .wget], .number, .needless("20 redirects are followed")),
        PeerOption(
            "-f --fail --fail-with-body", [.curl], .none, .needless("an error of the server is always an error")),
        PeerOption("--fail-early", [.curl], .none, .same("--fail-fast")),
        PeerOption("-g --globoff", [.curl], .none, .same("--no-glob")),
        PeerOption("-H", [.curl], .any("'NAME: VALUE'"), .same("--header")),
        PeerOption("-A", [.curl], .any("NAME"), .same("--user-agent")),
        PeerOption("-U", [.wget, .aria2c], .agent, .same("--user-agent")),
        PeerOption(
            "-U --proxy-user", [.curl], .any("NAME:PASSWORD"),
            .instead(
                "--user-agent sets the User-Agent header; the login of a proxy is part of its URL: --proxy http://NAME:PASSWORD@HOST:PORT"
            )),
        PeerOption("-e", [.wget], .robots, .needless("links are not followed")),
        PeerOption("-e", [.curl], .url, .same("--referer")),
        PeerOption(
            "-e --execute", [.wget], .any("SETTING"),
            .instead("use options instead of wget's settings, such as --proxy")),
        PeerOption("-r", [.curl], .range, .same("--range")),
        PeerOption(
            "-r --recursive", [.wget], .none,
            .instead(listing)),
        PeerOption(
            "-m", [.curl, .aria2c], .count,
            .instead("use --max-time N (as in curl) or --retries N (as in aria2c)")),
        PeerOption("-m", [.wget], .none, .instead(listing)),
        PeerOption(
            "-p --page-requisites -np --no-parent -l --level", [.wget], .none,
            .instead("links in pages are not followed; wget does that")),
        PeerOption(
            "--compressed", [.curl], .none, .dropped("files are stored as the server keeps them, never decoded")),
        PeerOption("-I --head", [.curl], .none, .instead("pawl probe URL shows what the server reports about a file")),
        PeerOption("--spider", [.wget], .none, .instead("pawl probe URL shows what the server reports about a file")),
        PeerOption("-X --request --method", [.curl, .wget], .get, .needless("downloads are GET requests")),
        PeerOption("-X --request", [.curl], .any("METHOD"), .instead("downloads are GET requests")),
        PeerOption(
            "--data --data-raw --data-binary -F --form --upload-file", [.curl], .any("DATA"),
            .instead("Pawl downloads and never uploads; use curl")),
        PeerOption(
            "--post-data --post-file --method", [.wget], .any("DATA"),
            .instead("Pawl downloads and never uploads; use curl")),
        PeerOption("-T", [.wget], .number, .same("--timeout")),
        PeerOption("-T", [.curl], .any("FILE"), .instead("Pawl downloads and never uploads; use curl")),
        PeerOption("--no-cache", [.wget], .none, .same("--header=Cache-Control:no-cache")),
        // curl, too, falls back from HTTP/2 and HTTP/3.
        PeerOption(
            "--http1.1 --http2 --http3 --http-keep-alive", [.curl], .none, .needless("only HTTP/1.1 is supported")),
        PeerOption("-0 --http1.0", [.curl], .none, .instead("only HTTP/1.1 is supported; leave it out")),
    ]

    private static let credentials = [
        PeerOption("-u", [.curl], .any("NAME:PASSWORD"), .same("--user")),
        PeerOption(
            "--http-user --http-passwd --http-password --password", [.wget, .aria2c], .any("TEXT"),
            .instead("--user NAME logs in and asks for the password; --netrc takes it from a file")),
        PeerOption("--ask-password", [.wget], .none, .instead("--user NAME asks for the password")),
        PeerOption(
            "--basic --anyauth --auth-no-challenge", [.curl, .wget], .none,
            .needless("--user uses the scheme that the server requests")),
        PeerOption("--oauth2-bearer", [.curl], .any("TOKEN"), .same("--bearer")),
        PeerOption("-b", [.curl], .cookie, .same("--cookie")),
        PeerOption("-b", [.curl], .separateFile, .same("--cookies")),
        PeerOption(
            "-b --background", [.wget], .none,
            .instead("pawl add URL hands a download to the service, which runs in the background")),
        PeerOption("--cookie-jar", [.curl], .any("FILE"), .same("--save-cookies")),
        PeerOption("--load-cookies", [.wget, .aria2c], .any("FILE"), .same("--cookies")),
        PeerOption("--keep-session-cookies", [.wget], .none, .needless("--save-cookies keeps them")),
        PeerOption("--netrc-path", [.aria2c], .any("FILE"), .same("--netrc-file")),
        PeerOption(
            "--no-netrc", [.wget], .none, .needless("~/.netrc is read only with --netrc, or where a default says so")),
    ]

    private static let network = [
        PeerOption("-k --min-split-size", [.aria2c], .size, .needless("Pawl chooses the segments")),
        PeerOption(
            "--stream-piece-selector --uri-selector", [.aria2c], .any("WORD"),
            .needless("Pawl chooses servers and segments")),
        PeerOption("--metalink-location", [.aria2c], .any("COUNTRY"), .same("--mirror-country")),
        PeerOption("-k", [.curl], .none, .same("--insecure")),
        PeerOption("--no-check-certificate", [.wget], .none, .same("--insecure")),
        PeerOption("--check-certificate=false", [.aria2c], .none, .same("--insecure")),
        PeerOption("--cacert", [.curl], .any("FILE"), .same("--ca-certificate")),
        PeerOption("-E --cert", [.curl], .any("FILE"), .same("--certificate")),
        PeerOption("--key", [.curl], .any("FILE"), .same("--private-key")),
        PeerOption("--tlsv1.2 -1 --tlsv1.0 --tlsv1.1", [.curl], .none, .needless("connections use TLS 1.2 or newer")),
        PeerOption("--tlsv1.3", [.curl], .none, .instead("the server chooses TLS 1.2 or 1.3; leave it out")),
        PeerOption(
            "--proto --proto-redir", [.curl], .any("LIST"),
            .instead("give an https URL and leave it out: redirects from https to http are refused")),
        PeerOption(
            "--ciphers --tls-max", [.curl], .any("LIST"),
            .instead("the ciphers of TLS 1.2 and 1.3 cannot be chosen; leave it out")),
        PeerOption("--https-only", [.wget], .none, .needless("redirects from https to http are refused")),
        PeerOption("-x", [.curl], .proxy, .same("--proxy")),
        PeerOption("--all-proxy --http-proxy --https-proxy", [.aria2c], .any("URL"), .same("--proxy")),
        PeerOption("--socks5-hostname", [.curl], .any("HOST:PORT"), .instead("use --proxy socks5h://HOST:PORT")),
        PeerOption("--socks5", [.curl], .any("HOST:PORT"), .instead("use --proxy socks5://HOST:PORT")),
        PeerOption("--noproxy", [.curl], .any("LIST"), .same("--no-proxy")),
        PeerOption("--interface", [.curl, .aria2c], .any("NAME"), .same("--bind-address")),
        PeerOption("--ipv4 --inet4-only", [.curl, .wget], .none, .same("--ipv4-only")),
        PeerOption("--ipv6 --inet6-only", [.curl, .wget], .none, .same("--ipv6-only")),
        PeerOption("--disable-ipv6", [.aria2c], .none, .same("--ipv4-only")),
        PeerOption(
            "--resolve --connect-to --dns-servers", [.curl], .any("HOST"),
            .instead("the system resolves names; /etc/hosts can set an address")),
        PeerOption("--read-timeout", [.wget], .number, .same("--timeout")),
        PeerOption("--dns-timeout", [.wget], .any("SECONDS"), .needless("--connect-timeout includes it")),
        PeerOption(
            "--keepalive-time --tcp-nodelay --tcp-fastopen", [.curl], .none,
            .needless("connections are kept and reused")),
    ]

    private static let speed = [
        PeerOption("--limit-rate", [.curl, .wget], .any("RATE"), .same("--max-speed")),
        PeerOption("--max-download-limit", [.aria2c], .any("RATE"), .same("--max-speed")),
        PeerOption("--max-overall-download-limit", [.aria2c], .any("RATE"), .same("--limit")),
        PeerOption(
            "-y --speed-time -Y --speed-limit", [.curl], .any("N"),
            .instead("--timeout drops a connection that is idle")),
        PeerOption(
            "--lowest-speed-limit", [.aria2c], .any("RATE"), .instead("--timeout drops a connection that is idle")),
        PeerOption("-s --split", [.aria2c], .number, .needless("-x is the number of connections")),
        PeerOption("--max-connection-per-server", [.aria2c], .number, .same("--connections")),
        PeerOption("--max-concurrent-downloads", [.aria2c], .number, .same("--jobs")),
        PeerOption("--parallel-max", [.curl], .number, .same("--jobs")),
        PeerOption(
            "-Z --parallel --parallel-immediate --force-sequential", [.curl, .aria2c], .none,
            .needless("-j sets how many files are downloaded at once")),
        PeerOption(
            "-w --wait", [.wget], .number,
            .instead("--host-rate 60/m sends a host one request a second, 20/m one every three")),
    ]

    private static let output = [
        PeerOption("-s --silent", [.curl], .none, .same("--quiet")),
        PeerOption("-S --show-error", [.curl], .none, .needless("errors are always shown")),
        PeerOption("--server-response", [.wget], .none, .same("--verbose")),
        PeerOption("-nv --no-verbose", [.wget], .none, .same("--quiet")),
        PeerOption("-# --progress-bar --show-progress", [.curl, .wget], .none, .needless("a terminal shows progress")),
        PeerOption("--no-progress-meter --no-show-progress", [.curl, .wget], .none, .same("--progress=none")),
        PeerOption(
            "-D --dump-header --trace --trace-ascii", [.curl], .any("FILE"), .instead("-v shows requests and answers")),
        PeerOption(
            "-w --write-out", [.curl], .any("FORMAT"), .instead("--json writes one object per event and line")),
        PeerOption(
            "--summary-interval --console-log-level --log-level --download-result", [.aria2c], .any("VALUE"),
            .needless("a terminal shows progress; -v shows more")),
        PeerOption("--show-console-readout", [.aria2c], .any("VALUE"), .needless("a terminal shows progress")),
        PeerOption("--on-download-complete", [.aria2c], .any("COMMAND"), .same("--on-complete")),
        PeerOption("-V", [.curl, .wget], .none, .instead("pawl --version shows the version")),
    ]

    private static let others = [
        PeerOption("-K --config", [.curl], .any("FILE"), .instead("-i reads a list of URLs with options for each")),
        PeerOption("--enable-rpc", [.aria2c], .none, .instead("pawl serve runs the service, with aria2's RPC")),
        PeerOption("--save-session", [.aria2c], .any("FILE"), .needless("the same command resumes what is left")),
        PeerOption("--metalink-file", [.aria2c], .any("FILE"), .same("--metalink")),
        PeerOption("--input-metalink", [.wget], .any("FILE"), .same("--metalink")),
        PeerOption("--select-file", [.aria2c], .any("N"), .same("--select")),
        PeerOption(
            "--torrent-file --seed-time --seed-ratio --follow-torrent --bt-max-peers", [.aria2c], .any("VALUE"),
            .instead("BitTorrent is not supported; use aria2c")),
    ]
}
