import PawlCore
import PawlEngine
import Synchronization

/// One seed, one story: a file, a server with faults, a disk, and a program that is stopped and restarted until the
/// file is complete.
///
/// Each life of the program ends by itself, or by a pause, a kill or a power cut, at a moment or a disk operation that
/// the seed chooses. After each life the disk is checked: no final name without the complete file, no false claim in
/// the journal. In the last life server and disk are healthy, and the download must succeed, or fail with the one error
/// that the story allows.
package struct Simulation {
    package struct Failure: Error, CustomStringConvertible {
        package let seed: UInt64
        package let story: [String]
        package let what: String

        package var description: String {
            "seed \(seed): \(what)\n  " + story.joined(separator: "\n  ") + "\n  again: PAWL_SEED=\(seed)"
        }
    }

    package struct Summary: Sendable {
        package var lives = 0
        package var requests = 0
        package var powerCuts = 0
        package var kills = 0
        package var completed = 0
        /// Jobs of the simulated executors and timers.
        package var jobs = 0
        package var bytesSent: Int64 = 0
        package var fileBytes: Int64 = 0

        package init() {}
    }

    static let directory = "/downloads"
    static let name = "file.bin"
    static let target = directory + "/" + name

    let seed: UInt64
    private var random: SplitMix64
    private var story: [String] = []
    private var summary = Summary()
    private var origin: SimulatedOrigin
    /// Servers of what may be the same file, by host.
    private var mirrors: [String: SimulatedOrigin] = [:]
    private var settings: DownloadSettings
    /// The other place of the file, where it has moved.
    private let movedURL: HTTPURL?
    /// Some runs do not know the digest that others rely on, and may find another version to be right.
    private var forgetsDigest: Bool { seed % 7 == 3 }
    private let disk: SimulatedDisk
    private var hasLostWrites = false
    /// Carried over: wall and monotonic time never go back.
    private var now = Instant.zero

    package init(seed: UInt64) {
        self.seed = seed
        var random = SplitMix64(seed: seed)
        origin = Self.origin(&random)
        settings = Self.settings(&random, origin)
        disk = SimulatedDisk(seed: random.next())
        self.random = random
        mirrors = Self.mirrors(seed, of: origin, &settings)
        movedURL = Self.move(seed, of: origin, &settings, to: &mirrors)
        origin.varyRangeRefusal(seed)
        disk.makeDirectory(Self.directory)
        disk.features.vary(seed)
        story = [
            "versions of \(origin.versions.map(\.bytes.count)) bytes, replaced at \(origin.replacedAt.map { $0.nanoseconds / 1_000_000 } ?? -1) ms, ranges \(origin.ranges) \(origin.rangeRefusal.map { "\($0)" } ?? ""), validator \(origin.validator), \(settings.maximumConnections) connections, digest \(settings.digest != nil), Repr-Digest \(origin.sendsDigest), mirrors \(mirrors.mapValues { $0.versions[0].bytes == origin.versions[0].bytes }), pieces \(settings.pieceHashes?.pieceLength ?? 0)"
        ]
    }

    package mutating func run() throws -> Summary {
        summary.fileBytes = Int64(origin.versions[0].bytes.count)
        for _ in 0..<pick(5) {
            try live(isLast: false)
            if disk.exists(Self.target) { return summary }
        }
        // By then the server has reached the version that the digest, if any, belongs to.
        now = max(now, Instant.zero + .seconds(5))
        try live(isLast: true)
        return summary
    }

    // MARK: Drawing a story

    private mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private static func origin(_ random: inout SplitMix64) -> SimulatedOrigin {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        func chance(_ percent: Int) -> Bool { pick(100) < percent }
        func bytes(_ count: Int) -> [UInt8] {
            var content = SplitMix64(seed: random.next())
            return (0..<count).map { _ in UInt8(truncatingIfNeeded: content.next()) }
        }
        let sizes = [0, 1, pick(4096), pick(40_000), 16_384 + pick(120_000), 65_536]
        let size = sizes[pick(sizes.count)]
        var versions = [
            SimulatedOrigin.Version(
                bytes: bytes(size), entityTag: "\"one\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ]
        let isReplaced = chance(25)
        if isReplaced {
            let newSize = chance(50) ? size : pick(60_000)
            versions.append(
                SimulatedOrigin.Version(
                    bytes: bytes(newSize), entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT"))
        }
        var origin = SimulatedOrigin(versions: versions)
        if isReplaced { origin.replacedAt = .zero + .milliseconds(pick(4000)) }
        origin.ranges = [.honoured, .honoured, .honoured, .honoured, .ignored, .sometimes][pick(6)]
        origin.honoursIfRange = !chance(10)
        origin.refusesIfRange = chance(5)
        origin.validator = chance(70) ? .strong : SimulatedOrigin.Validator.allCases[pick(5)]
        origin.sendsLength = !chance(10)
        origin.sendsDigest = chance(10)
        origin.bytesPerSecond = Int64(20_000 + pick(400_000))
        origin.chunk = [700, 1448, 4096, 16_384][pick(4)]
        origin.latency = .milliseconds(pick(80))
        origin.maximumConnections = chance(20) ? 1 + pick(3) : 64
        origin.redirects = chance(20) ? 1 + pick(3) : 0
        if chance(30) { origin.linkLifetime = .milliseconds(200 + pick(3000)) }
        func sometimes() -> Double { chance(25) ? Double(pick(40)) / 100 : 0 }
        (origin.refuses, origin.dies, origin.diesMidBody) = (sometimes(), sometimes(), sometimes())
        (origin.stalls, origin.crawls, origin.answersBusy) = (sometimes(), sometimes(), sometimes())
        (origin.shiftsStart, origin.dropsContentRange, origin.liesAboutTotal) = (sometimes(), sometimes(), sometimes())
        (origin.answersShort, origin.runsOn, origin.claims416) = (sometimes(), sometimes(), sometimes())
        origin.answersPage = sometimes()
        return origin
    }

    private static func settings(_ random: inout SplitMix64, _ origin: SimulatedOrigin) -> DownloadSettings {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        // A constant of this file, so it parses.
        let signature = pick(6) == 0 ? "?X-Amz-Signature=0a1b" : ""
        let url = try? HTTPURL(parsing: "http://origin.example/file.bin" + signature)
        guard let url else { preconditionFailure("the simulated URL does not parse") }
        var settings = DownloadSettings(url: url)
        settings.maximumConnections = 1 + pick(8)
        settings.smallestPiece = 4096
        settings.overlap = Int64([0, 512, 4096][pick(3)])
        settings.onChange = pick(4) == 0 ? .fail : .restart
        settings.stallTimeout = .seconds(5)
        if pick(4) == 0 { settings.digest = origin.versions.last.flatMap { SimulatedDigests().digest($0.bytes) } }
        return settings
    }

    /// One story in three has mirrors: of the same bytes under tags of their own, of bytes that differ slightly or
    /// greatly, of another length, or gone. The mirrors draw from a seed of their own, so that the other stories stay
    /// as they were.
    private static func mirrors(
        _ seed: UInt64, of origin: SimulatedOrigin, _ settings: inout DownloadSettings
    ) -> [String: SimulatedOrigin] {
        var random = SplitMix64(seed: seed ^ 0x6d69_7272_6f72)
        guard seed % 3 == 0 else { return [:] }
        var mirrors: [String: SimulatedOrigin] = [:]
        for number in 0...Int(random.next() % 3) {
            var mirror = Self.origin(&random)
            var bytes = origin.versions[origin.versions.count - 1].bytes
            switch random.next() % 8 {
            case 0 where !bytes.isEmpty: bytes[Int(random.next() % UInt64(bytes.count))] ^= 1
            case 1: for place in stride(from: 0, to: bytes.count, by: 500) { bytes[place] ^= 1 }
            case 2: bytes.append(7)
            case 3: mirror.refusal = [404, 410, 403, 503][Int(random.next() % 4)]
            default: break
            }
            let tag = random.next() % 2 == 0 ? origin.versions[0].entityTag : "\"mirror\(number)\""
            mirror.versions = [.init(bytes: bytes, entityTag: tag, lastModified: origin.versions[0].lastModified)]
            mirror.replacedAt = nil
            mirror.varyRangeRefusal(random.next())
            let host = "mirror\(number).example"
            mirrors[host] = mirror
            // A constant except for its number, so it parses.
            if let url = try? HTTPURL(parsing: "http://\(host)/file.bin") { settings.mirrors.append(Source(url: url)) }
        }
        let right = origin.versions[origin.versions.count - 1].bytes
        if random.next() % 2 == 0 { settings.digest = SimulatedDigests().digest(right) }
        if random.next() % 3 == 0 { settings.pieceHashes = SimulatedDigests().pieces(right, length: 4096) }
        return mirrors
    }

    /// In one story of five the file has moved, and some lives ask its new host: for the same bytes, with the tag or
    /// the date that they had or with others, or for bytes that differ.
    private static func move(
        _ seed: UInt64, of origin: SimulatedOrigin, _ settings: inout DownloadSettings,
        to servers: inout [String: SimulatedOrigin]
    ) -> HTTPURL? {
        guard seed % 5 == 1, settings.mirrors.isEmpty, let url = try? HTTPURL(parsing: "http://moved.example/file.bin")
        else { return nil }
        var random = SplitMix64(seed: seed ^ 0x6d6f_7665)
        var moved = Self.origin(&random)
        let former = origin.versions[origin.versions.count - 1]
        var version = former
        let isOther = random.next() % 2 == 0
        if isOther, !version.bytes.isEmpty {
            switch random.next() % 3 {
            case 0: version.bytes[Int(random.next() % UInt64(version.bytes.count))] ^= 1
            case 1: for place in stride(from: 0, to: version.bytes.count, by: 500) { version.bytes[place] ^= 1 }
            default: version.bytes.append(7)
            }
        }
        // One tag, length and date for two files would be a lie that nothing shows.
        let tagDiffers = random.next() % 2 == 0
        if tagDiffers { version.entityTag = "\"moved\"" }
        if isOther || !tagDiffers && random.next() % 2 == 0 { version.lastModified = "Mon, 03 Jan 2022 00:00:00 GMT" }
        moved.versions = [version]
        moved.replacedAt = nil
        servers["moved.example"] = moved
        settings.adoptsPartialFile = random.next() % 2 == 0
        return url
    }

    /// Every version of every server.
    private var allVersions: [SimulatedOrigin.Version] { origin.versions + mirrors.values.flatMap(\.versions) }

    private enum Interruption {
        case none, pause(Duration), kill(Duration), powerCut(Duration), stopAt(Int, isPowerCut: Bool)
    }

    private mutating func interruptionToCome() -> Interruption {
        let moment: Duration = .milliseconds(pick(1 + [300, 3000, 30_000][pick(3)]))
        switch pick(6) {
        case 0: return .pause(moment)
        case 1: return .kill(moment)
        case 2: return .powerCut(moment)
        case 3: return .stopAt(1 + pick(60), isPowerCut: true)
        case 4: return .stopAt(1 + pick(60), isPowerCut: false)
        default: return .none
        }
    }

    // MARK: Running a life

    private mutating func live(isLast: Bool, attempt: Int = 0) throws {
        summary.lives += 1
        let runtime = SimulatedRuntime(seed: random.next(), now: now)
        let network = SimulatedNetwork(
            isLast ? origin.healed : origin, others: isLast ? mirrors.mapValues(\.healed) : mirrors, runtime: runtime)
        let ending = Locked<DownloadDriver.Ending?>(nil)
        let reports = Locked<[String]>([])
        var plan = Plan(settings: settings, directory: Self.directory)
        // A later run may not know the digest that an earlier one relied on.
        if forgetsDigest, !isLast, random.next() % 2 == 0 { plan.settings.digest = nil }
        if let movedURL, random.next() % 2 == 0, !isLast || mayEndElsewhere {
            if random.next() % 2 == 0 { plan.settings.url = movedURL } else { plan.settings.freshURL = movedURL }
        }
        if random.next() % 2 == 0 { plan.fileName = Self.name }
        var ports = Ports(transport: network, storage: disk, runtime: runtime, digests: SimulatedDigests())
        ports.largestHeldFile = SimulatedDisk.largestHeldFile(seed)
        let driver = DownloadDriver(
            plan, ports: ports,
            listener: ClosureListener(
                report: { report in reports.withLock { $0.append("  \(report)") } },
                ended: { value in ending.withLock { $0 = value } }))
        let interruption = isLast ? .none : interruptionToCome()
        disk.faults = isLast ? FaultPlan() : faults()
        story.append("life \(summary.lives) at \(now.nanoseconds / 1_000_000) ms: \(interruption)")

        let isCut = Locked(false)
        switch interruption {
        case .none: break
        case .pause(let moment): runtime.after(moment) { driver.pause() }
        case .kill(let moment), .powerCut(let moment): runtime.after(moment) { isCut.withLock { $0 = true } }
        case .stopAt(let operation, _): disk.stopAfter(operations: operation)
        }
        driver.start()
        let limit: Duration = .seconds(2 * 3600)
        let settled = runtime.run(limit: limit) { ending.withLock { $0 != nil } || isCut.withLock { $0 } }
        summary.jobs += runtime.jobs
        runtime.halt()
        now = runtime.now + .seconds(1)
        summary.requests += network.requests.count
        summary.bytesSent += network.bodyBytesSent
        let last = ending.withLock { $0 }
        for request in network.requests {
            let fields = request.fields.filter { ["Range", "If-Range", "If-Unmodified-Since"].contains($0.name) }
            story.append(
                "  GET \(request.url.host)\(request.url.path) \(fields.map { "\($0.name): \($0.value)" }.joined(separator: ", "))"
            )
        }
        story += reports.withLock { $0 }
        story.append("  → \(last.map { "\($0.phase)" } ?? "cut") after \(network.requests.count) requests")
        guard settled else { throw failure("not ended after two hours") }

        endLife(interruption, wasCut: last == nil)
        if let journal = disk.contents(of: Self.directory + "/" + FileName.journalName(for: Self.name)),
            case .record(let record) = Journal.decode(journal)
        {
            story.append(
                "  journal of \(record.url), \(record.representation.entityTag?.raw ?? "no tag"): \(record.durable)")
        }
        try checkDisk()
        guard let last else { return isLast ? try { throw failure("nothing left to do, and no end") }() : () }
        try check(last, isLast: isLast, attempt: attempt)
    }

    private mutating func faults() -> FaultPlan {
        var plan = FaultPlan()
        guard pick(6) == 0 else { return plan }
        let operations = SimulatedDisk.Operation.allCases
        let reasons: [StorageError.Reason] = [.inputOutput, .noSpace, .permissionDenied, .readOnly]
        plan.fail(operations[pick(operations.count)], call: 1 + pick(8), with: reasons[pick(reasons.count)])
        return plan
    }

    private mutating func endLife(_ interruption: Interruption, wasCut: Bool) {
        switch interruption {
        case .powerCut where wasCut, .stopAt(_, isPowerCut: true):
            summary.powerCuts += 1
            disk.crash()
        case .none, .pause, .kill, .powerCut, .stopAt:
            // A program that has ended, cleanly or not, leaves its writes in the page cache.
            if wasCut { summary.kills += 1 }
            disk.kill()
            if pick(8) == 0 {
                story.append("  the system fails to write back")
                disk.failWriteback()
                hasLostWrites = true
            }
        }
        disk.faults = FaultPlan()
    }

    // MARK: Judging

    private func failure(_ what: String) -> Failure { Failure(seed: seed, story: story, what: what) }

    private func checkDisk() throws {
        if let target = disk.contents(of: Self.target), settings.decidesByDigest, !forgetsDigest, !mirrors.isEmpty,
            target != origin.versions[origin.versions.count - 1].bytes
        {
            throw failure("the final name holds other bytes than the digest names")
        }
        if let target = disk.contents(of: Self.target), !allVersions.contains(where: { $0.bytes == target }) {
            throw failure("the final name holds \(target.count) bytes that are no version of the file")
        }
        guard let journal = disk.contents(of: Self.directory + "/" + FileName.journalName(for: Self.name)),
            case .record(let record) = Journal.decode(journal),
            let partial = disk.contents(of: Self.directory + "/" + FileName.partialName(for: Self.name))
        else { return }
        // The identity check rejects claims about a file that is gone; check only claims about the present file.
        guard isOwn(record) else { return }
        let isTrue = allVersions.contains { version in
            if let tag = record.representation.entityTag, !tag.raw.hasSuffix(version.entityTag) { return false }
            return record.durable.ranges.allSatisfy { range in
                guard range.end <= Int64(min(partial.count, version.bytes.count)) else { return false }
                let slice = Int(range.start)..<Int(range.end)
                return partial[slice] == version.bytes[slice]
            }
        }
        // With a digest known in advance, bytes of unproven origin are accepted and sorted out at the end.
        guard isTrue || settings.decidesByDigest || origin.sendsDigest || mirrors.values.contains(where: \.sendsDigest)
        else {
            throw failure("the journal claims \(record.durable.ranges), which is not true")
        }
    }

    private func isOwn(_ record: JournalRecord) -> Bool {
        guard let directory = try? disk.openDirectory(Self.directory),
            let status = try? directory.status(FileName.partialName(for: Self.name))
        else { return false }
        return status.identity == FileIdentity(device: record.partialDevice, inode: record.partialInode)
    }

    private mutating func check(_ ending: DownloadDriver.Ending, isLast: Bool, attempt: Int) throws {
        switch ending.phase {
        case .completed(let outcome):
            summary.completed += 1
            // The user may cut the power as soon as the download is reported complete.
            disk.crash()
            guard let bytes = disk.contents(of: Self.target) else { throw failure("completed without a file") }
            if outcome.isVerified, !forgetsDigest, let digest = settings.digest,
                SimulatedDigests().digest(bytes) != digest
            {
                throw failure("verified, with another digest")
            }
            let left = disk.names(in: Self.directory).filter { $0 == Self.name + ".part" || $0 == Self.name + ".pawl" }
            guard left.isEmpty else { throw failure("completed, and left \(left)") }
        case .failed(let error):
            // A directory that cannot be synced fails the download after the rename: the final file is complete then,
            // as checked above.
            let mayHaveName = [.fileExists, .diskError, .diskFull, .notWritable].contains(error.code)
            guard disk.contents(of: Self.target) == nil || mayHaveName else {
                throw failure("failed, with the final name there")
            }
            guard isLast else { return }
            // An earlier life may have mixed bytes that only the digest can tell apart, or left data whose failed
            // writeback is reported only now. A retry without that must succeed.
            if error.code == .digestMismatch || error.code == .diskError, attempt < 2 {
                if error.remedies.contains(.stopAdopting) { settings.adoptsPartialFile = false }
                return try live(isLast: true, attempt: attempt + 1)
            }
            // Bytes of the other host that cannot be shown to be of the same file are left as they are.
            if movedURL != nil, error.code == .journal, attempt < 4 {
                // What a disk lost that has neither marks nor times of birth looks like another file.
                if hasLostWrites, error.remedies == [.removeJournal] {
                    let journal = FileName.journalName(for: Self.name)
                    let directory = try disk.openDirectory(Self.directory)
                    if let status = try directory.status(journal) {
                        try directory.remove(journal, ifStill: status.identity)
                    }
                }
                (settings.ifExists, settings.adoptsPartialFile) = (.replace, false)
                return try live(isLast: true, attempt: attempt + 1)
            }
            guard isExpected(error) else { throw failure("the last life failed: \(error.code), \(error.message)") }
        case .paused:
            if isLast { throw failure("paused by itself") }
        default: throw failure("ended in \(ending.phase)")
        }
    }

    private func isExpected(_ error: DownloadError) -> Bool {
        switch error.code {
        // A false total in an early answer makes the true one look like a change.
        case .changed: settings.onChange == .fail && (origin.replacedAt != nil || isAnyTotalFalse)
        default: false
        }
    }

    /// The new host has the file that the digest, if any, belongs to.
    private var mayEndElsewhere: Bool {
        guard settings.decidesByDigest, let moved = mirrors["moved.example"] else { return true }
        return moved.versions[0].bytes == origin.versions[origin.versions.count - 1].bytes
    }

    private var isAnyTotalFalse: Bool {
        let length = origin.versions[origin.versions.count - 1].bytes.count
        return origin.liesAboutTotal > 0
            || mirrors.values.contains { $0.liesAboutTotal > 0 || $0.versions.contains { $0.bytes.count != length } }
    }
}
