import PawlCore

/// An event in the service.
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

    /// Decodes an event; nil for one that this version does not know.
    init?(_ message: EventStreamParser.Message) throws(ServiceError) {
        let json: JSONValue
        do throws(JSONValue.Problem) {
            json = try JSONValue(parsing: Array(message.data.utf8))
        } catch {
            throw .foreign("an event is not JSON")
        }
        switch message.name {
        case "hello":
            let hello = try Hello(json)
            self = .hello(change: hello.change, version: hello.version, instance: hello.instance)
        case "change": self = .changed(try ServiceDownload(json))
        case "removed": self = .removed(id: try Removed(json).id)
        case "settings": self = .settings(try ServiceSettings(json))
        case "reset": self = .reset(change: try Reset(json).change)
        case "progress": self = .progress(try [ServiceProgress](answer: json, "progress"))
        case "stats": self = .stats(try ServiceStats(json))
        case "goodbye": self = .goodbye
        default: return nil
        }
    }
}

// MARK: - The data of small events

extension ServiceEvent {
    struct Hello: AnswerObject {
        var change: Int64 = 0
        var version = ""
        var instance = ""

        static let members: [AnswerMember<Self>] = [
            .init(required: "change", \.change), .init("version", \.version), .init("instance", \.instance),
        ]
    }

    struct Reset: AnswerObject {
        var change: Int64 = 0

        static let members: [AnswerMember<Self>] = [.init(required: "change", \.change)]
    }

    struct Removed: AnswerObject {
        var id = ""

        static let members: [AnswerMember<Self>] = [.init(required: "id", \.id)]
    }
}
