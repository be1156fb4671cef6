/// A download of a session, as a store keeps it: an id, and bytes that only Pawl reads (docs/session-format.md).
public struct SessionRecord: Hashable, Sendable {
    public let id: DownloadID
    public let bytes: [UInt8]

    public init(id: DownloadID, bytes: [UInt8]) {
        self.id = id
        self.bytes = bytes
    }
}

/// The change of one download since the last save.
public enum SessionChange: Hashable, Sendable {
    /// Adds a record, or replaces the one with its id.
    case put(SessionRecord)
    case remove(DownloadID)
}

/// The part of a download that goes into a session: its entry, and the options requested besides a URL and a target.
package struct StoredDownload: Hashable, Sendable {
    package var entry: QueueEntry
    package var options: [StoredOption]
    /// Whether secrets were left out without which the download cannot run.
    package var lacksSecrets: Bool

    package init(entry: QueueEntry, options: [StoredOption] = [], lacksSecrets: Bool = false) {
        self.entry = entry
        self.options = options
        self.lacksSecrets = lacksSecrets
    }
}

/// One field of a request that differs from the default, as text.
package struct StoredOption: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// Downloads of a session to bytes and back (docs/session-format.md, the record).
package enum SessionCoding {
    /// The version of the record; the file has its own.
    static let version: UInt8 = 1

    /// - Parameter wallClock: seconds since 1970 at `now`; waits are stored by it.
    package static func encode(_ download: StoredDownload, at now: Instant, wallClock: Int64) -> SessionRecord {
        let entry = download.entry
        let details = details(of: entry.state)
        var writer = ByteWriter()
        writer.integer(version)
        writer.integer(
            UInt8(download.lacksSecrets ? 1 : 0) | (entry.renamesTaken ? 2 : 0)
                | (entry.fileName != nil && !entry.isNameGiven ? 4 : 0) | (entry.identityHash != nil ? 8 : 0)
                | (details.isEmpty ? 0 : 16))
        writer.text(entry.url.withUserinfo)
        writer.text(entry.directory)
        writer.optional(entry.fileName) { $0.text($1) }
        writer.list(download.options) { writer, option in
            writer.text(option.name)
            writer.text(option.value)
        }
        writer.integer(entry.priority)
        writer.integer(entry.position)
        writer.integer(entry.since)
        writer.integer(entry.total)
        writer.integer(entry.stored)
        writer.integer(entry.failures)
        writer.integer(entry.retries)
        writer.integer(entry.markerNumber)
        write(entry.state, at: now, wallClock: wallClock, &writer)
        if let hash = entry.identityHash { writer.block(hash) }
        if !details.isEmpty { write(details, &writer) }
        return SessionRecord(id: entry.id, bytes: writer.buffer)
    }

    private static func write(_ state: QueueEntry.State, at now: Instant, wallClock: Int64, _ writer: inout ByteWriter)
    {
        switch state {
        case .queued: writer.integer(UInt8(0))
        case .running: writer.integer(UInt8(1))
        case .paused: writer.integer(UInt8(2))
        case .waiting(.backOff(let until, let error)):
            writer.integer(UInt8(3))
            writer.integer(wallClock + (until - now).secondsRoundedUp)
            write(error, &writer)
        case .waiting(.diskFull(let error)):
            writer.integer(UInt8(4))
            write(error, &writer)
        case .waiting(.credentials): writer.integer(UInt8(5))
        case .completed(let facts):
            writer.integer(UInt8(6))
            write(facts, &writer)
        case .failed(let error):
            writer.integer(UInt8(7))
            write(error, &writer)
        }
    }

    private static func write(_ error: DownloadError, _ writer: inout ByteWriter) {
        writer.text(error.code.rawValue)
        writer.text(error.message)
        switch error.recovery {
        case .retryNow: writer.integer(UInt8(0))
        case .retryAfter(nil): writer.integer(UInt8(1))
        case .retryAfter(let delay?):
            writer.integer(UInt8(2))
            writer.integer(delay.wholeNanoseconds)
        case .reconnect: writer.integer(UInt8(3))
        case .restart: writer.integer(UInt8(4))
        case .giveUp: writer.integer(UInt8(5))
        }
    }

    private static func write(_ facts: FinishedFacts, _ writer: inout ByteWriter) {
        writer.text(facts.fileName)
        writer.integer(facts.byteCount)
        writer.integer(
            UInt8(facts.isComplete ? 1 : 0) | (facts.isVerified ? 2 : 0) | (facts.wasSkipped ? 4 : 0)
                | (facts.skipReason == .notNewer ? 8 : 0))
        writer.integer(facts.resumedFrom)
        writer.optional(facts.entityTag) { $0.text($1) }
        writer.optional(facts.lastModified) { $0.text($1) }
        writer.optional(facts.contentCoding) { $0.text($1) }
        writer.text(facts.finalURL)
        writer.list(facts.sources) { $0.text($1) }
    }

    // MARK: Reading

    /// Decodes a record; nil if the bytes are not one. The caller determines the entry's host and target.
    ///
    /// - Parameter readURL: reads what an earlier version may have stored: a host in letters outside ASCII.
    package static func decode(
        _ record: SessionRecord, at now: Instant, wallClock: Int64,
        readingURL readURL: (String) -> HTTPURL? = { try? HTTPURL(parsing: $0) }
    ) -> StoredDownload? {
        var reader = ByteReader(record.bytes[...])
        guard let version: UInt8 = reader.integer(), version == Self.version, let flags: UInt8 = reader.integer(),
            flags <= 31,
            let url = reader.text().flatMap(readURL), let directory = reader.text(),
            let fileName = reader.optional({ $0.text() }),
            fileName != nil || flags & 4 == 0,
            let options = reader.list({ reader -> StoredOption? in
                guard let name = reader.text(), let value = reader.text() else { return nil }
                return StoredOption(name, value)
            }),
            let priority: Int32 = reader.integer(), let position: Int64 = reader.integer(),
            let since: Int64 = reader.integer(), let total: Int64 = reader.integer(),
            let stored: Int64 = reader.integer(),
            let failures: Int32 = reader.integer(), let retries: Int32 = reader.integer(),
            let markerNumber: UInt64 = reader.integer(), total >= -1, stored >= 0, failures >= 0, retries >= 0,
            let state = state(&reader, at: now, wallClock: wallClock),
            let identityHash = flags & 8 == 0 ? .some(nil) : reader.block().map(Optional.some),
            let details = flags & 16 == 0 ? [] : details(&reader), reader.isAtEnd
        else { return nil }
        var entry = QueueEntry(
            id: record.id, url: url, host: "", directory: directory, fileName: fileName, target: 0, priority: priority)
        // Neighbours are found by adding and halving, which must not overflow.
        entry.position = min(max(position, -(1 << 60)), 1 << 60)
        entry.since = since
        entry.total = total
        entry.stored = stored
        entry.failures = failures
        entry.retries = retries
        entry.markerNumber = markerNumber
        entry.identityHash = identityHash
        entry.renamesTaken = flags & 2 != 0
        if flags & 4 != 0 { entry.isNameGiven = false }
        entry.state = details.isEmpty ? state : add(details, to: state)
        return StoredDownload(entry: entry, options: options, lacksSecrets: flags & 1 != 0)
    }

    private static func state(_ reader: inout ByteReader, at now: Instant, wallClock: Int64) -> QueueEntry.State? {
        switch reader.integer() as UInt8? {
        case 0: return .queued
        case 1: return .running
        case 2: return .paused
        case 3:
            guard let until: Int64 = reader.integer(), let error = error(&reader) else { return nil }
            // A clock that was set must not make it wait for ever.
            let (seconds, overflow) = until.subtractingReportingOverflow(wallClock)
            return .waiting(.backOff(until: now + .seconds(overflow ? 0 : min(max(seconds, 0), 86_400)), error))
        case 4: return error(&reader).map { .waiting(.diskFull($0)) }
        case 5: return .waiting(.credentials)
        case 6: return facts(&reader).map { .completed($0) }
        case 7: return error(&reader).map { .failed($0) }
        default: return nil
        }
    }

    private static func error(_ reader: inout ByteReader) -> DownloadError? {
        guard let name = reader.text(), let message = reader.text(), let kind: UInt8 = reader.integer() else {
            return nil
        }
        let recovery: DownloadError.Recovery
        switch kind {
        case 0: recovery = .retryNow
        case 1: recovery = .retryAfter(nil)
        case 2:
            guard let nanoseconds: Int64 = reader.integer() else { return nil }
            recovery = .retryAfter(.nanoseconds(nanoseconds))
        case 3: recovery = .reconnect
        case 4: recovery = .restart
        case 5: recovery = .giveUp
        default: return nil
        }
        // A code of a later version is kept as it is.
        return DownloadError(DownloadError.Code(rawValue: name), message, recovery: recovery)
    }

    private static func facts(_ reader: inout ByteReader) -> FinishedFacts? {
        guard let fileName = reader.text(), let count: Int64 = reader.integer(), count >= 0,
            let flags: UInt8 = reader.integer(),
            let resumedFrom: Int64 = reader.integer(), let entityTag = reader.optional({ $0.text() }),
            let lastModified = reader.optional({ $0.text() }), let coding = reader.optional({ $0.text() }),
            let finalURL = reader.text(), let sources = reader.list({ $0.text() })
        else { return nil }
        var facts = FinishedFacts(fileName: fileName, byteCount: count, finalURL: finalURL)
        facts.isComplete = flags & 1 != 0
        facts.isVerified = flags & 2 != 0
        facts.skipReason = flags & 4 == 0 ? nil : flags & 8 == 0 ? .exists : .notNewer
        facts.resumedFrom = resumedFrom
        facts.entityTag = entityTag
        facts.lastModified = lastModified
        facts.contentCoding = coding
        facts.sources = sources
        return facts
    }
}
