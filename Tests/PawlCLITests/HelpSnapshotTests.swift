import Testing

@testable import PawlCLI

/// Snapshots of the help. Every new flag changes them, on purpose.
@Suite struct HelpSnapshotTests {
    /// The groups that all commands with requests have.
    private static let requestOptions = """
        SERVER:
          --header <Name: value>  Send a header field to the URL's own origin and no
                                  other. May be repeated.
          --ca-certificate <file> Trust the certificate authorities in this PEM file
                                  instead of the system's.

        NETWORK:
          --proxy <URL>           Use this proxy: http://, https://, socks5:// or
                                  socks5h://[user:password@]host[:port]; '' for none.
                                  Default: $http_proxy, $https_proxy, $all_proxy.
          --no-proxy <list>       Connect to these hosts directly: names, addresses,
                                  networks (10.0.0.0/8), or '*' for all. Default:
                                  $no_proxy.
          --connect-timeout <seconds>
                                  Maximum time to connect. (default: 30)
          --bind-address <address>
                                  Connect from this local address or network interface.
          -4, --ipv4-only         Use IPv4 addresses only.
          -6, --ipv6-only         Use IPv6 addresses only.
          --certificate <file>    Client certificate (PEM) for servers that request one.
          --private-key <file>    Private key of the certificate (PEM, not encrypted),
                                  if it is in another file.
          --insecure              Accept any certificate. Anyone on the network path can
                                  then read and change the data.

        CREDENTIALS AND COOKIES:
          --user <name[:password]>
                                  Log in to the URL's own origin, by Basic or Digest.
                                  Asks for a missing password.
          --digest                Log in by Digest only, which never sends the password
                                  itself.
          --bearer <token>        Send this bearer token to the URL's own origin. Other
                                  users can see it in the process list.
          --bearer-file <file>    Read the bearer token from the first line of this
                                  file.
          --bearer-env <variable> Read the bearer token from this environment variable.
          --cookie <a=b; c=d>     Send these cookies to the URL's own origin. May be
                                  repeated.
          --netrc                 Take names and passwords from ~/.netrc, by host.
          --netrc-file <file>     Take names and passwords from this file, by host.
          --cookies <file>        Load cookies from this cookies.txt.
          --save-cookies <file>   Save all cookies to this cookies.txt at the end,
                                  readable by its owner only.

        REQUESTS:
          --user-agent <text>     Set the User-Agent header; '' sends none.
          --referer <url>         Set the Referer header. Other origins see only its
                                  origin.
          --timeout <time>        Drop a connection that is idle or unanswered for this
                                  long: 30, 30s, 5m.

        OUTPUT:
          -v, --verbose           Show each request, response and decision on stderr,
                                  even with -q. -vv also shows all fields of responses,
                                  connections and checkpoints.
          --no-config             Ignore the defaults in pawl/config.toml and in $PAWL_…
                                  (docs/options.md).
        """

    @Test func `the short help lists the common options and the topics`() {
        #expect(
            HelpTopic.everyday(columns: 80) == """
                pawl [get] [options] URL...  Download; rerun to resume. Ctrl-C saves and stops.

                  -o, --output <file>         Save as this file; - writes to stdout.
                  -d, --directory <dir>       Directory for the files. It must exist.
                  -c, --adopt                 Resume a partial file of another program.
                  -i, --input-file <list>     Download the URLs in this list.
                  -x, --connections <number>  Maximum number of connections per file.
                  --checksum <ALGO:HEX>       Fail unless the file has this checksum.
                  -H, --header <Name: value>  Send this header field to the URL's origin.
                  --limit <rate|timetable>    Maximum speed of all files together: 500k, 2M.
                  --extract                   Unpack each archive once it is complete.
                  -q, --quiet                 Show only errors.

                'pawl help TOPIC' shows others, 'pawl help OPTION' one, 'pawl help all' all:
                  target      names and directories, and files that exist
                  lists       many URLs: lists and patterns
                  queue       files and connections at once
                  sources     mirrors and Metalinks
                  trust       checksums, and what is refused
                  limits      speed, also by the time of day
                  ranges      parts of a file, and streams
                  archives    unpacking downloads; members of a zip
                  network     proxies, addresses, TLS
                  server      headers, certificates, times and retries
                  login       names, passwords, tokens and cookies
                  output      messages, JSON, and programs to run afterwards
                  defaults    options that need not be typed each time
                  exit-codes  the exit codes of the program

                """)
    }

    @Test func `pawl --help begins with what a download needs most`() {
        let help = PawlCommand.help(columns: 80)
        #expect(help.contains("USAGE: pawl [<options>] <url> ...\n"))
        #expect(help.contains("\nCOMMON OPTIONS OF A DOWNLOAD:\n\(HelpTopic.everydayOptions(columns: 80))\nOPTIONS:\n"))
    }

    @Test func `pawl probe --help prints its recorded text`() {
        #expect(
            ProbeCommand.help(columns: 80) == """
                OVERVIEW: Show what a server says about a URL: length, ranges, validator, name,
                and how HEAD differs from GET.

                Makes two requests and stores nothing.

                USAGE: pawl probe [<options>] <url>

                ARGUMENTS:
                  <url>                   An absolute http or https URL.

                \(Self.requestOptions)

                OPTIONS:
                  --json                  Write one JSON object to stdout (docs/json-events.md).
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test func `pawl status --help prints its recorded text`() {
        #expect(
            StatusCommand.help(columns: 80) == """
                OVERVIEW: Show how much of an unfinished download is stored, whether it is
                running or not.

                Nothing is changed.

                USAGE: pawl status <file> [--json]

                ARGUMENTS:
                  <file>                  The file, its partial file (.part) or its journal
                                          (.pawl).

                OPTIONS:
                  --json                  Write one JSON object to stdout (docs/json-events.md).
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }

    @Test func `pawl verify --help prints its recorded text`() {
        #expect(
            VerifyCommand.help(columns: 80) == """
                OVERVIEW: Check files against checksums or a Metalink, and repair them.

                Exit code 0: all match. 6: one does not. 8: one cannot be read.

                With --repair, only the wrong pieces are downloaded again: pawl verify --repair
                FILE URL --metalink FILE.meta4. The file is replaced once the repaired one is
                complete, and not touched before.

                USAGE: pawl verify [<options>] <file> ...

                ARGUMENTS:
                  <file>                  The files to check. With --repair: one file, followed
                                          by URLs to download it from.

                \(Self.requestOptions)

                OPTIONS:
                  --checksum <ALGO:HEX>   The expected checksum. ALGO is sha-256, sha-512, sha-1
                                          or md5.
                  --checksum-file <file or url>
                                          Fail unless the file has the checksum that this list
                                          states; 'auto' looks for a list beside the URL
                                          (docs/metalink.md).
                  --metalink <file or url>
                                          Check against this Metalink document: length, pieces,
                                          checksum.
                  --repair                Download the wrong pieces again. The Metalink must
                                          have piece hashes.
                  --json                  Write JSON objects to stdout, one per line
                                          (docs/json-events.md).
                  -q, --quiet             Show only errors.
                  --version               Show the version.
                  -h, --help              Show help information.

                """)
    }
}
