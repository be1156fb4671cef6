import Testing

@testable import PawlCLI

/// What a new flag changes, on purpose.
@Suite struct HelpSnapshotTests {
    @Test func get() {
        #expect(
            GetCommand.help(columns: 80) == """
            OVERVIEW: Download a file; run it again to go on after an interruption.

            The bytes so far are in NAME.part, what is known of them in NAME.pawl, both
            beside the file. Ctrl-C saves and stops.

            Exit codes:
                0  done
                1  unexpected failure
                3  network or TLS failure
                4  not found, or refused by the server
                5  the file changed on the server (--on-change fail)
                6  the bytes do not match the checksum
                7  disk full
                8  disk error, or the file cannot be written or read
                9  the file exists already
               10  another process is downloading to the same file
               11  the journal of the partial file cannot be used
               12  the file is larger than --max-filesize allows
               64  wrong arguments
              129  stopped by SIGHUP; progress is saved
              130  stopped by SIGINT; progress is saved
              141  stopped because stdout was closed; progress is saved
              143  stopped by SIGTERM; progress is saved

            USAGE: pawl get [<options>] <url>

            ARGUMENTS:
              <url>                   An absolute http or https URL.

            OPTIONS:
              -o, --output <file>     Name the file; beneath -d when it is given. Without
                                      it the server or the URL names it.
              -d, --directory <directory>
                                      Put the file into this directory, which must exist.
              -x, --connections <number>
                                      At most this many connections, 1 to 16. More are used
                                      only while they help. (default: 8)
              --checksum <ALGO:HEX>   Fail unless the file hashes to this; ALGO is sha-256,
                                      sha-512, sha-1 or md5.
              --max-filesize <size>   Refuse a file of more bytes: 700M, 4GB.
              --on-change <policy>    When the server has another file than the one begun:
                                      keep the old bytes aside and restart, or fail.
                                      (values: restart, fail; default: restart)
              --if-exists <policy>    When the file exists already. (values: fail, skip,
                                      rename, replace; default: fail)
              --adopt                 Go on from a partial file that another program left,
                                      after comparing its end with the server's.
              --allow-insecure-redirect
                                      Follow redirects from https to http, without
                                      credentials.
              --allow-web-page        Store a web page also where the URL names another
                                      kind of file.
              --max-speed <rate>      At most this much per second for each file: 500k, 2M,
                                      1.5MB.
              --limit <rate|timetable>
                                      At most this much per second for all together, or by
                                      the time of day: "08:00,512k 19:00,off".
              --header <Name: value>  Send a header to the URL's own origin, never to
                                      another. May be repeated.
              --ca-certificate <file> Trust the authorities in this PEM file instead of the
                                      system's.
              --json                  Write one JSON object a line to stdout
                                      (docs/json-events.md).
              -q, --quiet             Say nothing but errors.
              --version               Show the version.
              -h, --help              Show help information.

            """)
    }

    @Test func probe() {
        #expect(
            ProbeCommand.help(columns: 80) == """
            OVERVIEW: Show what a server says of a URL: length, ranges, validator, name,
            and what HEAD says beside GET.

            Nothing is stored. It costs the server two requests; a download never makes
            them.

            USAGE: pawl probe <url> [--header <Name: value> ...] [--ca-certificate <file>] [--json]

            ARGUMENTS:
              <url>                   An absolute http or https URL.

            OPTIONS:
              --header <Name: value>  Send a header to the URL's own origin, never to
                                      another. May be repeated.
              --ca-certificate <file> Trust the authorities in this PEM file instead of the
                                      system's.
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
            OVERVIEW: Check a file against a checksum.

            Exit code 0: it matches. 6: it does not. 8: it cannot be read.

            USAGE: pawl verify <file> --checksum <ALGO:HEX> [--json]

            ARGUMENTS:
              <file>                  The file to read.

            OPTIONS:
              --checksum <ALGO:HEX>   What it must hash to; ALGO is sha-256, sha-512, sha-1
                                      or md5.
              --json                  Write one JSON object to stdout (docs/json-events.md).
              --version               Show the version.
              -h, --help              Show help information.

            """)
    }
}
