import PawlClient
import PawlCore
import PawlJobs
import PawlOptions

extension LimitCommand: Subcommand {
    func execute(in session: Session) async throws -> ExitCode {
        let client = try service.client()
        if words.count == 2 { return try await limitOne(words[0], words[1], client, session) }
        let patch = try words.first.map { (word) throws(UsageError) in try Self.patch(word) }
        let settings = try await session.ask {
            guard let patch else { return try await client.settings() }
            return try await client.changeSettings(patch)
        }
        return session.write(json ? settings.json.encoded + "\n" : Self.text(settings))
    }

    private func limitOne(
        _ word: String, _ limit: String, _ client: ServiceClient, _ session: Session
    ) async throws -> ExitCode {
        var patch = DownloadPatch()
        patch.maxSpeed = .some(try Self.rate(limit))
        let settled = patch
        let download = try await session.ask {
            let ids = try await DownloadIDs(client: client).resolve([word])
            return try await client.change(ids[0], settled)
        }
        if json { return session.write(download.json.encoded + "\n") }
        return session.write(
            "\(ServiceWords.name(download).shown(in: Locale.current)): \(Self.text(download.maxSpeed))\n")
    }

    static func patch(_ word: String) throws(UsageError) -> SettingsPatch {
        var patch = SettingsPatch()
        guard word.utf8.contains(UInt8(ascii: ":")) else {
            patch.speedLimit = .some(try rate(word))
            patch.timetable = .some(nil)
            return patch
        }
        do throws(SpeedSchedule.ParseError) {
            _ = try SpeedSchedule(parsing: word)
        } catch {
            throw UsageError(error.message)
        }
        patch.timetable = .some(word)
        return patch
    }

    private static func rate(_ word: String) throws(UsageError) -> Int64? {
        guard word != "off" else { return nil }
        do throws(OptionValueProblem) {
            return try OptionText.rate(word)
        } catch {
            throw UsageError("A limit is \(error.accepted), or “off”.")
        }
    }

    private static func text(_ limit: Int64?) -> String { limit.map { Rate.text(Double($0)) } ?? "no limit" }

    static func text(_ settings: ServiceSettings) -> String {
        guard let timetable = settings.timetable else { return text(settings.speedLimit) + "\n" }
        let now = settings.pausedUntil == nil ? text(settings.limitNow) : "paused"
        return "\(now) now, by the timetable \(timetable)\n"
    }
}
