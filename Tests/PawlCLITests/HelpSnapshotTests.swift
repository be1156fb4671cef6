import Testing

@testable import PawlCLI

/// What a new flag changes, on purpose.
@Suite struct HelpSnapshotTests {
    @Test func get() {
        #expect(
            HelpTopic.everyday(columns: 80) == """
            X
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
