import Pawl
import PawlAria2
import PawlCore
import PawlJobs

/// The members of a status that a call asks for.
struct StatusKeys {
    private let keys: Set<ExactText>

    /// - Parameter keys: empty for all.
    init(_ keys: [String]) { self.keys = Set(keys.map { ExactText($0) }) }

    func wants(_ key: StaticString) -> Bool { keys.isEmpty || keys.contains(ExactText("\(key)")) }
}

extension Aria2 {
    /// A part of a list: from its end, and backwards, if the offset is negative.
    struct Extract {
        var offset: Int
        var count: Int

        /// The indices of it in a list of so many.
        func indices(of size: Int) -> Range<Int> {
            if offset >= 0 { return min(offset, size)..<(min(offset, size) + min(count, size - min(offset, size))) }
            let last = size + offset
            guard last >= 0 else { return 0..<0 }
            return max(0, last + 1 - min(count, size))..<(last + 1)
        }
    }

    func page(_ given: RPCParameters) throws(RPCError) -> Extract {
        Extract(offset: try given.integer(0), count: try given.integer(1, atLeast: 0))
    }

    // MARK: Lists

    func tellStatus(_ text: String, _ keys: StatusKeys) throws(RPCError) -> JSONValue {
        let known = try known(text)
        return status(known.job, known.isRemoved ? "removed" : state(of: known.job), keys)
    }

    func tellActive(_ keys: StatusKeys, _ room: Int) throws(RPCError) -> RPCText {
        try statuses(Self.everything, keys, room) { (range) throws(RPCError) in
            try jobs(Self.active, range).map { ($0, state(of: $0)) }
        }
    }

    /// Returns aria2's state of a job. A job that waits for forgotten secrets counts as paused: it does not run, and
    /// `unpause` says what it lacks.
    private func state(of job: StoredJob) -> String {
        job.state == .waiting && service.lacksSecrets(job) ? "paused" : job.aria2State()
    }

    func tellWaiting(_ page: Extract, _ keys: StatusKeys, _ room: Int) throws(RPCError) -> RPCText {
        let size = try reading { () throws(DownloadError) in try store.counts() }
        let range = page.indices(of: Self.waiting.reduce(0) { $0 + (size[$1] ?? 0) })
        return try statuses(range, isReversed: page.offset < 0, keys, room) { (range) throws(RPCError) in
            try jobs(Self.waiting, range).map { ($0, $0.aria2State()) }
        }
    }

    /// Writes statuses until all are told or there is no room for more, reading some of the list at once.
    private func statuses(
        _ range: Range<Int>, isReversed: Bool = false, _ keys: StatusKeys, _ room: Int,
        _ read: (Range<Int>) throws(RPCError) -> [(StoredJob, String)]
    ) throws(RPCError) -> RPCText {
        var texts: [RPCText] = []
        var (rest, room) = (range, room)
        while !rest.isEmpty {
            let part = rest.prefix(Self.readAtOnce)
            let found = try read(part)
            for (job, state) in found {
                texts.append(RPCText(status(job, state, keys)))
                room -= texts[texts.count - 1].bytes.count + 1
                guard room >= 0 else { throw .tooLarge }
            }
            // The end of the list, which may be shorter than it was.
            guard found.count == part.count else { break }
            rest = part.upperBound..<rest.upperBound
        }
        return isReversed ? RPCText(list: texts.reversed()) : RPCText(list: texts)
    }

    /// The oldest first, removed downloads among the others.
    func tellStopped(_ page: Extract, _ keys: StatusKeys, _ room: Int) throws(RPCError) -> RPCText {
        let counts = try reading { () throws(DownloadError) in try store.counts() }
        let removed = memory.removed
        let ended = Self.stopped.reduce(0) { $0 + (counts[$1] ?? 0) }
        let range = page.indices(of: ended + removed.count)
        return try statuses(range, isReversed: page.offset < 0, keys, room) { (range) throws(RPCError) in
            try stopped(range, ended, removed).map { ($0, $0.aria2State(isRemoved: $1)) }
        }
    }

    /// - Parameter ended: how many jobs have ended, besides those that were removed.
    private func stopped(
        _ range: Range<Int>, _ ended: Int, _ removed: [StoredJob]
    ) throws(RPCError) -> [(StoredJob, isRemoved: Bool)] {
        // At most so many removed ones stand before the first that is wanted. Lists have what has ended the newest
        // first.
        let start = max(0, range.lowerBound - removed.count)
        let end = min(range.upperBound, ended)
        let jobs = start < end ? try jobs(Self.stopped, (ended - end)..<(ended - start)).reversed() : []
        var (merged, rest): ([(StoredJob, isRemoved: Bool)], ArraySlice<StoredJob>) = ([], removed[...])
        for job in jobs {
            let earlier = rest.prefix { ($0.ended ?? 0) < (job.ended ?? 0) }
            rest = rest.dropFirst(earlier.count)
            merged += earlier.map { ($0, true) }
            merged.append((job, false))
        }
        merged += rest.map { ($0, true) }
        return Array(merged.dropFirst(range.lowerBound - start).prefix(range.count))
    }

    /// The jobs that are read from the database at once.
    private static let readAtOnce = 500
    static let everything = 0..<Int(Int32.max)

    func jobs(_ states: Set<StoredJob.State>, _ range: Range<Int>) throws(RPCError) -> [StoredJob] {
        guard !range.isEmpty else { return [] }
        return try reading { () throws(DownloadError) in
            var query = JobQuery()
            (query.states, query.offset, query.limit) = (states, range.lowerBound, range.count)
            return try store.jobs(query)
        }
    }

    var globalStat: JSONValue {
        get throws(RPCError) {
            let counts = try reading { () throws(DownloadError) in try store.counts() }
            func count(_ states: Set<StoredJob.State>) -> Int { states.reduce(0) { $0 + (counts[$1] ?? 0) } }
            let speed = service.running.reduce(0) { $0 + $1.progress.bytesPerSecond }
            let stopped = count(Self.stopped)
            return [
                "downloadSpeed": .text(Int64(saturating: speed)), "numActive": .text(count(Self.active)),
                "numStopped": .text(stopped + memory.removed.count),
                "numStoppedTotal": .text(stopped + memory.goneInAll),
                "numWaiting": .text(count(Self.waiting)), "uploadSpeed": "0",
            ]
        }
    }

    // MARK: One download

    func progress(of job: StoredJob) -> DownloadProgress? {
        guard !job.state.hasEnded else { return nil }
        return job.download.flatMap { service.snapshot($0) }?.progress
            ?? (job.isDirect ? service.directProgress(of: job.number) : nil)
    }

    private func status(_ job: StoredJob, _ state: String, _ keys: StatusKeys) -> JSONValue {
        let isStopped = ["complete", "error", "removed"].containsExactly(state)
        let isActive = state.isExactly("active")
        let progress = isStopped ? nil : progress(of: job)
        let total = progress?.totalBytes ?? job.total ?? 0
        let length = Bitfield.pieceLength(pieceLength(of: job), of: total)
        let stored = progress.map { $0.hasBegun || $0.bytesStored > 0 ? $0.bytesStored : job.stored } ?? job.stored
        var members: [JSONValue.Member] = []
        func add(_ key: StaticString, _ value: @autoclosure () -> JSONValue?) {
            if keys.wants(key), let value = value() { members.append(.init(key: "\(key)", value: value)) }
        }
        add(
            "bitfield",
            Bitfield.text(job.storedRanges(progress, total: total), total: total, pieceLength: length).map {
                .string($0)
            })
        add("completedLength", .text(stored))
        add("connections", .text(isActive ? progress?.connections.count ?? 0 : 0))
        add("dir", .string(job.spec.directory))
        add("downloadSpeed", .text(isActive ? Int64(saturating: progress?.bytesPerSecond ?? 0) : 0))
        if isStopped {
            add("errorCode", .text(job.aria2ErrorCode(isRemoved: state.isExactly("removed"))))
            add("errorMessage", .string(job.failure?.message ?? ""))
        }
        add("files", [file(job, stored: stored, total: total)])
        add("gid", .string(GID(of: job.id).text))
        // Not one of aria2's: what a restart would take from it.
        let notStored = service.notStored(of: job)
        if !notStored.isEmpty { add("notStored", .array(notStored.map { .string($0) })) }
        add("numPieces", .text(Bitfield.pieces(total, length)))
        add("pieceLength", .text(length))
        add("status", .string(state))
        add("totalLength", .text(total))
        add("uploadLength", "0")
        add("uploadSpeed", "0")
        // Asked for or not, as in aria2. How far it is, nobody tells.
        if let progress, case .running(.verifying) = progress.state {
            members.append(.init(key: "verifiedLength", value: "0"))
        }
        return .object(members)
    }

    private func file(_ job: StoredJob, stored: Int64, total: Int64) -> JSONValue {
        return [
            "completedLength": .text(stored), "index": "1", "length": .text(total),
            "path": .string(name(of: job).map { job.spec.directory + "/" + $0 } ?? ""),
            "selected": "true", "uris": .array(uriEntries(job)),
        ]
    }

    func name(of job: StoredJob) -> String? {
        (job.state.hasEnded ? nil : job.download.flatMap { service.snapshot($0)?.fileName }) ?? job.name
    }

    private func uriEntries(_ job: StoredJob) -> [JSONValue] {
        let hosts = (progress(of: job)?.connections ?? []).map(\.host)
        let hasBegun = job.started != nil
        return sources(of: job).enumerated().map { index, url in
            let host = (try? HTTPURL(parsing: url))?.host ?? ""
            let isUsed = index == 0 && hasBegun || hosts.containsExactly(host)
            return ["status": isUsed ? "used" : "waiting", "uri": .string(url)]
        }
    }

    func uris(of text: String) throws(RPCError) -> JSONValue {
        let known = try known(text)
        guard let job = known.unfinished else {
            throw RPCError("No URI data is available for GID#\(GID(of: known.job.id).text)")
        }
        return .array(uriEntries(job))
    }

    func files(of text: String) throws(RPCError) -> JSONValue {
        let job = try known(text).job
        let progress = progress(of: job)
        return [file(job, stored: progress?.bytesStored ?? job.stored, total: progress?.totalBytes ?? job.total ?? 0)]
    }

    func servers(of text: String) throws(RPCError) -> JSONValue {
        let known = try known(text)
        guard let job = known.unfinished, Self.active.contains(job.state) else {
            throw RPCError("No active download for GID#\(GID(of: known.job.id).text)")
        }
        let sources = sources(of: job)
        let servers = (progress(of: job)?.connections ?? []).map { connection -> JSONValue in
            let url =
                sources.first { (try? HTTPURL(parsing: $0))?.host.isExactly(connection.host) ?? false } ?? sources.first
                ?? ""
            return [
                "currentUri": .string(url), "downloadSpeed": .text(Int64(saturating: connection.bytesPerSecond)),
                "uri": .string(url),
            ]
        }
        return [["index": "1", "servers": .array(servers)]]
    }

    /// Returns an empty list: downloads over HTTP have no peers.
    func peers(of text: String) throws(RPCError) -> JSONValue {
        let known = try known(text)
        guard known.unfinished != nil else {
            throw RPCError("No peer data is available for GID#\(GID(of: known.job.id).text)")
        }
        return []
    }
}

/// Encodes the completed pieces of a file as aria2 does: hexadecimal, the first piece the highest bit.
enum Bitfield {
    /// The largest number of pieces. More would make answers large that are requested each second, and a server may
    /// claim any length.
    private static let maximumPieces: Int64 = 1 << 20

    static func pieces(_ total: Int64, _ length: Int64) -> Int64 { total / length + (total % length > 0 ? 1 : 0) }

    /// The length of a piece, or a multiple of it by a power of two.
    static func pieceLength(_ wanted: Int64, of total: Int64) -> Int64 {
        var length = wanted
        while total / length >= maximumPieces { length *= 2 }
        return length
    }

    /// - Parameter ranges: in order, each apart from the next.
    /// - Returns: nil for a file of unknown length, and for an empty one.
    static func text(_ ranges: [ByteRange], total: Int64, pieceLength: Int64) -> String? {
        guard total > 0 else { return nil }
        let count = Int(pieces(total, pieceLength))
        var bytes = [UInt8](repeating: 0, count: (count + 7) / 8)
        for range in ranges {
            let first = pieces(range.start, pieceLength)
            let end = range.end >= total ? Int64(count) : range.end / pieceLength
            guard first < end else { continue }
            for piece in Int(first)..<Int(min(end, Int64(count))) { bytes[piece / 8] |= 0x80 >> UInt8(piece % 8) }
        }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension StoredJob {
    fileprivate func aria2State(isRemoved: Bool = false) -> String {
        if isRemoved { return "removed" }
        return switch state {
        case .running, .waiting: "active"
        case .queued: "waiting"
        case .paused: "paused"
        case .completed: "complete"
        case .failed: "error"
        }
    }

    fileprivate func aria2ErrorCode(isRemoved: Bool) -> Int {
        if isRemoved { return Aria2Status.removed }
        guard state == .failed, let failure else { return Aria2Status.complete }
        return Aria2Status.number(of: failure.code)
    }
}

extension JSONValue {
    /// Returns the number as a text, as aria2 writes numbers.
    fileprivate static func text(_ number: some BinaryInteger) -> JSONValue { .string(String(number)) }
}
