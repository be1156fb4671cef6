import PawlCore
import PawlEngine
import Synchronization

/// One seed, one story of a second family: servers with false validators, servers that close kept connections, users
/// who move files between runs, disks that reuse inode numbers, and URLs that look alike.
///
/// ``Simulation`` asks whether the program survives its own end; this family asks what it believes of others. After
/// each life the disk is compared with its state before: see `MeddlingStory+Judging.swift`.
package struct MeddlingStory {
    package typealias Failure = Simulation.Failure

    package struct Summary: Sendable {
        package var stories = 0
        package var lives = 0
        package var requests = 0
        package var completed = 0
        package var cuts = 0
        package var acts = 0

        package init() {}
    }

    /// The subject of a story. The seed decides; other troubles join by chance.
    package enum Trouble: String, CaseIterable, Sendable {
        /// A file is replaced within the second in which it was made, so its validators stay the same (FAULTS V08).
        case sameSecond
        /// Entity tags that mean nothing: empty, unquoted, in two lines.
        case oddTags
        /// A 416 about another version while the length is unknown.
        case denials
        /// A shorter file replaces the one held, on a server without ranges, lengths and validators.
        case shorter
        /// Kept connections that the server closes at the second request.
        case stale
        /// Reused inode numbers.
        case inodes
        /// People who move, copy and remove files, other programs' files, and `--adopt`.
        case users
        /// Two URLs that differ only in a secret.
        case twins
    }

    /// A deception that no program can see through. Stories with one must fail; if they do not, the judges check
    /// nothing.
    package enum Blindness: CaseIterable, Sendable {
        /// The server's clock is minutes ahead of its files' times, and two versions share one validator.
        case clock
        /// One strong entity tag for all versions.
        case tags
        /// No file shows its holes, and no other program marks its files as its own.
        case holes

        package var trouble: Trouble {
            switch self {
            case .clock: .sameSecond
            case .tags: .oddTags
            case .holes: .users
            }
        }
    }

    static let directory = "/downloads"

    let seed: UInt64
    let troubles: Set<Trouble>
    let blindness: Blindness?
    var random: SplitMix64
    var story: [String] = []
    var summary = Summary()
    let world: World
    let disk: SimulatedDisk
    /// Carried over: wall and monotonic time never go back.
    var now = Instant.zero
    /// The names under which wanted downloads were completed, by their index.
    var completed: [Int: String] = [:]
    /// Serials of the files that `--adopt` handed to Pawl.
    var given: Set<Int> = []
    /// The bytes that adopted files held then, by serial number.
    var adopted: [Int: [UInt8]] = [:]

    /// Creates the story of a seed; nil if it is about a trouble that is not enabled.
    package init?(
        seed: UInt64, among enabled: Set<Trouble> = Set(Trouble.allCases), blindness: Blindness? = nil
    ) {
        self.seed = seed
        self.blindness = blindness
        let main = blindness?.trouble ?? Trouble.allCases[Int(seed % UInt64(Trouble.allCases.count))]
        guard enabled.contains(main) else { return nil }
        random = SplitMix64(seed: seed ^ 0x6d65_6464_6c65)
        var troubles: Set<Trouble> = [main]
        for other in Trouble.allCases where random.next() % 8 == 0 { troubles.insert(other) }
        self.troubles = troubles.intersection(enabled)
        // From a seed of its own, so that the other stories stay as they were.
        var chance = SplitMix64(seed: seed ^ 0x666f_6c64)
        let folding = SimulatedDisk.NameFolding.allCases[Int(chance.next() % 3)]
        world = World(self.troubles, main: main, blindness: blindness, folding, &random)
        disk = SimulatedDisk(seed: random.next())
        var features = SimulatedDisk.Features()
        features.hasMarks = random.next() % 4 != 0
        features.recordsCreation = random.next() % 2 == 0
        features.reusesInodes = self.troubles.contains(.inodes)
        if blindness == .holes { features.tellsHoles = false }
        features.vary(seed / 16)
        features.folding = world.folding
        disk.features = features
        disk.makeDirectory(Self.directory)
        story =
            [
                "\(self.troubles.map(\.rawValue).sorted().joined(separator: ", "))\(features.hasMarks ? "" : ", no marks")\(features.recordsCreation ? "" : ", no birth times"), \(features.folding)"
            ] + world.description
    }

    package mutating func run() throws -> Summary {
        summary.stories = 1
        for _ in 0..<(1 + pick(4)) {
            meddle()
            try live(isLast: false)
            // Users have more to do once a file is finished.
            if completed.count == world.wanted.count, !troubles.contains(.users) { return summary }
        }
        meddle()
        now = max(now, world.settledAt)
        try live(isLast: true)
        if completed.count < world.wanted.count { try live(isLast: true) }
        return summary
    }

    mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    func failure(_ what: String) -> Failure { Failure(seed: seed, story: story, what: what) }

    // MARK: One life of the program

    enum Interruption {
        case none, pause(Duration), kill(Duration), powerCut(Duration), stopAt(Int, isPowerCut: Bool)

        var mayCut: Bool {
            switch self {
            case .none, .pause: false
            case .kill, .powerCut, .stopAt: true
            }
        }
    }

    private mutating func interruptionToCome() -> Interruption {
        let moment: Duration = .milliseconds(pick(1 + [300, 3000, 10_000][pick(3)]))
        switch pick(6) {
        case 0: return .pause(moment)
        case 1: return .kill(moment)
        case 2: return .powerCut(moment)
        case 3: return .stopAt(1 + pick(60), isPowerCut: pick(2) == 0)
        default: return .none
        }
    }

    /// One of the downloads of a life.
    struct Run: Sendable {
        let index: Int
        let plan: Plan
        /// The end of the download; nil if the process ended first.
        var end: End?
    }

    enum End: Sendable {
        case completed(name: String?)
        case skipped(name: String?)
        case failed(DownloadError)
        case paused
        case inTheMiddle(String)
    }

    private mutating func live(isLast: Bool) throws {
        summary.lives += 1
        let runtime = SimulatedRuntime(seed: random.next(), now: now)
        let network = world.network(isHealed: isLast, runtime)
        let interruption = isLast ? .none : interruptionToCome()
        let usesManager = world.wanted.count > 1 && pick(3) == 0
        let indices = isLast || usesManager ? Array(world.wanted.indices) : chosen()
        let plans = indices.map { plan($0, mayAdopt: !isLast && !usesManager) }
        let before = Snapshot(disk, Self.directory, given: given)
        // From a seed of its own, so that the stories stay as they were.
        var chance = SplitMix64(seed: seed ^ 0x6f6e_6572_756e &+ UInt64(summary.lives))
        let isOneRun = chance.next() % 2 == 0
        story.append(
            "life \(summary.lives) at \(now.nanoseconds / 1_000_000) ms: \(interruption)\(usesManager ? ", in a manager" : "")\(isOneRun ? ", as one run" : "")"
        )
        for (index, plan) in zip(indices, plans) { story.append("  wants \(index) \(plan.story)") }
        let life = Life(
            zip(indices, plans).map { Run(index: $0, plan: $1) }, isOneRun: isOneRun,
            largestHeldFile: SimulatedDisk.largestHeldFile(seed / 16))
        let isSequential = isLast || pick(2) == 0
        if usesManager {
            try life.runInManager(interruption, network, disk, runtime, isLast: isLast)
        } else {
            life.run(interruption, network, disk, runtime, isSequential: isSequential)
        }
        let wasCut = life.runs.contains { $0.end == nil }
        now = runtime.now + .seconds([1, 3, 90][pick(3)])
        tell(network, life)
        summary.requests += network.requestCount
        guard !life.isStorm(network) else {
            throw failure("\(network.requestCount) requests, \(network.fruitfulCount) of use")
        }
        guard !life.isStuck else { throw failure("not ended after two hours") }
        end(interruption, wasCut: wasCut)
        try judge(life, before, network, mayBeCut: interruption.mayCut)
    }

    private mutating func chosen() -> [Int] {
        guard world.wanted.count > 1 else { return [0] }
        return [[0], [1], [0, 1], [1, 0]][pick(4)]
    }

    private mutating func plan(_ index: Int, mayAdopt: Bool) -> Plan {
        let wanted = world.wanted[index]
        var plan = Plan(settings: wanted.settings, directory: Self.directory)
        plan.fileName = wanted.fileName
        plan.ifExists = world.ifExists
        plan.settings.seed = random.next()
        plan.settings.epochAtZero = 1_700_000_000
        if troubles.contains(.users), pick(5) < 2, mayAdopt { plan.adoptsPartialFile = true }
        return plan
    }

    private mutating func end(_ interruption: Interruption, wasCut: Bool) {
        if wasCut { summary.cuts += 1 }
        switch interruption {
        case .powerCut where wasCut, .stopAt(_, isPowerCut: true): disk.crash()
        case .none, .pause, .kill, .powerCut, .stopAt: disk.kill()
        }
        disk.writeBack()
    }

    private mutating func tell(_ network: SimulatedNetwork, _ life: Life) {
        for request in network.requests.prefix(60) {
            let fields = request.fields.filter {
                ["Range", "If-Range", "If-Unmodified-Since", "Authorization"].contains($0.name)
            }
            story.append(
                "  GET \(request.url.serialized) \(fields.map { "\($0.name): \($0.value)" }.joined(separator: ", "))")
        }
        story += life.reports
        for run in life.runs { story.append("  → \(run.index): \(run.end.map { "\($0)" } ?? "cut")") }
        for item in disk.items(in: Self.directory) {
            story.append(
                "  \(item.name): \(item.bytes.count) bytes, \(item.ownership)\(item.mark == nil ? "" : ", marked"), inode \(item.inode)"
            )
        }
    }
}

extension Plan {
    fileprivate var story: String {
        "\(fileName ?? "-") \(existingFilePolicy)\(self.adoptsPartialFile ? ", adopts" : "")"
    }
}
