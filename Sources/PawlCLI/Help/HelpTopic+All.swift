import PawlConfiguration

extension HelpTopic {
    /// The topics in the order of their use.
    static let all: [HelpTopic] = [
        HelpTopic(
            name: "target", summary: "names and directories, and files that exist",
            text: """
                The final name of a file appears only once the file is complete. Until then, its data is in NAME.part and its journal in NAME.pawl.
                """,
            flags: [
                "--output", "--directory", "--create-dirs", "--if-exists", "--if-newer",
                "--remote-time",
                "--xattr", "--sync", "--adopt",
            ],
            otherNames: ["files", "names", "directories"]),
        HelpTopic(
            name: "lists", summary: "many URLs: lists and patterns",
            text: """
                A list has one URL per line; further URLs of the same file follow after tabs. Options for one file are indented below it:
                  https://example.org/a.iso
                    out=first.iso
                    checksum=sha-256:9f86…
                On the command line, [001-120], [0-100:10], [a-f] and {one,two} expand to several URLs; in -o, #1 is the value of the first. Quote them for the shell: pawl get 'https://example.org/[01-12].zip' -o 'part-#1.zip'
                """,
            flags: ["--input-file", "--no-glob", "--keep-paths", "--dry-run"],
            otherNames: ["patterns", "urls"]),
        HelpTopic(
            name: "queue", summary: "files and connections at once",
            text: "A failure does not stop other files. The exit code is that of the first failure in the order given.",
            flags: ["--jobs", "--per-host", "--host-rate", "--connections", "--fail-fast"],
            otherNames: ["parallel", "jobs"]),
        HelpTopic(
            name: "sources", summary: "mirrors and Metalinks",
            text: """
                A Metalink names files, their sources and their checksums, often for each piece: a wrong piece is downloaded again from another source.
                  pawl get --metalink release.meta4 --select '*.iso'
                """,
            flags: ["--mirror", "--server-mirrors", "--mirror-country", "--metalink", "--select"],
            otherNames: ["mirror", "mirrors", "metalink"]),
        HelpTopic(
            name: "trust", summary: "checksums, and what is refused",
            text: """
                A list of checksums, local or on a server, has the format of sha256sum; entries are found by the file's name. --checksum-file auto looks for one beside the URL. To check an existing file, see pawl verify --help.
                """,
            flags: [
                "--checksum", "--checksum-file", "--compute-checksum", "--on-change", "--max-filesize",
                "--require-complete",
                "--allow-web-page", "--allow-insecure-redirect",
            ],
            otherNames: ["checksum", "checksums", "hash", "verification"]),
        HelpTopic(
            name: "limits", summary: "speed, also by the time of day",
            text: """
                k, M and G are powers of 1024; kB, MB and GB are powers of 1000. A timetable names times of day and the speed from then on; 'pause' downloads nothing:
                  pawl get --limit "08:00,512k 19:00,off" URL
                  pawl get --limit "08:00,pause 22:00,off" URL
                """,
            flags: flags(of: "Speed"),
            otherNames: ["speed", "bandwidth"]),
        HelpTopic(
            name: "ranges", summary: "parts of a file, and streams",
            text: """
                Bytes are counted from 0, ranges include their last byte, and -500 means the last 500 (docs/ranges.md):
                  pawl get --range 0-499,-500 URL
                -o - writes to standard output, in order, by several connections and in bounded memory (docs/streaming.md):
                  pawl get -o - URL | tar x
                """,
            flags: flags(of: "Parts of a file"),
            otherNames: ["range", "stream", "streaming"]),
        HelpTopic(
            name: "archives", summary: "unpacking downloads; members of a zip",
            text: """
                Only a complete file is unpacked, into a new directory (docs/extracting.md):
                  pawl get --extract URL              pawl get --extract DIR URL
                Members of a zip can be downloaded without the rest (docs/remote-zip.md):
                  pawl list URL                       pawl get --member 'tables/*.csv' URL
                For archives on disk there are pawl extract, pawl list and pawl pack.
                """,
            flags: flags(of: "Archives"),
            otherNames: ["zip", "unpack", "unzip"]),
        HelpTopic(
            name: "network", summary: "proxies, addresses, TLS",
            text: """
                Without --proxy, the proxies of the environment are used, as curl does:
                  pawl get --proxy socks5h://user:password@localhost:9050 URL
                """,
            flags: flags(of: "Network"),
            otherNames: ["proxy", "proxies", "tls", "ssl", "certificates"]),
        HelpTopic(
            name: "server", summary: "headers, certificates, times and retries",
            text: """
                A request that a browser copies (“Copy as cURL”) can be pasted, with or without quotes around the whole:
                  pawl curl 'https://example.org/a.iso' -H 'Referer: https://example.org/'
                """,
            flags: [
                "--header", "--user-agent", "--referer", "--ca-certificate", "--timeout", "--max-time", "--retries",
                "--retry-max-time", "--wait-for-network", "--ignore-retry-after",
            ],
            otherNames: ["headers", "retries", "timeout", "timeouts", "curl", "browser"]),
        HelpTopic(
            name: "login", summary: "names, passwords, tokens and cookies", text: "",
            flags: flags(of: "Credentials and cookies"),
            otherNames: ["password", "passwords", "cookies", "auth", "netrc"]),
        HelpTopic(
            name: "output", summary: "messages, JSON, and programs to run afterwards",
            text: """
                Messages go to stderr. Stdout is for --json, and for a file with -o -.
                --on-complete programs receive PAWL_STATUS, PAWL_FILE, PAWL_ERROR and others as environment variables (docs/hooks.md):
                  pawl get -i list --on-complete './unpack --into /srv'
                """,
            flags: ["--json", "--quiet", "--progress", "--notify", "--color", "--verbose", "--on-complete"],
            otherNames: ["json", "progress", "hooks", "messages", "notifications"]),
        HelpTopic(
            name: "defaults", summary: "options that need not be typed each time",
            text: """
                Options can have defaults in ~/.config/pawl/config.toml, the file of the service, or in variables such as PAWL_RETRIES:
                  [get]
                  retries = 20
                  directory = "~/Downloads"
                Arguments take precedence over variables, and variables over the file; --no-quiet overrides quiet = true. Commands other than get use those of their own options. These options can \
                have defaults: \(CommandDefaults.schema.keys.map(\.name).joined(separator: ", ")).
                """,
            flags: ["--no-config"],
            otherNames: ["configuration", "environment"]),
        HelpTopic(
            name: "exit-codes", summary: "the exit codes of the program", text: ExitCode.table, flags: [],
            otherNames: ["exit", "codes", "status-codes"]),
    ]
}
