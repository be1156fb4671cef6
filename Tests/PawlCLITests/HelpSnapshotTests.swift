import Testing

@testable import PawlCLI

/// Snapshots of the help. Every new flag changes them, on purpose.
@Suite struct HelpSnapshotTests {
    @Test func get() {
        #expect(
            HelpTopic.everyday(columns: 80) == """
            pawl get [options] URL...   download files; rerun to resume. Ctrl-C saves and stops.

              -o, --output <file>     Name the file, beneath -d if that is given; '#1' is
                                      what the URL's first pattern chose.
              -d, --directory <dir>   Put files into this existing directory.
              -i, --input-file <list> Fetch the URLs in this list; - is standard input.
              -j, --jobs <number>     At most this many files at once. (default: 5)
              -q, --quiet             Say nothing but errors.

            More by 'pawl help TOPIC' (all flags: pawl help all):
              target      where files go, and what happens when one exists
              lists       many URLs: lists and patterns
              queue       how many files and connections at once
              sources     mirrors and Metalinks
              trust       checksums, and what is refused
              limits      speed, also by the time of day
              ranges      parts of a file, and streams
              archives    unpacking what was fetched; members of a zip
              network     proxies, addresses, TLS
              server      headers, certificates, times and retries
              login       names, passwords, tokens and cookies
              output      what is written where, and what runs after a download
              exit-codes  what the program ends with

            """)
    }

    @Test func probe() {
        #expect(
            ProbeCommand.help(columns: 80) == """
            OVERVIEW: Show what a server says of a URL: length, ranges, validator, name,
            and what HEAD says beside GET.

            Nothing is stored. It costs the server two requests; a download never makes
            them.

            USAGE: pawl probe [<options>] <url>

            ARGUMENTS:
              <url>                   An absolute http or https URL.

            SERVER:
              --header <Name: value>  Send a header to the URL's own origin, never to
                                      another. May be repeated.
              --ca-certificate <file> Trust the authorities in this PEM file instead of the
                                      system's.

            NETWORK:
              --proxy <URL>           Go through this proxy: http://, https://, socks5://
                                      or socks5h://[user:password@]host[:port]; '' for
                                      none. Default: $http_proxy, $https_proxy, $all_proxy.
              --no-proxy <list>       Reach these hosts without the proxy: names,
                                      addresses, networks (10.0.0.0/8), '*' for all.
                                      Default: $no_proxy.
              --connect-timeout <seconds>
                                      Give up connecting after this time. (default: 30)
              --bind-address <address>
                                      Connect from this address of the machine, or this
                                      network interface.
              -4, --ipv4-only         Use IPv4 addresses only.
              -6, --ipv6-only         Use IPv6 addresses only.
              --certificate <file>    Show this certificate (PEM) to servers that ask for
                                      one.
              --private-key <file>    The key of the certificate (PEM, not encrypted), if
                                      it is in another file.
              --insecure              Accept any certificate. Anyone on the network path
                                      can then read and change everything.

            CREDENTIALS AND COOKIES:
              --user <name[:password]>
                                      Log in at the URL's own origin, by Basic or Digest.
                                      Without a password it is asked for.
              --digest                Answer Digest challenges alone, and never send a
                                      password itself.
              --bearer <token>        Send a bearer token to the URL's own origin; others
                                      can read it in the process list.
              --bearer-file <file>    Take the bearer token from the first line of a file.
              --bearer-env <variable> Take the bearer token from this environment variable.
              --cookie <a=b; c=d>     Send cookies to the URL's own origin. May be repeated.
              --netrc                 Take names and passwords by host from ~/.netrc.
              --netrc-file <file>     Take names and passwords by host from this file.
              --cookies <file>        Begin with the cookies of a cookies.txt.
              --save-cookies <file>   Write all cookies to a cookies.txt at the end, for
                                      its owner alone.

            REQUESTS:
              --user-agent <text>     Set the User-Agent header; '' sends none.
              --referer <url>         The referring page. Other origins see only its origin.
              --timeout <time>        Drop a connection that is idle or unanswered for this
                                      long: 30, 30s, 5m.

            OUTPUT:
              -v, --verbose           Show each request, answer and decision on stderr,
                                      also with -q; -vv shows connections and checkpoints
                                      too.

            OPTIONS:
              --json                  Write one JSON object to stdout (docs/json-events.md).
              --version               Show the version.
              -h, --help              Show help information.

            """)
    }

    @Test func status() {
        #expect(
            StatusCommand.help(columns: 80) == """
            OVERVIEW: Show what is stored of an unfinished download, whether it runs or
            not.

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

    @Test func verify() {
        #expect(
            VerifyCommand.help(columns: 80) == """
            OVERVIEW: Check files against a checksum, a list of checksums or a Metalink,
            and repair what is wrong.

            Exit code 0: all match. 6: one does not. 8: one cannot be read.

            With --repair, the pieces that are wrong are fetched again and nothing else:
            pawl verify --repair FILE URL --metalink FILE.meta4. The file is replaced when
            the repaired one is whole, and not touched before.

            USAGE: pawl verify [<options>] <file> ...

            ARGUMENTS:
              <file>                  The files to read. With --repair one file, and then
                                      the URLs it can be had from.

            SERVER:
              --header <Name: value>  Send a header to the URL's own origin, never to
                                      another. May be repeated.
              --ca-certificate <file> Trust the authorities in this PEM file instead of the
                                      system's.

            NETWORK:
              --proxy <URL>           Go through this proxy: http://, https://, socks5://
                                      or socks5h://[user:password@]host[:port]; '' for
                                      none. Default: $http_proxy, $https_proxy, $all_proxy.
              --no-proxy <list>       Reach these hosts without the proxy: names,
                                      addresses, networks (10.0.0.0/8), '*' for all.
                                      Default: $no_proxy.
              --connect-timeout <seconds>
                                      Give up connecting after this time. (default: 30)
              --bind-address <address>
                                      Connect from this address of the machine, or this
                                      network interface.
              -4, --ipv4-only         Use IPv4 addresses only.
              -6, --ipv6-only         Use IPv6 addresses only.
              --certificate <file>    Show this certificate (PEM) to servers that ask for
                                      one.
              --private-key <file>    The key of the certificate (PEM, not encrypted), if
                                      it is in another file.
              --insecure              Accept any certificate. Anyone on the network path
                                      can then read and change everything.

            CREDENTIALS AND COOKIES:
              --user <name[:password]>
                                      Log in at the URL's own origin, by Basic or Digest.
                                      Without a password it is asked for.
              --digest                Answer Digest challenges alone, and never send a
                                      password itself.
              --bearer <token>        Send a bearer token to the URL's own origin; others
                                      can read it in the process list.
              --bearer-file <file>    Take the bearer token from the first line of a file.
              --bearer-env <variable> Take the bearer token from this environment variable.
              --cookie <a=b; c=d>     Send cookies to the URL's own origin. May be repeated.
              --netrc                 Take names and passwords by host from ~/.netrc.
              --netrc-file <file>     Take names and passwords by host from this file.
              --cookies <file>        Begin with the cookies of a cookies.txt.
              --save-cookies <file>   Write all cookies to a cookies.txt at the end, for
                                      its owner alone.

            REQUESTS:
              --user-agent <text>     Set the User-Agent header; '' sends none.
              --referer <url>         The referring page. Other origins see only its origin.
              --timeout <time>        Drop a connection that is idle or unanswered for this
                                      long: 30, 30s, 5m.

            OUTPUT:
              -v, --verbose           Show each request, answer and decision on stderr,
                                      also with -q; -vv shows connections and checkpoints
                                      too.

            OPTIONS:
              --checksum <ALGO:HEX>   What the file must hash to; ALGO is sha-256, sha-512,
                                      sha-1 or md5.
              --checksum-file <file or url>
                                      Fail unless the file hashes to what this list says of
                                      it (docs/metalink.md).
              --metalink <file or url>
                                      Check against what this Metalink document says of the
                                      file: length, pieces, checksum.
              --repair                Fetch the pieces that are wrong again. The Metalink
                                      has to have piece hashes.
              --json                  Write JSON objects to stdout, one a line
                                      (docs/json-events.md).
              -q, --quiet             Say nothing but errors.
              --version               Show the version.
              -h, --help              Show help information.

            """)
    }
}
