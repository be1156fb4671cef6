import Pawl
package import PawlCore
import PawlEngine
import Synchronization

/// The settings that the user can change while the service runs (openapi.json, `Settings`). They are kept in the
/// database; each change is part of the change feed.
package struct ServiceSettings: Hashable, Sendable {
    package var maximumRunning = 5
    package var maximumConnectionsPerHost = 8
    package var connections = 8
    package var speedLimit: Int64?
    package var timetable: String?
    package var directory: String
    package var ifExists = ExistingFilePolicy.rename
    package var historyDays: Int?
    package var historyCount: Int?

    package init(directory: String) { self.directory = directory }

    var schedule: SpeedSchedule {
        if let timetable, let schedule = try? SpeedSchedule(parsing: timetable) { return schedule }
        return SpeedSchedule(bytesPerSecond: speedLimit)
    }

    // MARK: In the database

    /// Takes over stored values. A setting without a stored value, or with one that this version cannot read, keeps its
    /// own.
    mutating func take(_ stored: [String: String]) {
        func integer(_ name: String) -> Int64? { stored[name].flatMap { Int64($0) } }
        if let value = integer("maximumRunning") { maximumRunning = Int(clamping: value) }
        if let value = integer("maximumConnectionsPerHost") { maximumConnectionsPerHost = Int(clamping: value) }
        if let value = integer("connections") { connections = Int(clamping: value) }
        if stored["speedLimit"] != nil { speedLimit = integer("speedLimit") }
        timetable = stored["timetable"].flatMap { $0.isEmpty ? nil : $0 }
        if let value = stored["directory"] { directory = value }
        if let value = stored["ifExists"].flatMap({ ExistingFilePolicy(rawValue: $0) }) { ifExists = value }
        historyDays = integer("historyDays").map { Int(clamping: $0) }
        historyCount = integer("historyCount").map { Int(clamping: $0) }
    }

    /// An empty text for what is not set.
    var stored: [String: String] {
        [
            "maximumRunning": "\(maximumRunning)", "maximumConnectionsPerHost": "\(maximumConnectionsPerHost)",
            "connections": "\(connections)",
            "speedLimit": speedLimit.map { "\($0)" } ?? "", "timetable": timetable ?? "", "directory": directory,
            "ifExists": ifExists.rawValue,
            "historyDays": historyDays.map { "\($0)" } ?? "", "historyCount": historyCount.map { "\($0)" } ?? "",
        ]
    }

    // MARK: In JSON

    func json(change: Int64, roots: Roots) -> JSONValue {
        [
            "change": .integer(change), "maximumRunning": .integer(maximumRunning),
            "maximumConnectionsPerHost": .integer(maximumConnectionsPerHost),
            "connections": .integer(connections), "speedLimit": .optional(speedLimit),
            "timetable": .optional(timetable),
            "limitNow": .optional(limitNow), "pausedUntil": pausedUntil, "directory": .string(directory),
            "roots": .array(roots.paths.map { .string($0) }),
            "ifExists": .string(ifExists.rawValue), "historyDays": .optional(historyDays.map(Int64.init)),
            "historyCount": .optional(historyCount.map(Int64.init)),
        ]
    }

    /// The speed limit in force, in bytes per second.
    var limitNow: Int64? {
        schedule.bytesPerSecond(at: LiveRuntime.weekTime(secondsSinceEpoch: LiveRuntime.wallClockSeconds))
    }

    var pausedUntil: JSONValue {
        let now = LiveRuntime.weekTime(secondsSinceEpoch: LiveRuntime.wallClockSeconds)
        return schedule.pause(at: now).map { DownloadJSON.time(Self.end(of: $0)) } ?? .null
    }

    /// Returns the end of a pause, in seconds since 1970.
    static func end(of pause: SpeedSchedule.Pause) -> Int64 {
        LiveRuntime.secondsSinceEpoch(of: pause.end, after: LiveRuntime.wallClockSeconds)
    }

    /// - Throws: ``Problem``; then nothing of it holds.
    mutating func patch(_ value: JSONValue, _ roots: Roots) throws(Problem) {
        var object = try RequestObject(value)
        guard !object.members.isEmpty else {
            throw .invalid("", "The body must be a JSON object with at least one setting.")
        }
        try object.refuseNull(["maximumRunning", "maximumConnectionsPerHost", "connections", "directory", "ifExists"])
        if let count = try object.integer("maximumRunning", 1...100) { maximumRunning = Int(count) }
        if let count = try object.integer("maximumConnectionsPerHost", 1...64) {
            maximumConnectionsPerHost = Int(count)
        }
        if let count = try object.integer("connections", 1...16) { connections = Int(count) }
        if object.has("speedLimit") { speedLimit = try object.integer("speedLimit", 1...Int64.max) }
        if object.has("timetable") {
            timetable = try object.string("timetable", 1...4096)
            do throws(SpeedSchedule.ParseError) { _ = try timetable.map(SpeedSchedule.init(parsing:)) } catch {
                throw .invalid("timetable", "\(error)")
            }
        }
        if let text = try object.string("directory", 1...4096) {
            directory = try roots.directory(text, from: directory, field: "directory")
        }
        if let text = try object.string("ifExists", 1...4096) {
            guard let policy = ExistingFilePolicy(exactly: text) else {
                throw .invalid("ifExists", "“ifExists” must be fail, skip, rename or replace.")
            }
            ifExists = policy
        }
        if object.has("historyDays") { historyDays = try object.integer("historyDays", 0...36500).map { Int($0) } }
        if object.has("historyCount") {
            historyCount = try object.integer("historyCount", 0...10_000_000).map { Int($0) }
        }
        try object.finish()
    }
}
