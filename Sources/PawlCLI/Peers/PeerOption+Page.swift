import PawlJobs

/// The page for those who know another program: docs/coming-from.md, made by `scripts/man`.
extension PeerOption {
    static var page: String {
        """
        # Coming from curl, wget or aria2c

        `pawl URL` is `pawl get URL`. Options of curl, wget and aria2c that mean the same here, or that Pawl does not need, are accepted as
        typed, alone or joined (`-fsSLO`, `-x16`, `-O-`, `--limit-rate=1M`). The rest end with a message that names what to use instead.
        Options that Pawl spells as these programs do are not listed; `pawl help all` shows all of Pawl's own.

        Without `-O` or `-o FILE`, curl writes to stdout, and Pawl saves a file. A command line with `-s`, `-S`, `-f` or `-L` that names no file
        is therefore refused where stdout is not a terminal, as in `pawl -fsSL URL | tar x`: `-o -` writes to stdout, `-O` saves the file.

        Where two programs use one letter for different things, the next word decides: `-O URL` is curl's and `-O FILE` is wget's, `-s 16` is
        aria2c's and `-s` is curl's, `-r 0-99` is curl's and `-r` is wget's. `-x 4` and `-d DIR` are Pawl's own, and so are those of aria2c.
        For whole command lines of aria2c there is [the name `aria2c`](aria2.md).

        A request that a browser copies (“Copy as cURL”) can be pasted: `pawl curl 'URL' -H …`, the whole text as one argument, `pawl 'curl …'`,
        or its words without `curl`. Behind `curl`, all options are curl's (`-d` is data, and refused), and the file is saved; a line with `-s` or
        `-f` that names no file and whose output goes to a pipe is refused, as without the word. One argument may be in the form for bash or for
        Windows' cmd; nothing in it is run or expanded. All unsupported options are reported at once.
        The field of the service's page takes the whole text as well, and so does its API (`curl` in place of `url`).

        Header fields that Pawl sets itself are dropped, with a notice: `Accept-Encoding`, `Connection`, `Host`, `Range`, `If-Range` and others of
        one connection; so are the conditions of the browser's cache (`If-None-Match`, `If-Modified-Since`) and `--compressed`. The rest, `Cookie`
        and `Authorization` among them, is sent to the URL's own origin and no other.

        This page is generated from the table that the command uses (`scripts/man`).

        \(Peer.allCases.map(section).joined(separator: "\n\n"))

        """
    }

    private static func section(_ peer: Peer) -> String {
        let rows = all.filter { $0.peers.contains(peer) }.map {
            "| \($0.typed) | \($0.meant.replacing("|", with: "\\|")) |"
        }
        return "## \(peer.rawValue)\n\n| \(peer.rawValue) | Pawl |\n|---|---|\n" + rows.joined(separator: "\n")
    }

    private var typed: String {
        spellings.map { "`\($0)\(value.name.map { " \($0)" } ?? "")`" }.joined(separator: ", ")
    }

    private var meant: String {
        switch meaning {
        case .same(let words):
            if case .tries = value {
                "`\(words) N-1`"
            } else {
                "`\(words)\(value.isPassedOn ? " \(value.name ?? "")" : "")`"
            }
        case .argument: "`\(value.name ?? "")`"
        case .needless(let reason), .dropped(let reason): "no effect: \(reason)"
        case .instead(let advice): "refused: \(advice)"
        }
    }
}
