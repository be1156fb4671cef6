extension HelpTopic {
    /// In the order of their use.
    static let all: [HelpTopic] = [
        HelpTopic(
            name: "target", summary: "where files go, and what happens when one exists",
            text: """
                A file has its final name only when it is whole. Until then its bytes are in NAME.part, and what is known of them is in NAME.pawl, beside it.
                """,
            flags: ["--output", "--directory", "--create-dirs", "--if-exists", "--if-newer", "--remote-time", "--xattr", "--sync", "--adopt"]),
        HelpTopic(
            name: "lists", summary: "many URLs: lists and patterns",
            text: """
                A list has a URL a line; others of the same file follow after tabs. Options of one file stand below it, indented:
                  https://example.org/a.iso
                    out=first.iso
                    checksum=sha-256:9f86…
                In a URL on the command line [001-120], [0-100:10], [a-f] and {one,two} stand for several; in -o, #1 is what the first stood for. Quote them for the shell: pawl get 'https://example.org/[01-12].zip' -o 'part-#1.zip'
                """,
            flags: ["--input-file", "--no-glob", "--dry-run"]),
        HelpTopic(
            name: "queue", summary: "how many files and connections at once",
            text: "A failure stops no other file. The exit code is that of the first failure, in the order given.",
            flags: ["--jobs", "--per-host", "--connections", "--fail-fast"]),
        HelpTopic(
            name: "sources", summary: "mirrors and Metalinks",
            text: """
                A Metalink names files, where each is to be had and what it hashes to, often piece by piece: a wrong piece is fetched again from another source.
                  pawl get --metalink release.meta4 --select '*.iso'
                """,
            flags: ["--mirror", "--server-mirrors", "--mirror-country", "--metalink", "--select"]),
        HelpTopic(
            name: "trust", summary: "checksums, and what is refused",
            text: """
                A list of checksums is what sha256sum writes, from a disk or a server; the entry is found by the file's name. For a file that is there already see pawl verify --help.
                """,
            flags: [
                "--checksum", "--checksum-file", "--on-change", "--max-filesize", "--require-complete",
                "--allow-web-page", "--allow-insecure-redirect",
            ]),
        HelpTopic(
            name: "limits", summary: "speed, also by the time of day",
            text: """
                k, M and G are powers of 1024; kB, MB and GB are powers of 1000. A timetable names times of the day and what holds from then on:
                  pawl get --limit "08:00,512k 19:00,off" URL
                """,
            flags: ["--max-speed", "--limit"]),
        HelpTopic(
            name: "ranges", summary: "parts of a file, and streams",
            text: """
                Bytes count from 0, and the last one named is meant too; -500 are the last 500 (docs/ranges.md):
                  pawl get --range 0-499,-500 URL
                -o - writes to standard output, in order, by several connections and in bounded memory (docs/streaming.md):
                  pawl get -o - URL | tar x
                """,
            flags: ["--range", "--sparse"]),
        HelpTopic(
            name: "archives", summary: "unpacking what was fetched; members of a zip",
            text: """
                Only a whole file is unpacked, into a fresh directory (docs/extracting.md):
                  pawl get --extract URL              pawl get --extract DIR URL
                Members of a zip can be fetched without the rest (docs/remote-zip.md):
                  pawl list URL                       pawl get --member 'tables/*.csv' URL
                For archives on disk there are pawl extract, pawl list and pawl pack.
                """,
            flags: [
                "--member", "--extract", "--extract-to", "--extract-keep", "--extract-remove", "--max-unpacked", "--max-ratio", "--max-members",
                "--no-links", "--allow-twins", "--password-file",
            ]),
        HelpTopic(
            name: "network", summary: "proxies, addresses, TLS",
            text: """
                The environment's proxies are used, as by curl, unless --proxy names one:
                  pawl get --proxy socks5h://user:password@localhost:9050 URL
                """,
            flags: [
                "--proxy", "--no-proxy", "--connect-timeout", "--bind-address", "--ipv4-only", "--ipv6-only", "--certificate",
                "--private-key", "--insecure",
            ]),
        HelpTopic(
            name: "server", summary: "headers, certificates, times and retries", text: "",
            flags: [
                "--header", "--user-agent", "--referer", "--ca-certificate", "--timeout", "--max-time", "--retries", "--retry-max-time",
                "--ignore-retry-after",
            ]),
        HelpTopic(
            name: "login", summary: "names, passwords, tokens and cookies", text: "",
            flags: [
                "--user", "--digest", "--bearer", "--bearer-file", "--bearer-env", "--netrc", "--netrc-file", "--cookie", "--cookies",
                "--save-cookies",
            ]),
        HelpTopic(
            name: "output", summary: "what is written where, and what runs after a download",
            text: """
                What is for people goes to stderr; stdout is for --json and for files that are written there.
                A program of --on-complete is told what happened by PAWL_STATUS, PAWL_FILE, PAWL_ERROR and others (docs/hooks.md):
                  pawl get -i list --on-complete './unpack --into /srv'
                """,
            flags: ["--json", "--quiet", "--progress", "--color", "--verbose", "--on-complete"]),
        HelpTopic(
            name: "exit-codes", summary: "what the program ends with", text: ExitCode.table, flags: []),
    ]
}
