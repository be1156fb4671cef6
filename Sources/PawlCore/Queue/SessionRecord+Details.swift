/// The details of a state that were added after its record had its form, as names and texts: of an error what is known
/// besides its code, message and recovery, of a finished file its time of modification. Later versions may add names,
/// which this one skips.
extension SessionCoding {
    struct Detail: Hashable {
        var name: String
        var value: String
    }

    static func details(of state: QueueEntry.State) -> [Detail] {
        if case .completed(let facts) = state {
            let known = [
                ("modified", facts.trace.map { String($0.modified) }),
                ("status", facts.response.map { String($0.status) }),
                ("contentType", facts.response?.contentType), ("digest", facts.digest?.description),
            ]
            return details(known)
        }
        guard let error = state.error else { return [] }
        let facts = error.facts
        let known = [
            ("status", facts.status.map { String($0) }), ("host", facts.host), ("size", facts.size.map { String($0) }),
            ("limit", facts.limit.map { String($0) }), ("nameHolder", facts.nameHolder?.rawValue),
        ]
        return error.remedies.map { Detail(name: "remedy", value: $0.rawValue) }
            + details(known)
    }

    private static func details(_ known: [(name: String, value: String?)]) -> [Detail] {
        known.compactMap { name, value in value.map { Detail(name: name, value: $0) } }
    }

    static func write(_ details: [Detail], _ writer: inout ByteWriter) {
        writer.list(details) { writer, detail in
            writer.text(detail.name)
            writer.text(detail.value)
        }
    }

    static func details(_ reader: inout ByteReader) -> [Detail]? {
        reader.list { reader in
            guard let name = reader.text(), let value = reader.text() else { return nil }
            return Detail(name: name, value: value)
        }
    }

    static func add(_ details: [Detail], to state: QueueEntry.State) -> QueueEntry.State {
        if case .completed(var facts) = state {
            func value(_ name: String) -> String? { details.first { $0.name.isExactly(name) }?.value }
            facts.trace = value("modified").flatMap { Int64($0) }.map { FileTrace(nil, modified: $0) }
            facts.response = value("status").flatMap { Int($0) }.map {
                ResponseFacts(status: $0, contentType: value("contentType"))
            }
            facts.digest = value("digest").flatMap { try? Digest(parsing: $0) }
            return .completed(facts)
        }
        var remedies: [DownloadError.Remedy] = []
        var facts = DownloadError.Facts()
        for detail in details {
            switch detail.name {
            case "remedy": remedies.append(DownloadError.Remedy(rawValue: detail.value))
            case "status": facts.status = Int(detail.value)
            case "host": facts.host = detail.value
            case "size": facts.size = Int64(detail.value)
            case "limit": facts.limit = Int64(detail.value)
            case "nameHolder": facts.nameHolder = DownloadError.NameHolder(rawValue: detail.value)
            default: break
            }
        }
        return state.mapError { error in
            DownloadError(error.code, error.message, remedies: remedies, recovery: error.recovery, facts: facts)
        }
    }
}

extension QueueEntry.State {
    fileprivate var error: DownloadError? {
        switch self {
        case .waiting(.backOff(_, let error)), .waiting(.diskFull(let error)), .failed(let error): error
        case .queued, .running, .paused, .waiting(.credentials), .completed: nil
        }
    }

    fileprivate func mapError(_ change: (DownloadError) -> DownloadError) -> QueueEntry.State {
        switch self {
        case .waiting(.backOff(let until, let error)): .waiting(.backOff(until: until, change(error)))
        case .waiting(.diskFull(let error)): .waiting(.diskFull(change(error)))
        case .failed(let error): .failed(change(error))
        case .queued, .running, .paused, .waiting(.credentials), .completed: self
        }
    }
}
