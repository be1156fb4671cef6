import PawlArchive
import PawlCore
import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct ArchiveRenderingTests {
    private static func activity(_ change: (inout ArchiveProgress) -> Void) -> ArchiveActivity {
        var activity = ArchiveActivity(.unpacking, name: "photos.zip")
        var progress = ArchiveProgress()
        activity.update(progress, at: .zero)
        progress.members = 1234
        progress.totalMembers = 5000
        progress.bytes = 600 << 20
        progress.totalBytes = 1200 << 20
        progress.archiveBytes = 30
        progress.totalArchiveBytes = 40
        progress.member = "photos/2019/img\u{1B}[2J_0001.jpg"
        change(&progress)
        activity.update(progress, at: .seconds(2))
        return activity
    }

    private func draw(_ activity: ArchiveActivity, named: Bool = false, width: Int = 80) -> [String] {
        ArchiveRenderer(style: DisplayStyle(locale: .utf8, isColoured: false)).lines(
            activity, named: named, width: width
        )
        .map { $0.text(coloured: false) }
    }

    @Test func `unpacking progress shows the amount and the current member`() {
        #expect(
            draw(Self.activity { _ in }) == [
                "━━━━━━━━━━━━━━━━━━━───────────────────   50 %   600 MiB of 1.17 GiB   300 MiB/s",
                "1,234 of 5,000  photos/2019/img\\u{1B}[2J_0001.jpg",
            ])
    }

    @Test func `progress shows when the result is being made durable`() {
        #expect(
            draw(Self.activity { $0.isSyncing = true }, named: true)[1]
                == "photos.zip: 1,234 of 5,000  Syncing to disk…")
    }

    @Test
    func
        `if the unpacked size is unknown, the archive's own bytes give the percentage; if these are unknown too, none is shown`()
    {
        #expect(draw(Self.activity { $0.totalBytes = nil })[0].contains("75 %"))
        let unknown = draw(Self.activity { ($0.totalBytes, $0.totalArchiveBytes, $0.totalMembers) = (nil, nil, nil) })
        #expect(unknown == [" 600 MiB   300 MiB/s", "1,234  photos/2019/img\\u{1B}[2J_0001.jpg"])
    }

    @Test(arguments: [0, 1, 5, 12, 20, 33, 40, 60, 100, 200])
    func `no unpacking line is wider than the terminal`(width: Int) {
        for activity in [
            Self.activity { _ in }, Self.activity { $0.totalBytes = nil },
            Self.activity { ($0.totalBytes, $0.totalArchiveBytes) = (nil, nil) },
        ] {
            #expect(draw(activity, named: true, width: width).allSatisfy { $0.columns <= max(0, width - 1) })
        }
    }

    @Test func `an unpacking result is one plain line`() {
        let result = ExtractionResult(directory: "photos", members: 1234, bytes: 1_288_490_189)
        #expect(ArchiveWords.line(result, after: .seconds(3.1)) == "photos: 1,234 members, 1.20 GiB unpacked in 3.1 s")
        #expect(
            ArchiveWords.line(
                ExtractionResult(directory: "photos", members: 0, bytes: 0, isSkipped: true), after: .zero)
                == "photos: already exists; left unchanged")
        #expect(
            ArchiveWords.line(Self.activity { _ in }) == "unpacking photos.zip: 50 %, 1,234 members, 600 MiB, 300 MiB/s"
        )
    }

    @Test func `a member list is a table with its totals below`() {
        let members = [
            ArchiveMember(path: "photos/", kind: .directory, modified: 0),
            ArchiveMember(path: "photos/a\u{202E}gpj.exe", kind: .file, size: 2048, compressedSize: 1000, modified: 60),
            ArchiveMember(path: "photos/secret", kind: .file, size: 5, compressedSize: 17, isEncrypted: true),
            ArchiveMember(path: "photos/link", kind: .symbolicLink("a\n"), modified: 60),
            ArchiveMember(path: "tty", kind: .other("a character device")),
        ]
        let table = MemberTable(members: members, locale: .utf8, time: { "T+\($0)" })
        #expect(
            table.text == """
                    SIZE  PACKED  MODIFIED  NAME
                       -       -  T+0       photos/
                2.00 KiB  1000 B  T+60      photos/a\\u{202E}gpj.exe
                     5 B    17 B  -         photos/secret  [encrypted]
                       -       -  T+60      photos/link -> a\u{20}
                       -       -  -         tty (a character device)
                2 files, 1 directory, 2 others, 2.00 KiB, packed 1017 B

                """)
        #expect(MemberTable(members: [], locale: .ascii).text == "SIZE  PACKED  MODIFIED  NAME\n0 files, 0 B\n")
        #expect(MemberTable.localTime(.max) == "?")
    }

    // MARK: JSON

    @Test func `JSON events of unpacking and packing have the facts of the progress`() {
        #expect(
            ArchiveJSON.progress(Self.activity { $0.member = "a" }).encoded
                == #"{"event":"extracting","archive":"photos.zip","members":1234,"totalMembers":5000,"bytes":629145600,"totalBytes":1258291200,"archiveBytes":30,"totalArchiveBytes":40,"member":"a","syncing":false,"rate":314572800}"#
        )
        #expect(
            ArchiveJSON.progress(ArchiveActivity(.packing, name: "a.zip", id: 3)).encoded
                == #"{"event":"packing","id":3,"archive":"a.zip","members":0,"totalMembers":null,"bytes":0,"totalBytes":null,"archiveBytes":0,"totalArchiveBytes":null,"member":"","syncing":false,"rate":0}"#
        )
        #expect(
            ArchiveJSON.extracted(
                ExtractionResult(directory: "d", members: 2, bytes: 3), from: "a.zip", after: .milliseconds(7)
            ).encoded
                == #"{"event":"extracted","archive":"a.zip","directory":"d","members":2,"bytes":3,"skipped":false,"notices":[],"milliseconds":7}"#
        )
        #expect(
            ArchiveJSON.failed(ArchiveError(.damaged, "no", member: "x"), "no", exitCode: 15).encoded
                == #"{"event":"failed","code":"damaged","message":"no","member":"x","exitCode":15}"#)
        #expect(
            ArchiveJSON.member(
                ArchiveMember(
                    path: "x", kind: .symbolicLink("y"), size: 1, compressedSize: 2, crc32: 255, modified: 3,
                    isExecutable: true, method: "deflate")
            )
            .encoded
                == #"{"event":"member","path":"x","kind":"symbolicLink","target":"y","size":1,"compressedSize":2,"crc32":"000000ff","modified":3,"executable":true,"encrypted":false,"method":"deflate"}"#
        )
    }
}
