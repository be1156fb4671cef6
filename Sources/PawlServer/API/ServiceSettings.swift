import Pawl
package import PawlCore
import PawlEngine
import Synchronization

/// What the user can set while the service runs (openapi.json, `Settings`). Kept in the database; each change is one of
/// the feed.
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

    /// What has no value here, or one that this version cannot read, keeps its own.
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
            "limitNow": .optional(limitNow), "directory": .string(directory),
            "roots": .array(roots.paths.map { .string($0) }),
            "ifExists": .string(ifExists.rawValue), "historyDays": .optional(historyDays.map(Int64.init)),
            "historyCount": .optional(historyCount.map(Int64.init)),
        ]
    }

    /// In bytes per second.
    var limitNow: Int64? {
        schedule.bytesPerSecond(at: LiveRuntime.weekTime(secondsSinceEpoch: LiveRuntime.wallClockSeconds))
    }

    /// - Throws: ``Problem``; then nothing of it holds.
    mutating func patch(_ value: JSONValue, _ roots: Roots) throws(Problem) {
        guard case .object(let members) = value, !members.isEmpty else {
            throw .invalid("", "The body must be a JSON object with at least one setting.")
        }
        for member in members { try patch(member.key, member.value, roots) }
    }

    private enum Name: String, CaseIterable {
        case maximumRunning, maximumConnectionsPerHost, connections, speedLimit, timetable, directory, ifExists,
            historyDays, historyCount
    }

    private mutating func patch(_ key: String, _ value: JSONValue, _ roots: Roots) throws(Problem) {
        guard let name = Name(exactly: key) else {
            throw Problem(422, "unknownField", "“\(key)” is not a setting.", fields: [key])
        }
        func integer(_ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
            guard case .integer(let number) = value, range.contains(number) else {
                throw .invalid(key, "“\(key)” must be a whole number from \(range.lowerBound) to \(range.upperBound).")
            }
            return number
        }
        func optional(_ range: ClosedRange<Int64>) throws(Problem) -> Int64? {
            value == .null ? nil : try integer(range)
        }
        func text() throws(Problem) -> String {
            guard case .string(let text) = value, (1...4096).contains(text.utf8.count) else {
                throw .invalid(key, "“\(key)” must be a string.")
            }
            return text
        }
        switch name {
        case .maximumRunning: maximumRunning = Int(try integer(1...100))
        case .maximumConnectionsPerHost: maximumConnectionsPerHost = Int(try integer(1...64))
        case .connections: connections = Int(try integer(1...16))
        case .speedLimit: speedLimit = try optional(1...Int64.max)
        case .timetable:
            timetable = value == .null ? nil : try text()
            if let timetable {
                do throws(SpeedSchedule.ParseError) { _ = try SpeedSchedule(parsing: timetable) } catch {
                    throw .invalid("timetable", "\(error)")
                }
            }
        case .directory: directory = try roots.directory(try text(), from: directory, field: "directory")
        case .ifExists:
            guard let policy = ExistingFilePolicy(exactly: try text()) else {
                throw .invalid("ifExists", "“ifExists” must be fail, skip, rename or replace.")
            }
            ifExists = policy
        case .historyDays: historyDays = try optional(0...36500).map { Int($0) }
        case .historyCount: historyCount = try optional(0...10_000_000).map { Int($0) }
        }
    }
}
