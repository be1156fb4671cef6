import PawlAria2
import PawlCore
import Testing

@Suite struct `What aria2c prints` {
    private let gid = GID("2089b05ecca3d829")!

    /// As aria2 1.37 writes them.
    @Test(
        arguments: [
            (0, "0B"), (921, "921B"), (922, "0.9KiB"), (1024, "1.0KiB"), (1536, "1.5KiB"), (10_239, "9.9KiB"),
            (10_240, "10KiB"), (944_127, "921KiB"), (944_128, "0.9MiB"), (3_000_000, "2.8MiB"),
            (300 << 20, "300MiB"), (922 << 20, "0.9GiB"), (5000 << 30, "5000GiB"),
        ] as [(Int64, String)])
    func `sizes are printed as by aria2 1.37`(_ bytes: Int64, _ text: String) { #expect(Aria2Text.size(bytes) == text) }

    @Test(
        arguments: [(0, "0s"), (59, "59s"), (60, "1m"), (182, "3m2s"), (3600, "1h"), (3661, "1h1m1s"), (7205, "2h5s")]
            as [(Int64, String)])
    func `times are printed as by aria2 1.37`(_ seconds: Int64, _ text: String) {
        #expect(Aria2Text.time(seconds: seconds) == text)
    }

    private func running(_ stored: Int64, of total: Int64?, speed: Int64 = 0) -> Aria2Readout.Running {
        .init(gid: gid, path: "d/name", stored: stored, total: total, connections: 1, speed: speed)
    }

    @Test func `the readout of one download, and of several`() {
        let readout = Aria2Readout(isForPeople: true, isColoured: false)
        #expect(
            readout.line([running(16 << 10, of: 3_000_000, speed: 16 << 10)])
                == "[#2089b0 16KiB/2.8MiB(0%) CN:1 DL:16KiB ETA:3m2s]")
        #expect(readout.line([running(5, of: nil)]) == "[#2089b0 5B/0B CN:1 DL:0B]")
        let many = Array(repeating: running(50, of: 100, speed: 10), count: 7)
        #expect(readout.line(many) == "[DL:70B]" + String(repeating: "[#2089b0 50B/100B(50%)]", count: 5) + "(+2)")
        #expect(
            Aria2Readout(isForPeople: false, isColoured: false).line([running(2048, of: 4096)])
                == "[#2089b0 2048B/4096B(50%) CN:1 DL:0B]")
        let coloured = Aria2Readout(isForPeople: true, isColoured: true).line([running(50, of: 100)])
        #expect(
            coloured
                == "\u{1B}[35m[\u{1B}[0m#2089b0 50B/100B\u{1B}[36m(50%)\u{1B}[0m CN:1 DL:\u{1B}[32m0B\u{1B}[0m\u{1B}[35m]\u{1B}[0m"
        )
        #expect(
            readout.summary([running(50, of: 100)], date: "now", width: 8)
                == " *** Download Progress Summary as of now *** \n========\n[#2089b0 50B/100B(50%) CN:1 DL:0B]\nFILE: d/name\n--------\n"
        )
    }

    @Test func `the table and the exit status`() {
        var results = Aria2Results()
        #expect(results.exitStatus == 0)
        results.append(.init(gid: gid, end: .complete, speed: 286 << 20, percentage: 100, path: "d/big"))
        #expect(
            results.table(isFull: false, isColoured: false) == """

                Download Results:
                gid   |stat|avg speed  |path/URI
                ======+====+===========+=======================================================
                2089b0|OK  |   286MiB/s|d/big

                Status Legend:
                (OK):download completed.

                """)
        results.append(.init(gid: gid, end: .unfinished, speed: nil, percentage: nil, path: "x"))
        #expect(results.exitStatus == 7)
        for row in [
            Aria2Results.Row(gid: gid, end: .failed(3), speed: 0, percentage: 1, path: "y"),
            .init(gid: gid, end: .failed(24), speed: 0, percentage: nil, path: "z"),
            .init(gid: gid, end: .removed, speed: nil, percentage: nil, path: "w\u{1B}[1m\nx"),
        ] { results.append(row) }
        #expect(results.exitStatus == 24)
        let full = results.table(isFull: true, isColoured: false)
        #expect(
            full.contains(
                "gid   |stat|avg speed  |  %|path/URI\n======+====+===========+===+" + String(repeating: "=", count: 51)
                    + "\n"))
        #expect(full.contains("2089b0|INPR|        n/a|  -|x\n2089b0|ERR |       0B/s|  1|y\n"))
        #expect(
            full.contains(
                "(OK):download completed.(ERR):error occurred.(INPR):download in-progress.(RM):download removed.\n"))
        #expect(full.contains("|w\\u{1B}[1m x\n"))
        var few = Aria2Results(limit: 2)
        for number in 1...9 {
            few.append(
                .init(
                    gid: gid, end: number == 1 ? .failed(3) : .complete, speed: nil, percentage: nil, path: "\(number)")
            )
        }
        #expect(few.exitStatus == 3)
        #expect(few.table(isFull: false, isColoured: false).contains("n/a|8\n2089b0|OK  |        n/a|9\n\n"))
        #expect(results.table(isFull: false, isColoured: true).contains("\u{1B}[1;31mERR\u{1B}[0m |"))
    }

    @Test func `lines that scripts look for`() {
        #expect(
            Aria2Log.consoleLine(.notice, Aria2Log.complete("d/x"), date: "11/26 09:43:36", isColoured: false)
                == "\n11/26 09:43:36 [NOTICE] Download complete: d/x\n")
        #expect(
            Aria2Log.consoleLine(.error, "x", date: "t", isColoured: true) == "\nt [\u{1B}[1;31mERROR\u{1B}[0m] x\n")
        #expect(Aria2Log.listens(isIPv6: false, port: 6800) == "IPv4 RPC: listening on TCP port 6800")
        #expect(Aria2Help.versionText.hasPrefix("aria2 version 1.37.0\n"))
    }

    @Test func `help names each option that it is asked for`() {
        #expect(
            Aria2Help.text(about: "#all").split(separator: "\n").count { $0.contains("--") } >= Aria2Option.all.count)
        #expect(Aria2Help.text(about: "--max-tries=3").contains("--max-tries=NUM"))
        #expect(Aria2Help.text(about: "nonsense").contains("No option matching with 'nonsense'."))
    }
}
