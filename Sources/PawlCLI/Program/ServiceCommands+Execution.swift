import PawlClient
import PawlCore
import PawlJobs
import PawlSystem

/// A command that does one thing to the downloads that its words choose.
protocol SteeringCommand: Subcommand {
    var words: SteeringWords { get }
    var action: ServiceAction { get }
}

extension SteeringCommand {
    func check() throws(UsageError) { try words.chosen.check() }

    func execute(in session: Session) async throws -> ExitCode { try await words.act(action, in: session) }
}

extension PauseCommand: SteeringCommand { var action: ServiceAction { .pause } }

extension ResumeCommand: SteeringCommand { var action: ServiceAction { .resume } }

extension RetryDownloadsCommand: SteeringCommand { var action: ServiceAction { .retry } }

extension RemoveCommand: SteeringCommand { var action: ServiceAction { .remove(deletesFiles: deleteFiles) } }

extension MoveCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        let place = try await session.ask { try await self.place(client) }
        return try await DownloadIDs.act(.move(place), on: ids, client, in: session)
    }

    private func place(_ client: ServiceClient) async throws -> QueuePlace {
        if top { return .top }
        if bottom { return .bottom }
        if let up { return .by(-up) }
        if let down { return .by(down) }
        let other = try await DownloadIDs(client: client).resolve([before ?? after ?? ""])
        return before == nil ? .after(other[0]) : .before(other[0])
    }
}

extension DownloadsCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        var query = DownloadQuery()
        query.filter = try filter.filter()
        query.sort = sort
        var left = limit ?? .max
        repeat {
            query.limit = min(1000, left)
            let asked = query
            let page = try await session.ask { try await client.downloads(asked) }
            guard write(page.downloads, in: session) == .done else { return .outputClosed }
            left -= page.downloads.count
            query.cursor = page.downloads.isEmpty ? nil : page.next
        } while query.cursor != nil && left > 0
        if let problem = try? await client.stats().problem {
            session.warn("The service cannot save changes. \(problem)")
        }
        return .done
    }

    private func write(_ downloads: [ServiceDownload], in session: Session) -> ExitCode {
        if json { return session.write(downloads.map { $0.json.encoded + "\n" }.joined()) }
        let width = isatty(session.output.descriptor) == 1 ? Terminal.size.columns : nil
        return session.write(DownloadTable(locale: Locale.current, width: width).text(downloads))
    }
}

extension ShowCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        let detail = try await session.ask {
            let ids = try await DownloadIDs(client: client).resolve([id])
            return try await client.download(ids[0])
        }
        return session.write(json ? detail.json.encoded + "\n" : detail.table(in: Locale.current))
    }
}

extension WatchCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        let ids = ids.isEmpty ? nil : try await session.ask { try await DownloadIDs(client: client).resolve(self.ids) }
        return try await Watch(client: client, ids: ids, session: session, output: output).run()
    }
}
