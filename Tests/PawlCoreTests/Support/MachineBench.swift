import PawlCore

/// A download machine on a bench: the test plays the network, and by default the bench plays a disk without faults.
///
/// ``faults`` records each action that names an exchange the machine never began, or that begins one twice.
struct MachineBench {
    struct Ask {
        var id: ExchangeID
        var url: HTTPURL
        var fields: [HTTPField]
        var isRepeat: Bool

        var range: String? { fields.first("range") }
    }

    var machine: DownloadMachine
    var now = Instant.zero
    /// Whether the bench itself answers file actions.
    var answersFiles = true
    /// Pieces that do not match their hashes.
    var wrongPieces: Set<Int> = []
    /// Whether a cancelled exchange ends at once.
    var answersCancels = true
    private(set) var asks: [Ask] = []
    private(set) var actions: [DownloadAction] = []
    private(set) var faults: [String] = []
    private var positions: [ExchangeID: Int64] = [:]
    private var received: [ExchangeID: Int64] = [:]
    private(set) var open: Set<ExchangeID> = []

    init(
        _ recovered: DownloadMachine.Recovered = .nothing, _ change: (inout DownloadSettings) -> Void = { _ in },
        hash: DigestAuth.Hash? = nil
    ) throws {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "http://origin.example/file.bin"))
        settings.smallestPiece = 1000
        settings.overlap = 0
        settings.epochAtZero = 1_640_995_200
        change(&settings)
        machine = DownloadMachine(settings: settings, recovered: recovered, hash: hash)
    }

    var phase: DownloadMachine.Phase { machine.phase }

    var lastAsk: Ask? { asks.last }

    /// The last action of a download that has ended.
    var release: DownloadAction { .release(machine.summary) }

    var reports: [DownloadReport] {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }
    }

    /// Handles one event, and the events that follow from it automatically. Returns all actions.
    @discardableResult
    mutating func send(_ event: DownloadEvent) -> [DownloadAction] {
        let first = actions.count
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst()
            if case .ended(let id, _, _) = event, open.remove(id) == nil { continue }
            for action in machine.handle(event, at: now) {
                actions.append(action)
                if let answer = take(action) { events.append(answer) }
            }
        }
        return Array(actions[first...])
    }

    private mutating func take(_ action: DownloadAction) -> DownloadEvent? {
        switch action {
        case .ask(let id, let url, let fields, let isRepeat):
            if positions[id] != nil { faults.append("\(id) was begun twice") }
            asks.append(Ask(id: id, url: url, fields: fields, isRepeat: isRepeat))
            positions[id] = 0
            open.insert(id)
            return nil
        case .store(let id, let position, _, _, _, _):
            if !open.contains(id) { faults.append("\(id) is to be stored but is not open") }
            positions[id] = position
            return nil
        case .storeParts(let id, let ranges, _, _):
            if !open.contains(id) { faults.append("\(id) is to be stored but is not open") }
            positions[id] = ranges.first?.start ?? 0
            return nil
        case .cancel(let id):
            if positions[id] == nil { faults.append("\(id) is cancelled but was never begun") }
            return answersCancels ? .ended(id, stored: positions[id] ?? 0, .cancelled) : nil
        case .prepare: return answersFiles ? .prepared(.ready) : nil
        case .checkpoint: return answersFiles ? .checkpointed(took: .milliseconds(5)) : nil
        case .setAside: return answersFiles ? .setAside : nil
        case .checkPieces(let range):
            return answersFiles ? .checkedPieces(range, wrong: range.filter { wrongPieces.contains($0) }) : nil
        case .verify: return answersFiles ? .verified(.passed()) : nil
        case .finish, .quarantine: return answersFiles ? .finished : nil
        case .describe, .awaitPermit, .setEnd, .moveHorizon, .refresh, .report, .learned, .release, .recordUnsynced,
            .dropAside,
            .keepCookies:
            return nil
        }
    }

    // MARK: The network

    /// Answers the last request, or the one named, with this head.
    @discardableResult
    mutating func answer(_ status: Int, _ fields: [String: String] = [:], to id: Int? = nil) -> [DownloadAction] {
        let head = ResponseHead(
            status: status, fields: fields.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) })
        return send(.received(exchange(id), head))
    }

    @discardableResult
    mutating func answerPart(
        _ range: Range<Int64>, of total: Int64, tag: String? = "\"v\"", to id: Int? = nil
    ) -> [DownloadAction] {
        var fields = ["Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"]
        fields["ETag"] = tag
        return answer(206, fields, to: id)
    }

    /// Receives and stores everything up to `position`.
    @discardableResult
    mutating func advance(to position: Int64, of id: Int? = nil) -> [DownloadAction] {
        let id = exchange(id)
        received[id, default: 0] += max(0, position - (positions[id] ?? 0))
        positions[id] = max(position, positions[id] ?? 0)
        return send(.advanced(id, stored: position, received: received[id] ?? 0, isHeldByUs: false))
    }

    @discardableResult
    mutating func end(_ end: StreamEnd, of id: Int? = nil) -> [DownloadAction] {
        let id = exchange(id)
        return send(.ended(id, stored: positions[id] ?? 0, end))
    }

    /// Receives the rest up to `position`, and the end of the message.
    @discardableResult
    mutating func deliver(to position: Int64, of id: Int? = nil) -> [DownloadAction] {
        let actions = advance(to: position, of: id)
        return actions + end(.complete, of: id)
    }

    mutating func cut(_ id: Int? = nil) { end(.failed(TransportError(.truncated, "reset")), of: id) }

    private func exchange(_ id: Int?) -> ExchangeID { id.map(ExchangeID.init) ?? asks.last?.id ?? ExchangeID(0) }

    // MARK: Time

    /// Lets time pass in the driver's steps, calling `step` before each tick.
    mutating func wait(_ duration: Duration, _ step: (inout MachineBench) -> Void = { _ in }) {
        let end = now + duration
        while now < end {
            now = min(now + .milliseconds(50), end)
            step(&self)
            send(.tick)
        }
    }

    /// Waits until the machine makes another request. Returns false if none comes within the limit.
    mutating func waitForAsk(within limit: Duration = .seconds(120)) -> Bool {
        let count = asks.count
        let end = now + limit
        while asks.count == count, now < end, !phase.isTerminal { wait(.milliseconds(50)) }
        return asks.count > count
    }

    @discardableResult
    mutating func nextAsk(within limit: Duration = .seconds(120)) throws -> Ask {
        let count = asks.count
        guard waitForAsk(within: limit) else { throw Silence(phase: phase) }
        return asks[count]
    }

    /// The machine made no further request.
    struct Silence: Error {
        var phase: DownloadMachine.Phase
    }
}
