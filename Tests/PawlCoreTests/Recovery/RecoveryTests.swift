import PawlCore
import Testing

@Suite("Whether a file belongs to a journal")
struct FileTraitsTests {
    private static let id = [UInt8](repeating: 7, count: 16)

    /// A file by its mark (nil: none; true: of this journal; false: of another one) and its creation time.
    struct Case: CustomStringConvertible {
        var mark: Bool?
        var created: Int64?
        var journalIsMarked: Bool
        var journalCreated: Int64?

        var file: FileTraits { FileTraits(inode: 5, mark: mark.map { $0 ? id : [1] }, created: created) }
        var journal: FileTraits { FileTraits(inode: 6, mark: journalIsMarked ? id : nil, created: journalCreated) }
        var description: String {
            "mark \(mark.map { "\($0)" } ?? "-"), \(created ?? -1); journal \(journalIsMarked), \(journalCreated ?? -1)"
        }

        static let all = [true, false, nil].flatMap { mark in
            [nil, 10, 20].flatMap { created in
                [true, false].flatMap { journalIsMarked in
                    [nil, 15].map {
                        Case(mark: mark, created: created, journalIsMarked: journalIsMarked, journalCreated: $0)
                    }
                }
            }
        }
    }

    @Test(arguments: Case.all)
    func
        `D25 a partial file is recognised by its mark, or without marks by its creation before the journal, or else stays uncertain`(
            of one: Case
        )
    {
        let likeness = RecoveryValues.record().likeness(of: one.file, describedIn: one.journal)
        if let mark = one.mark {
            #expect(likeness == (mark ? .same : .other))
        } else if one.journalIsMarked {
            #expect(likeness == .other, "the file system keeps marks")
        } else if one.created != nil, one.journalCreated != nil {
            #expect(likeness == (one.created == 10 ? .same : .other))
        } else {
            #expect(likeness == .perhaps)
        }
    }

    @Test(arguments: Case.all)
    func
        `D25 a finished file without its mark is recognised by its creation time, and refused where only a mark could prove it`(
            _ one: Case
        )
    {
        let isFinished = RecoveryValues.record().isFinished(one.file, describedIn: one.journal)
        if let mark = one.mark {
            #expect(isFinished == mark)
        } else if one.created != nil, one.journalCreated != nil {
            #expect(isFinished == (one.created == 10))
        } else {
            #expect(isFinished == !one.journalIsMarked)
        }
    }

    @Test func `a different inode number means another file, whatever its mark says`() {
        let (file, journal) = (
            FileTraits(inode: 4, mark: Self.id, created: 1), FileTraits(inode: 6, mark: Self.id, created: 2)
        )
        #expect(RecoveryValues.record().likeness(of: file, describedIn: journal) == .other)
        #expect(!RecoveryValues.record().isFinished(file, describedIn: journal))
    }

    @Test func `a verified record counts for an expected digest only if that digest was compared`() throws {
        let (one, two) = (
            try Digest(parsing: "md5:" + String(repeating: "1", count: 32)),
            try Digest(parsing: "md5:" + String(repeating: "2", count: 32))
        )
        var record = RecoveryValues.record()
        #expect(!record.isVerified(for: nil))
        record.state = .verified
        #expect(record.isVerified(for: nil))
        #expect(!record.isVerified(for: one))
        record.expectedDigest = one
        #expect(record.isVerified(for: one))
        #expect(!record.isVerified(for: two))
        #expect(record.isVerified(for: nil))
    }
}

@Suite("A partial file without locks or journal")
struct OrphanedPartialFileTests {
    @Test
    func
        `D15 if the holder's process can be checked, it decides whether a file is held; otherwise a sign of life within two minutes does`()
    {
        for last: Int64 in [0, 1_000_000] {
            #expect(LockHolderEvidence(isRunning: true, last: last).showHolder(at: 1_000_000))
            #expect(!LockHolderEvidence(isRunning: false, last: last).showHolder(at: 1_000_000))
        }
        for (age, isHeld): (Int64, Bool) in [
            (0, true), (119, true), (120, true), (121, false), (-119, true), (-120, false), (100_000, false),
        ] {
            #expect(
                LockHolderEvidence(isRunning: nil, last: 1_000_000 - age).showHolder(at: 1_000_000) == isHeld,
                "\(age) s ago")
        }
    }

    @Test func `D30 a file with adopted bytes is recognised by a mark of its own, and always holds something`() {
        var record = RecoveryValues.record()
        let mark = FileMark.bytes(id: RecoveryValues.id, isAdopted: true)
        let (file, journal) = (
            FileTraits(inode: 5, mark: mark, created: nil), FileTraits(inode: 6, mark: RecoveryValues.id, created: nil)
        )
        #expect(record.likeness(of: file, describedIn: journal) == .other)
        record.adopted = 9
        #expect(record.likeness(of: file, describedIn: journal) == .same)
        #expect(FileMark.isAdopted(mark) && !FileMark.isAdopted(RecoveryValues.id))
        let findings = JournalFindings(durable: nil, unsynced: UnsyncedRecord(record), isTorn: false)
        #expect(findings.meaning(for: file, journal: journal, proven: nil) == .nothing)
        let undescribed = OrphanedPartialFile(size: 9, isMarked: true, isAdopted: true, hasData: true)
        #expect(!undescribed.isOwn && undescribed.isOwnWithData && undescribed.fate == .setAside)
    }

    @Test func `D24 a file without a journal is removed only if it holds nothing`() {
        for (size, isMarked, hasData, fate): (Int64, Bool, Bool, OrphanedPartialFile.Fate) in [
            (0, false, false, .remove), (0, true, false, .remove), (9, true, false, .remove),
            (9, true, true, .setAside),
            // Another program's file: its zeros may be content.
            (9, false, false, .setAside), (9, false, true, .setAside),
        ] {
            let file = OrphanedPartialFile(size: size, isMarked: isMarked, hasData: hasData)
            #expect(file.fate == fate, "\(file)")
            #expect(file.isOwnWithData == (isMarked && fate == .setAside), "\(file)")
        }
    }

    @Test func `V24 a file to be adopted is compared at its beginning, and a large one between beginning and end`() {
        #expect(AdoptionRule.samples(of: 100, length: 100).isEmpty)
        #expect(AdoptionRule.samples(of: 150, length: 100) == [ByteRange(0..<50)])
        #expect(AdoptionRule.samples(of: 1000, length: 100) == [ByteRange(0..<100)])
        let (size, length): (Int64, Int64) = (64 << 20, 64 << 10)
        let samples = AdoptionRule.samples(of: size, length: length)
        #expect(samples.count == 4 && samples.allSatisfy { $0.count == length && $0.end <= size - length })
        #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.end <= $1.start })
        #expect(AdoptionRule.samples(of: size, length: 0).isEmpty)
    }

    @Test func `a file with gaps, or with fewer blocks than bytes and no digest, is not adopted`() {
        let (rule, checked) = (AdoptionRule("f", hasDigest: false), AdoptionRule("f", hasDigest: true))
        #expect(rule.refusal(size: 0, occupied: 0, written: nil) == nil)
        #expect(rule.refusal(size: 9000, occupied: 12_288, written: ByteRange(0..<9000)) == nil)
        for written in [nil, ByteRange(4096..<9000), ByteRange(0..<4096)] {
            #expect(
                rule.refusal(size: 9000, occupied: 12_288, written: written)?.remedies == [
                    .finishElsewhere, .chooseName,
                ])
            #expect(
                checked.refusal(size: 9000, occupied: 12_288, written: written) != nil,
                "a digest does not say which bytes are missing")
        }
        #expect(
            rule.refusal(size: 9000, occupied: 4096, written: ByteRange(0..<9000))?.remedies == [
                .giveDigest, .chooseName,
            ])
        #expect(checked.refusal(size: 9000, occupied: 4096, written: ByteRange(0..<9000)) == nil)
        #expect(
            rule.refusal(size: 4096, occupied: 0, written: ByteRange(0..<4096)) == nil,
            "it may be kept within its directory entry")
    }
}

@Suite("The meaning of a journal for the file beside it")
struct JournalFindingsTests {
    private static let file = FileTraits(inode: 5, mark: RecoveryValues.id, created: nil)
    private static let stranger = FileTraits(inode: 5, mark: [1], created: nil)
    private static let journal = FileTraits(inode: 6, mark: RecoveryValues.id, created: nil)
    private static let owner = RecoveryValues.record().owner

    private static func meaning(
        _ findings: JournalFindings, of file: FileTraits = file, syncs: Bool = true
    ) -> JournalFindings.Meaning {
        let provable = findings.provable(by: owner, onDevice: 1, file: file, journal: journal)
        return findings.meaning(for: file, journal: journal, proven: syncs ? provable : nil)
    }

    @Test func `unsynced claims count only in the same boot, on the same device, undoubted, and after a sync`() {
        let (durable, record) = (RecoveryValues.record(claims: 0..<4), RecoveryValues.record(claims: 0..<8))
        var findings = JournalFindings(durable: durable, unsynced: UnsyncedRecord(record), isTorn: false)
        #expect(Self.meaning(findings) == .claims(durable: durable, unsynced: record, .same))
        #expect(Self.meaning(findings, syncs: false) == .claims(durable: durable, unsynced: nil, .same))
        #expect(findings.provable(by: Self.owner, onDevice: 2, file: Self.file, journal: Self.journal) == nil)
        var later = Self.owner
        later.bootID = [9]
        #expect(findings.provable(by: later, onDevice: 1, file: Self.file, journal: Self.journal) == nil)
        findings.unsynced?.isDoubtful = true
        #expect(Self.meaning(findings) == .claims(durable: durable, unsynced: nil, .same))
        // Without marks nothing but the id tells a record of another journal.
        let (unmarked, journal) = (
            FileTraits(inode: 5, mark: nil, created: nil), FileTraits(inode: 6, mark: nil, created: nil)
        )
        findings.unsynced = UnsyncedRecord(RecoveryValues.record(claims: 0..<8))
        #expect(findings.provable(by: Self.owner, onDevice: 1, file: unmarked, journal: journal) != nil)
        findings.unsynced = UnsyncedRecord(RecoveryValues.record(claims: 0..<8, id: 8))
        #expect(findings.provable(by: Self.owner, onDevice: 1, file: unmarked, journal: journal) == nil)
    }

    @Test func `V04 claims of another version or URL are joined only by a record that claims all of them`() {
        let durable = RecoveryValues.record(claims: 0..<4)
        func provable(_ claims: Range<Int64>, _ change: (inout JournalRecord) -> Void) -> JournalRecord? {
            var record = RecoveryValues.record(claims: claims)
            change(&record)
            return JournalFindings(durable: durable, unsynced: UnsyncedRecord(record), isTorn: false)
                .provable(by: Self.owner, onDevice: 1, file: Self.file, journal: Self.journal)
        }
        let changes: [(inout JournalRecord) -> Void] = [
            { $0.urlHash = URLHash(of: "http://moved.example/") }, { $0.identityHash = [7] },
            { $0.representation.entityTag = EntityTag(parsing: "\"other\"") },
        ]
        for change in changes {
            #expect(provable(0..<4, change) == nil)
            #expect(provable(2..<8, change) == nil)
            #expect(provable(0..<8, change)?.isLater(than: durable) == true)
        }
        #expect(provable(2..<8) { _ in } != nil)
        #expect(provable(2..<8) { _ in }?.isLater(than: durable) == false)
    }

    @Test func `a durable record of another file refuses the file, and asks for no sync`() {
        let findings = JournalFindings(
            durable: RecoveryValues.record(claims: 0..<4),
            unsynced: UnsyncedRecord(RecoveryValues.record(claims: 0..<8)), isTorn: false)
        #expect(findings.provable(by: Self.owner, onDevice: 1, file: Self.stranger, journal: Self.journal) == nil)
        #expect(Self.meaning(findings, of: Self.stranger) == .otherFile)
    }

    @Test
    func `a journal without a durable record lets its own file be removed, unless a torn record may have claimed more`()
    {
        let (nothing, some) = (
            UnsyncedRecord(RecoveryValues.record(claims: 0..<0)), UnsyncedRecord(RecoveryValues.record(claims: 0..<8))
        )
        #expect(Self.meaning(JournalFindings(durable: nil, unsynced: nil, isTorn: false)) == .nothing)
        for unsynced in [nothing, some] {
            let isSome = unsynced == some
            for isTorn in [false, true] {
                let findings = JournalFindings(durable: nil, unsynced: unsynced, isTorn: isTorn)
                #expect(Self.meaning(findings, of: Self.stranger) == .nothing)
                #expect(Self.meaning(findings, syncs: false) == (isTorn ? .nothing : .nothingLasting))
                #expect(
                    Self.meaning(findings)
                        == (isSome
                            ? .claims(durable: nil, unsynced: some.record, .same) : isTorn ? .nothing : .nothingLasting)
                )
            }
        }
    }
}

@Suite("Claims that remain of an earlier run")
struct PartialFileOwnershipTests {
    private static let block = RecoveryValues.blockSize

    private static func claims(_ ranges: Range<Int64>...) -> RangeSet {
        RangeSet(ranges.map { ByteRange($0.lowerBound * block..<$0.upperBound * block) })
    }

    /// - Parameter wrong: the indices of the wrong blocks among those to be hashed.
    private static func verdict(_ review: PartialFileOwnership, wrong: Set<Int> = []) -> PartialFileOwnership.Verdict {
        review.verdict(isRight: review.blocks.indices.map { !wrong.contains($0) })
    }

    private static func review(
        _ durable: JournalRecord?, _ unsynced: JournalRecord? = nil, _ likeness: Likeness = .same, boot: UInt8 = 1,
        blocks: Int64 = 100,
        doubts: Bool = false
    ) -> PartialFileOwnership {
        PartialFileOwnership(
            durable: durable, unsynced: unsynced, likeness, bootID: [boot],
            reach: RangeSet(ByteRange(0..<blocks * block)), doubts: doubts)
    }

    @Test func `within one boot only the latest blocks are hashed, and after another boot all of them`() {
        let record = RecoveryValues.record(blocks: 0..<8, hashed: 0..<8, recent: [6, 7])
        #expect(Self.review(record).blocks.map(\.hash) == [6, 7])
        #expect(Self.review(record, boot: 2).blocks.map(\.hash) == Array(0..<8))
        #expect(Self.review(record, nil, .perhaps).blocks.map(\.hash) == Array(0..<8))
    }

    @Test func `D33 where the system tells no boot, every start may be after another one`() {
        var record = RecoveryValues.record(blocks: 0..<8, hashed: 0..<8, recent: [6, 7])
        record.owner.bootID = []
        let review = PartialFileOwnership(
            durable: record, unsynced: nil, .same, bootID: [], reach: RangeSet(ByteRange(0..<100 * Self.block)))
        #expect(review.blocks.map(\.hash) == Array(0..<8))
    }

    @Test func `blocks of unsynced claims are hashed if no durable record has their hash`() {
        let review = Self.review(
            RecoveryValues.record(blocks: 0..<4, hashed: 0..<4), RecoveryValues.record(blocks: 0..<8, hashed: 2..<8))
        #expect(review.blocks.map(\.hash) == [4, 5, 6, 7])
        #expect(Self.verdict(review) == .claims(Self.claims(0..<8), damaged: [], isVerified: false))
        #expect(Self.verdict(review, wrong: [1]) == .doubtful)
    }

    @Test func `if a hash disagrees, only blocks whose hashes agree are claimed, and all hashes are compared`() {
        // Blocks 3 to 7 have no hash, and within one boot only block 2 would be compared.
        let record = RecoveryValues.record(blocks: 0..<8, hashed: 0..<3, recent: [2])
        #expect(Self.review(record).blocks.map(\.hash) == [2])
        #expect(Self.verdict(Self.review(record)) == .claims(Self.claims(0..<8), damaged: [], isVerified: false))
        #expect(Self.verdict(Self.review(record), wrong: [0]) == .doubtful)
        let doubting = Self.review(record, doubts: true)
        #expect(doubting.blocks.map(\.hash) == [0, 1, 2])
        #expect(
            Self.verdict(doubting, wrong: [2])
                == .claims(Self.claims(0..<2), damaged: Self.claims(2..<3).ranges, isVerified: false))
        let all = [Self.claims(0..<1), Self.claims(1..<2), Self.claims(2..<3)].flatMap(\.ranges)
        #expect(
            Self.verdict(doubting, wrong: [0, 1, 2]) == .claims(RangeSet(), damaged: all, isVerified: false),
            "it is the file all the same")
        // Both records are asked.
        let both = Self.review(
            RecoveryValues.record(blocks: 0..<4, hashed: 0..<4), RecoveryValues.record(blocks: 0..<8, hashed: 2..<8),
            doubts: true)
        #expect(both.blocks.map(\.hash) == [0, 1, 2, 3, 2, 3, 4, 5, 6, 7])
    }

    @Test func `nothing past the end of a shortened file is claimed or hashed`() {
        let review = Self.review(RecoveryValues.record(blocks: 0..<8, hashed: 0..<8), boot: 2, blocks: 3)
        #expect(review.blocks.map(\.hash) == [0, 1, 2])
        #expect(Self.verdict(review) == .claims(Self.claims(0..<3), damaged: [], isVerified: false))
    }

    @Test func `a verified record stays verified only if no block is damaged`() {
        var record = RecoveryValues.record(blocks: 0..<4, hashed: 0..<4)
        record.state = .verified
        #expect(
            Self.verdict(Self.review(record, boot: 2)) == .claims(Self.claims(0..<4), damaged: [], isVerified: true))
        #expect(
            Self.verdict(Self.review(record, boot: 2, doubts: true), wrong: [0])
                == .claims(Self.claims(1..<4), damaged: Self.claims(0..<1).ranges, isVerified: false))
    }

    @Test func `D25 if only the inode number identifies a file, only blocks with matching hashes are claimed`() {
        var record = RecoveryValues.record(blocks: 0..<8, hashed: 0..<4)
        record.state = .verified
        let review = Self.review(record, nil, .perhaps)
        #expect(
            Self.verdict(review) == .claims(Self.claims(0..<4), damaged: [], isVerified: false),
            "the rest was never hashed")
        #expect(
            Self.verdict(review, wrong: [0])
                == .claims(Self.claims(1..<4), damaged: Self.claims(0..<1).ranges, isVerified: false))
        #expect(Self.verdict(review, wrong: [0, 1, 2, 3]) == .otherFile)
        #expect(Self.verdict(Self.review(RecoveryValues.record(blocks: 0..<8), nil, .perhaps)) == .unproven)
    }

    @Test
    func
        `D25 a block that matches only the unsynced record identifies the file and is fetched again, and one that contradicts it does not`()
    {
        let review = Self.review(
            RecoveryValues.record(blocks: 0..<2, hashed: 0..<2), RecoveryValues.record(blocks: 0..<2, hashed: 0..<2),
            .perhaps)
        #expect(review.blocks.count == 4)
        let both = [Self.claims(0..<1), Self.claims(1..<2)].flatMap(\.ranges)
        #expect(Self.verdict(review, wrong: [0, 1]) == .claims(RangeSet(), damaged: both, isVerified: false))
        #expect(Self.verdict(review, wrong: [2, 3]) == .otherFile)
    }
}

/// Records in which a block's hash is its number.
private enum RecoveryValues {
    static let id = [UInt8](repeating: 7, count: 16)
    static let blockSize = BlockHasher.smallestBlock

    static func record(claims: Range<Int64>, id: UInt8 = 7) -> JournalRecord {
        var record = record()
        record.durable = RangeSet(ByteRange(claims))
        record.id = [UInt8](repeating: id, count: 16)
        return record
    }

    static func record(
        blocks: Range<Int64> = 0..<0, hashed: Range<Int64> = 0..<0, recent: [Int64] = []
    ) -> JournalRecord {
        JournalRecord(
            generation: 1, id: id, owner: Owner(processID: 3, bootID: [1], startTime: 0, hostName: "here"),
            state: .downloading,
            url: "http://origin.example/f", urlHash: .xxh64(1), targetName: "f",
            representation: Representation(total: 1000 * blockSize),
            partialDevice: 1, partialInode: 5, expectedDigest: nil, updated: 0, blockSize: blockSize,
            durable: RangeSet(ByteRange(blocks.lowerBound * blockSize..<blocks.upperBound * blockSize)),
            blockHashes: Dictionary(uniqueKeysWithValues: hashed.map { ($0, UInt64($0)) }), recentBlocks: recent)
    }
}
