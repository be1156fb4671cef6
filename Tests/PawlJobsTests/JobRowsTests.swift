import Pawl
import PawlCore
import PawlEngine
import Testing

@testable import PawlJobs

@Suite("Jobs in rows") struct JobRowsTests {
    private static func digest(_ byte: UInt8, _ algorithm: DigestAlgorithm = .sha256) -> Digest? {
        Digest(algorithm: algorithm, bytes: [UInt8](repeating: byte, count: algorithm.byteCount))
    }

    /// Whether two jobs are the same to the byte: texts that Swift takes for equal may differ.
    private static func areExactlyEqual(_ one: JobSpec, _ other: JobSpec) -> Bool {
        one == other && one.json.utf8.elementsEqual(other.json.utf8)
    }

    /// Every property that a job can have, one after the other, in two values that differ, one of them only by its
    /// bytes.
    private static func variants() -> [JobSpec] {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        var changes: [(inout JobSpec) -> Void] = [
            { _ in }, { $0.id = "a" }, { $0.id = "b" }, { $0.ifExists = .skip }, { $0.keepsPath = true },
            { $0.acceptsWholeArchive = true }, { $0.unpacking = Unpacking() }, { $0.options.maximumConnections = 3 },
            { $0.options.digest = digest(1) }, { $0.options.digest = digest(2) },
            { $0.options.digest = digest(2, .md5) },
            { $0.source = .metalink("m", select: ["x"]) }, { $0.source = .metalink("m", select: ["y"]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("https://m/1")]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("https://m/2")]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("https://m/1"), Mirror("https://m/2")]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("https://m/1"), Mirror("https://m/1", priority: 3)]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("https://m/1", location: "de")]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("")]) },
            { $0.source = .url("https://h/a", mirrors: [Mirror("a\nb"), Mirror("\n")]) },
        ]
        for text in [composed, decomposed] {
            changes += [
                { $0.directory = text }, { $0.fileName = text },
                {
                    $0.source = .url("https://h/a", mirrors: [Mirror("https://m/\(text)")])
                }, { $0.freshURL = text }, { $0.digestList = text },
                { $0.userAgent = text }, { $0.referer = text }, { $0.members = [text] }, { $0.hook = [text] },
                { $0.headers = [HTTPField("x", text)] }, { $0.authentication = .bearer(.value(text)) },
                { $0.authentication = .password(name: text, .file("p")) },
                { $0.authentication = .password(name: "n", .environment(text)) },
                { $0.options.preferredLocations = [text] },
                {
                    $0.unpacking = Unpacking()
                    $0.unpacking?.directory = text
                },
                {
                    $0.unpacking = Unpacking()
                    $0.unpacking?.password = .value(text)
                },
            ]
        }
        return changes.enumerated().map { number, change in
            var job = JobSpec("https://h/\(number % 3)")
            change(&job)
            return job
        }
    }

    @Test func `each job comes back as it was, to the byte, whatever stands in front of it`() {
        let variants = Self.variants()
        for first in variants {
            // A copy shares its storage, and an equal job does not.
            let jobs = variants.flatMap { [first, $0, $0] } + [first]
            let rows = JobRows(jobs)
            #expect(rows.count == jobs.count)
            for (job, found) in zip(jobs, rows) where !Self.areExactlyEqual(job, found) {
                Issue.record("\(job.json) became \(found.json)")
            }
        }
    }

    @Test func `the jobs of a list share all but URLs, name, directory and digest`() throws {
        var batch = JobBatch(
            like: JobSpec(""), output: nil, directory: nil, holdsSecrets: false, isDirectory: { _ in false })
        let list = (0..<100).map {
            "https://h/\($0)\thttps://m/\($0)\n out=\($0).bin\n dir=d\($0 % 7)\n checksum=md5=\(String(repeating: "0\($0 % 10)", count: 16))\n"
        }
        try batch.add(list: "l") { (_) throws(DownloadList.Problem) in
            ListReader(try DownloadList(parsing: Array(list.joined().utf8)).entries)
        }
        #expect(batch.jobs.templates.count == 1)
        #expect(batch.jobs.directories == (0..<7).map { "d\($0)" })
        #expect(
            batch.jobs.enumerated().allSatisfy { index, job in
                job.fileName == "\(index).bin" && job.directory == "d\(index % 7)"
                    && job.source == .url("https://h/\(index)", mirrors: [Mirror("https://m/\(index)")])
            })
        #expect(batch.jobs[3].options.digest == Self.digest(3, .md5))
    }

    @Test func `jobs behind those that are forgotten stay`() {
        let jobs = (0..<20_000).map { JobSpec("https://h/\($0)") }
        var rows = JobRows(jobs)
        for position in [0, 1, 8191, 8192, 9000, 20_000, 3] {
            rows.forget(before: position)
            #expect(rows.count == jobs.count)
        }
        #expect(rows[16_384...].elementsEqual(jobs[16_384...]))
    }

    @Test func `each job of a list asks for its own digest, and two digests of one URL are two files`() throws {
        let planner = JobPlanner(SecretReader(), nil)
        var found = FoundFiles()
        let digests = [Self.digest(1), Self.digest(2), nil, Self.digest(1), Self.digest(1)]
        for (index, digest) in digests.enumerated() {
            var job = JobSpec(.url("https://h/a", mirrors: index == 3 ? [Mirror("https://m/a")] : []))
            job.options.digest = digest
            #expect(try planner.plan(of: job).settings.digest == digest)
            found.append(try planner.prepare(JobFile(job: index, spec: job)), ofJob: index)
        }
        // Mirrors make no other file.
        #expect(found.eachOnce.files.map(\.job) == [0, 1, 2] && found.eachOnce.repeated == 2)
    }

    @Test func `what is changed for all jobs is changed in each`() {
        var rows = JobRows(Self.variants())
        rows.changeTemplates { $0.hook = ["done"] }
        rows.append(JobSpec("https://h/new"))
        #expect(rows.dropLast().allSatisfy { $0.hook == ["done"] } && rows.last?.hook == [])
    }

    @Test func `files keep their jobs and directories`() {
        let nesting = JobFile.Nesting(names: ["a", "b"], directory: "d")
        let files = Self.variants().enumerated().map { number, spec in
            JobFile(job: number * 2, spec: spec, nesting: number % 3 == 0 ? nesting : nil)
        }
        #expect(JobFiles(files).elementsEqual(files))
        #expect(JobFiles(files) == JobFiles(JobFiles(files)) && JobFiles(files) != JobFiles(files.dropLast()))
    }

    // MARK: Lists

    @Test(arguments: [1, 7, 4096])
    func `a list read in pieces has the entries of the whole`(pieceLength: Int) throws {
        let text = Array((0..<200).map { "https://h/\($0)\n out=\($0)\n# comment\n" }.joined().utf8)
        var (list, entries) = (DownloadList(), [DownloadList.Entry]())
        for start in stride(from: 0, to: text.count, by: pieceLength) {
            try list.feed(text[start..<min(text.count, start + pieceLength)])
            entries += list.takeComplete()
        }
        try list.finish()
        entries += list.entries
        #expect(try entries == DownloadList(parsing: text).entries)
    }

    @Test func `a page behind entries that were taken is no web page but bad entries`() throws {
        var list = DownloadList()
        try list.feed(Array("https://h/1\nhttps://h/2\n".utf8)[...])
        #expect(list.takeComplete().count == 1)
        try list.feed(Array("<html>\n".utf8)[...])
        #expect(list.takeComplete().count == 1 && list.entries.map(\.urls) == [["<html>"]])
    }
}

@Suite("The targets that files of a run have") struct RunTargetsTests {
    private static func identity(_ number: UInt64) -> FileIdentity { FileIdentity(device: 1, inode: number) }

    private static func target(_ name: String, in directory: String = "/d") -> FileTarget {
        FileTarget(directory: directory, name: name)
    }

    @Test func `D29 two spellings are one place only where the same file is found`() {
        var targets = RunTargets()
        func end(_ name: String, _ inode: UInt64?, _ number: Int, existed: Bool = false) -> TargetClash? {
            targets.end(
                Self.target(name), at: inode.map { Self.identity($0) }, of: JobFileID(number), existed: existed)
        }
        #expect(end("a.bin", 1, 1) == nil)
        // A disk that does not fold has two files, and one that folds has one.
        #expect(end("A.bin", 2, 2) == nil)
        #expect(end("A.BIN", 1, 3) == TargetClash(kind: .replacedOther, other: JobFileID(1)))
        #expect(end("a.bin", nil, 4, existed: true) == TargetClash(kind: .madeByOther, other: JobFileID(1)))
        #expect(end("A.bin", nil, 5) == TargetClash(kind: .replacedOther, other: JobFileID(2)))
        // An inode number passes on to a file of another name.
        #expect(end("b.bin", 1, 6) == nil)
        #expect(end("c.bin", nil, 7) == nil && end("C.bin", nil, 8) == nil)
    }

    @Test func `a file from before the run may be replaced by one of its files, and then is that one's`() {
        var targets = RunTargets()
        func end(_ inode: UInt64, _ number: Int, existed: Bool) -> TargetClash? {
            targets.end(Self.target("x"), at: Self.identity(inode), of: JobFileID(number), existed: existed)
        }
        #expect(end(1, 1, existed: true) == nil)
        #expect(end(1, 2, existed: true) == TargetClash(kind: .bothExisted, other: JobFileID(1)))
        #expect(end(2, 3, existed: false) == nil)
        #expect(end(3, 4, existed: false) == TargetClash(kind: .replacedOther, other: JobFileID(3)))
    }

    @Test func `directories of one name are as many as there are`() {
        var targets = RunTargets()
        for number in 0..<1000 {
            #expect(!targets.hasMade(Self.target("index", in: "/\(number)"), at: nil))
            targets.addDirectory(Self.target("index", in: "/\(number)"), at: Self.identity(UInt64(number)))
        }
        #expect(targets.hasMade(Self.target("index", in: "/7"), at: nil))
        #expect(targets.hasMade(Self.target("INDEX", in: "/7"), at: Self.identity(7)))
        #expect(!targets.hasMade(Self.target("INDEX", in: "/7"), at: Self.identity(8)))
    }
}
