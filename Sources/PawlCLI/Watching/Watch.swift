import Pawl
import PawlClient
import PawlCore
import PawlJobs
import PawlSystem

/// Follows downloads of the service and shows what happens to them.
struct Watch: Sendable {
    let client: ServiceClient
    /// The ids to watch; nil for all active downloads.
    let ids: [String]?
    let session: Session
    let output: OutputOptions

    /// - Returns: when all ids have ended, the code of the first failure.
    func run() async throws -> ExitCode {
        let display = WatchDisplay(ids: ids, session: session, output: output)
        let following = Task { try await follow(display) }
        session.interruption.onStop { following.cancel() }
        await display.begin()
        let result = await following.result
        let code = await display.finish()
        if let cause = session.interruption.cause {
            if cause != .outputClosed, !output.quiet { session.say("The downloads continue in the service.") }
            return cause.exitCode
        }
        try result.get()
        return code
    }

    private func follow(_ display: WatchDisplay) async throws {
        var change = try await look(display)
        guard await !display.isOver else { return }
        while true {
            // A reset says that changes were missed: everything is looked at again.
            guard let again = try await read(since: change, display) else { return }
            change = again
        }
    }

    /// - Returns: the change up to which everything is known, after a reset; nil when all have ended.
    private func read(since change: Int64, _ display: WatchDisplay) async throws -> Int64? {
        for try await event in client.events(since: change) {
            if case .reset = event { return try await look(display) }
            await display.handle(event)
            if await display.isOver { return nil }
        }
        return nil
    }

    /// Reads the list as it is now.
    private func look(_ display: WatchDisplay) async throws -> Int64 {
        var query = DownloadQuery()
        query.limit = 1000
        query.filter.states = ids == nil ? [.running, .waiting, .queued] : []
        // A change after this one may be seen twice, and does no harm; one before it is in what is read now.
        var first = query
        first.limit = 1
        let change = try await client.downloads(first).change
        if let ids, ids.count <= Self.readSingly {
            for id in ids { await display.handle(try await one(id), id: id) }
            return change
        }
        repeat {
            let page = try await client.downloads(query)
            for download in page.downloads { await display.handle(download, id: download.id) }
            query.cursor = page.next
        } while query.cursor != nil
        await display.lookedAtAll()
        return change
    }

    private static let readSingly = 50

    private func one(_ id: String) async throws -> ServiceDownload? {
        do throws(ServiceError) {
            return try await client.download(id).download
        } catch {
            guard error.code == .unknownDownload else { throw error }
            return nil
        }
    }
}

/// Shows what is watched: a block that is redrawn, plain lines, or JSON.
actor WatchDisplay {
    private enum Style {
        case json
        case quiet
        case lines
        case block(RunRenderer, DisplayStyle)
    }

    /// Running downloads that have a place in the block, however many the service runs.
    private static let slots = 16

    private let session: Session
    private let style: Style
    private var account: WatchAccount
    private var screen = TerminalScreen()
    private var frame = 0
    /// Whether the stop of the service was announced.
    private var isAway = false
    private var ticker: Task<Void, Never>?
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant

    init(ids: [String]?, session: Session, output: OutputOptions) {
        self.session = session
        account = WatchAccount(ids: ids)
        start = clock.now
        let display = DisplayStyle.current
        style =
            output.json
            ? .json
            : output.quiet
                ? .quiet
                : Terminal.canRedraw
                    ? .block(RunRenderer(style: display, slots: Self.slots, drawsMaps: false), display) : .lines
    }

    var isOver: Bool { account.isOver }

    private var elapsed: Duration { start.duration(to: clock.now) }

    func begin() {
        let interval: Duration
        switch style {
        case .json, .quiet: return
        case .lines: interval = .seconds(10)
        case .block: interval = .milliseconds(125)
        }
        ticker = Task {
            while true {
                do { try await Pause.sleep(for: interval) } catch { return }
                tick()
            }
        }
    }

    func finish() async -> ExitCode {
        ticker?.cancel()
        // No drawing may follow the last line.
        await ticker?.value
        clear()
        if case .block = style { session.errors.write(Taskbar.current?.show(.none) ?? "") }
        return account.exitCode
    }

    // MARK: What happens

    /// - Parameter download: nil if there is none of this id any more.
    func handle(_ download: ServiceDownload?, id: String) {
        guard let download else { return account.missing(id) }
        write(["event": .string("change"), "download": download.json])
        if let ended = account.handle(download, at: elapsed) { tell(ended) }
    }

    func lookedAtAll() {
        for id in account.ids ?? [] { account.missing(id) }
    }

    func handle(_ event: ServiceEvent) {
        switch event {
        case .changed(let download): handle(ofAll: download)
        case .removed(let id):
            write(["event": .string("removed"), "id": .string(id)])
            account.removed(id)
        case .progress(let list):
            account.handle(list)
            for item in list where account.watches(item.id) { write(item.json(event: "progress")) }
        case .goodbye:
            isAway = true
            say("pawl: The service is stopping. Waiting for it to come back.")
        case .disconnected(let error): if !isAway { say("pawl: \(error.message) Trying again.") }
        case .hello: isAway = false
        case .settings, .reset, .stats: break
        }
    }

    private func handle(ofAll download: ServiceDownload) {
        guard account.watches(download.id) else { return }
        handle(download, id: download.id)
    }

    private func tell(_ download: ServiceDownload) {
        switch style {
        case .json: break
        case .quiet: if download.error != nil, let line = ServiceWords.ending(download) { say(line) }
        case .lines, .block: if let line = ServiceWords.ending(download) { say(line) }
        }
    }

    // MARK: Writing

    private func write(_ json: @autoclosure () -> JSONValue) {
        guard case .json = style else { return }
        if !session.output.write(json().encoded + "\n") { session.interruption.stop(.outputClosed) }
    }

    private func say(_ text: String) {
        clear()
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            session.errors.say(String(Substring(line)).shown(in: Locale.current))
        }
    }

    private func clear() {
        let text = screen.clear(width: Terminal.size.columns)
        if !text.isEmpty { session.errors.write(text) }
    }

    private func tick() {
        account.tick(at: elapsed)
        switch style {
        case .json, .quiet: break
        case .lines: if !account.run.running.isEmpty { say("pawl: \(ServiceWords.line(account.run))") }
        case .block(let renderer, let display):
            frame += 1
            guard Terminal.isForeground else { return screen.forget() }
            let size = Terminal.size
            let block =
                account.run.total == 0
                ? [] : renderer.lines(account.run, width: size.columns, height: size.rows, time: elapsed, frame: frame)
            let taskbar = Taskbar.current?.show(block.isEmpty ? .none : TaskbarProgress(account.run)) ?? ""
            session.errors.write(taskbar + screen.draw(block, width: size.columns, coloured: display.isColoured))
        }
    }
}
