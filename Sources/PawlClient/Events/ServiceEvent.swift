import PawlCore

/// What happened in the service.
public enum ServiceEvent: Hashable, Sendable {
    /// A connection has begun; `instance` differs after each start of the service.
    case hello(change: Int64, version: String, instance: String)
    /// A download was added or changed.
    case changed(ServiceDownload)
    /// A download was taken off the list.
    case removed(id: String)
    case settings(ServiceSettings)
    /// Changes were missed that the service no longer keeps: read the list again. The events that follow come after
    /// `change`.
    case reset(change: Int64)
    /// Figures of running downloads.
    case progress([ServiceProgress])
    case stats(ServiceStats)
    /// The service is stopping. The sequence waits until it is back.
    case goodbye
    /// The connection broke. The sequence tries to connect again, and then continues with what was missed.
    case disconnected(ServiceError)

    /// Nil for an event that this version does not know.
    init?(_ message: EventStreamParser.Message) throws(ServiceError) {
        let json: JSONValue
        do throws(JSONValue.Problem) {
            json = try JSONValue(parsing: Array(message.data.utf8))
        } catch {
            throw JSONFields.foreign("an event is not JSON")
        }
        switch message.name {
        case "hello":
            let fields = try JSONFields(json)
            self = .hello(
                change: try fields.required("change", fields.number), version: fields.text("version") ?? "",
                instance: fields.text("instance") ?? "")
        case "change": self = .changed(try ServiceDownload(json))
        case "removed":
            let fields = try JSONFields(json)
            self = .removed(id: try fields.required("id", fields.text))
        case "settings": self = .settings(try ServiceSettings(json))
        case "reset":
            let fields = try JSONFields(json)
            self = .reset(change: try fields.required("change", fields.number))
        case "progress":
            guard case .array(let values) = json else { throw JSONFields.foreign("the progress is no list") }
            var list: [ServiceProgress] = []
            for value in values { list.append(try ServiceProgress(value)) }
            self = .progress(list)
        case "stats": self = .stats(try ServiceStats(json))
        case "goodbye": self = .goodbye
        default: return nil
        }
    }
}
