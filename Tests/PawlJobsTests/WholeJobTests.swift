import PawlArchive
import PawlCore
import PawlEngine
import PawlTestKit
import Synchronization
import Testing

@testable import PawlJobs

/// Whole runs in simulation: a list and a Metalink, mirrors that lie, digests, unpacking, and hooks. A user pauses and
/// stops files, and the machine is killed or loses power in between.
@Suite struct WholeJobTests {
    @Test(arguments: 0..<20)
    func `a run restarted after every interruption ends with all files complete and unpacked`(chapter: Int) throws {
        let count = 50
        for number in 0..<count {
            var story = WholeJobStory(seed: UInt64(chapter * count + number))
            try story.run()
        }
    }
}

struct WholeJobStory {
    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A file and its hosts.
    private struct File {
        var name: String
        var bytes: [UInt8]
        /// The first host is the one that the job names.
        var hosts: [String]
        var isInMetalink: Bool
        var unpacking: Unpacking?
        var hasDigest: Bool
    }

    private let seed: UInt64
    private var random: SplitMix64
    private let disk: SimulatedDisk
    private var origins: [String: SimulatedOrigin] = [:]
    private var files: [File] = []
    private var now = Instant.zero
    private var lives = 0
    /// The events of each life.
    private var story: [(began: Instant, events: [JobEvent])] = []
    /// Archives that were removed after they were unpacked, in an earlier life.
    private var removed: Set<String> = []
    /// Finished files that were later altered although a digest describes them.
    private var spoiled: Set<String> = []

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        disk = SimulatedDisk(seed: random.next())
        disk.makeDirectory(SimulatedPorts.directory)
        disk.makeDirectory(SimulatedPorts.documents)
        for number in 0..<(1 + pick(4)) { makeFile(number) }
        makeMetalink()
    }

    private mutating func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }

    private func failure(_ what: String) -> Failure {
        let told = story.enumerated().flatMap { life, told in
            ["life \(life + 1) from \((told.began - .zero).inSeconds) s"] + told.events.map { "  \($0)" }
        }
        return Failure(description: "seed \(seed), life \(lives): \(what)\n  " + told.joined(separator: "\n  "))
    }

    // MARK: The world

    private mutating func makeFile(_ number: Int) {
        var content = SplitMix64(seed: random.next())
        let bytes = (0..<[0, 700, 9000, 30_000][pick(4)]).map { _ in UInt8(truncatingIfNeeded: content.next()) }
        var file = File(
            name: "f\(number).zip", bytes: bytes, hosts: [], isInMetalink: pick(2) == 0, hasDigest: pick(3) > 0)
        if pick(3) > 0 {
            file.unpacking = Unpacking()
            file.unpacking?.removesArchive = pick(3) == 0
        }
        for mirror in 0..<(1 + pick(3)) {
            let host = "host\(number)-\(mirror).example"
            file.hosts.append(host)
            var origin = SimulatedOrigin(versions: [
                .init(bytes: bytes, entityTag: "\"\(number)\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
            ])
            origin.bytesPerSecond = Int64([20_000, 200_000][pick(2)])
            origin.latency = .milliseconds(1 + pick(50))
            if pick(3) == 0 { origin.ranges = .ignored }
            if pick(3) == 0 { origin.diesMidBody = 0.2 }
            if pick(4) == 0 { origin.answersBusy = 0.2 }
            if pick(4) == 0 { origin.stalls = 0.1 }
            // A mirror with a wrong file. Only a digest permits asking it.
            if mirror > 0, file.hasDigest, !bytes.isEmpty, pick(3) == 0 {
                origin.versions[0].bytes[pick(bytes.count)] ^= 1
            }
            origins[host] = origin
        }
        files.append(file)
    }

    private mutating func makeMetalink() {
        let described = files.filter(\.isInMetalink).map { file in
            let digest = file.hasDigest ? SimulatedDigests().digest(file.bytes) : nil
            let hash = digest.map { "<hash type=\"sha-256\">\($0.hex)</hash>" } ?? ""
            let urls = file.hosts.enumerated().map { "<url priority=\"\($0 + 1)\">http://\($1)/\(file.name)</url>" }
                .joined()
            return "<file name=\"\(file.name)\"><size>\(file.bytes.count)</size>\(hash)\(urls)</file>"
        }
        let text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(described.joined())</metalink>"
        var origin = SimulatedOrigin(versions: [
            .init(bytes: Array(text.utf8), entityTag: "\"m\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        if pick(3) == 0 { origin.diesMidBody = 0.3 }
        origins["documents.example"] = origin
    }

    /// The jobs of the run: one for each entry of the list, and one for the Metalink.
    private func jobs() throws -> [JobSpec] {
        var template = JobSpec("")
        template.directory = SimulatedPorts.directory
        template.options.ifExists = .skip
        template.options.maximumConnections = 4
        template.hook = ["notify"]
        var jobs: [JobSpec] = []
        for file in files where !file.isInMetalink {
            var text = file.hosts.map { "http://\($0)/\(file.name)" }.joined(separator: "\t") + "\n  out=\(file.name)\n"
            if file.hasDigest, let digest = SimulatedDigests().digest(file.bytes) { text += "  checksum=\(digest)\n" }
            var like = template
            like.unpacking = file.unpacking
            var batch = JobBatch(
                like: like, output: nil, directory: like.directory, holdsSecrets: false, isDirectory: { _ in false })
            try batch.add(list: "list") { (_) throws(DownloadList.Problem) in
                ListReader(try DownloadList(parsing: Array(text.utf8)).entries)
            }
            jobs += batch.jobs
        }
        guard files.contains(where: \.isInMetalink) else { return jobs }
        template.source = .metalink("http://documents.example/list.meta4")
        template.unpacking = files.first(where: \.isInMetalink)?.unpacking
        return jobs + [template]
    }

    /// How a file is unpacked. All files of the Metalink share one setting.
    private func unpacking(of file: File) -> Unpacking? {
        file.isInMetalink ? files.first(where: \.isInMetalink)?.unpacking : file.unpacking
    }

    // MARK: Lives

    mutating func run() throws {
        for _ in 0..<pick(5) {
            try live(isLast: false)
            spoil()
        }
        try live(isLast: true)
    }

    /// Alters a finished file that is yet to be unpacked, so the next run must verify it again.
    private mutating func spoil() {
        guard pick(4) == 0,
            let file = files.first(where: { $0.hasDigest && unpacking(of: $0) != nil && !$0.bytes.isEmpty })
        else { return }
        guard disk.exists(path(file)), !disk.exists(path(file) + ".unpacked") else { return }
        disk.overwrite(path(file), at: 0, with: [~file.bytes[0]])
        spoiled.insert(file.name)
    }

    private mutating func live(isLast: Bool) throws {
        lives += 1
        let runtime = SimulatedRuntime(seed: random.next(), now: now)
        let origins = isLast ? origins.mapValues(\.healed) : origins
        let network = SimulatedNetwork(SimulatedOrigin(versions: []), others: origins, runtime: runtime)
        let world = SimulatedPorts(network, disk, runtime)
        let events = Shared<[JobEvent]>([])
        var rules = JobMachine.Rules()
        rules.maximumFetching = 1 + pick(4)
        let driver = JobDriver(try jobs(), rules: rules, ports: world.ports) { news in
            events.value.withLock { $0 += news }
        }
        let isCut = Shared(false)
        if !isLast { interrupt(driver, runtime, isCut) }
        driver.start()
        let settled = runtime.run(limit: .seconds(3600)) {
            world.fetches.pump()
            return isCut.value.withLock { $0 } || events.value.withLock { $0.last == .finished }
        }
        let told = events.value.withLock { $0 }
        story.append((now, told))
        guard settled, isCut.value.withLock({ $0 }) || told.last == .finished else { throw failure("it does not end") }
        runtime.halt()
        now = runtime.now + .seconds(1)
        if pick(2) == 0 { disk.crash() } else { disk.kill() }
        try checkDisk()
        try check(told, world.hooks.calls, isLast: isLast)
        for file in files
        where unpacking(of: file)?.removesArchive == true && disk.exists(path(file) + ".unpacked")
            && !disk.exists(path(file))
        {
            removed.insert(file.name)
        }
    }

    private mutating func interrupt(_ driver: JobDriver, _ runtime: SimulatedRuntime, _ isCut: Shared<Bool>) {
        let count = files.count
        for _ in 0..<pick(6) {
            let id = JobFileID(1 + pick(count))
            let moment = Duration.milliseconds(pick(4000))
            runtime.after(moment) { driver.pause(id) }
            runtime.after(moment + .milliseconds(pick(3000))) { driver.resume(id) }
        }
        let end = Duration.milliseconds([100, 1000, 8000][pick(3)] + pick(2000))
        if pick(4) == 0 { runtime.after(end) { driver.stop() } }
        // Every life is cut off in the end, because paused files would wait forever.
        runtime.after(end + .seconds(pick(2) * 10)) { isCut.value.withLock { $0 = true } }
    }

    // MARK: Judging

    private func path(_ file: File) -> String { SimulatedPorts.directory + "/" + file.name }

    private func checkDisk() throws {
        for file in files {
            let isSpoiled = spoiled.contains(file.name)
            if let bytes = disk.contents(of: path(file)), bytes != file.bytes, !isSpoiled {
                throw failure("\(file.name) has other bytes than its server's")
            }
            if let bytes = disk.contents(of: path(file) + ".unpacked"), bytes != SimulatedArchives.unpacked(file.bytes)
            {
                throw failure("\(file.name) was unpacked from other bytes")
            }
        }
    }

    private func check(_ events: [JobEvent], _ calls: [SimulatedHooks.Call], isLast: Bool) throws {
        guard events.count(where: { $0 == .finished }) <= 1 else { throw failure("it finished more than once") }
        for call in calls {
            guard let file = files.first(where: { $0.name == call.file.spec.fileName }) else {
                throw failure("a hook for nobody's file")
            }
            guard case .completed(_, let unpacked) = call.outcome else { continue }
            let isRemoved = unpacking(of: file)?.removesArchive == true && unpacked?.isSkipped == false
            guard call.bytes == file.bytes || (isRemoved && call.bytes == nil) else {
                throw failure("a hook found \(file.name) not whole")
            }
            guard unpacking(of: file) == nil || call.unpacked == SimulatedArchives.unpacked(file.bytes) else {
                throw failure("a hook found \(file.name) not unpacked")
            }
        }
        guard Set(calls.map(\.file)).count == calls.count else { throw failure("a hook ran twice") }
        guard isLast else { return }
        var outcomes: [JobFileID: JobOutcome] = [:]
        for case .ended(let id, let outcome) in events { outcomes[id] = outcome }
        guard outcomes.count == files.count, calls.count == files.count else {
            throw failure("\(outcomes.count) of \(files.count) have ended")
        }
        for call in calls { try check(call) }
    }

    /// In the last life everything works, except archives that were unpacked and removed before: they are fetched
    /// again, and their target exists.
    private func check(_ call: SimulatedHooks.Call) throws {
        let name = call.file.spec.fileName ?? ""
        switch call.outcome {
        case .completed:
            guard !spoiled.contains(name) else { throw failure("\(name) was spoiled, and nobody has noticed") }
        case .failed(.verify, .existingFileDiffers, _) where spoiled.contains(name): break
        case .failed(.fetch, .download(let error), nil) where spoiled.contains(name) && error.code == .digestMismatch:
            break
        case .failed(.unpack, .archive(let error), _) where error.code == .targetExists && removed.contains(name): break
        case .failed, .stopped: throw failure("\(name) ended with \(call.outcome)")
        }
    }
}
