import PawlCore

/// A property of a request as the session keeps it: text, and only if it differs from the default
/// (docs/session-format.md). Options are described by ``DownloadOptions/all``.
struct SessionField: Sendable {
    struct Value: Hashable, Sendable {
        var text: String
        /// Left out of the session unless secrets are asked for.
        var isSecret = false
    }

    /// The name of the option in the session. Never changed, and never used for anything else.
    let name: String
    /// The name of the property of ``DownloadRequest``.
    let property: String
    let values: @Sendable (DownloadSettings.Template) -> [Value]
    /// Sets the value in a request. Returns false if the text is not a value of this field.
    let take: @Sendable (String, inout DownloadRequest) -> Bool

    /// Every field of a request that is stored besides its URL and its target.
    static let all: [SessionField] =
        [
            SessionField(name: "header", property: "headers") { template in
                template.callerFields.map { Value(text: "\($0.name): \($0.value)", isSecret: $0.mayBeSecret) }
            } take: { text, request in
                guard let (name, value) = split(text), value.utf8.first == UInt8(ascii: " ") else { return false }
                request.headers.append(HTTPField(name, String(decoding: value.utf8.dropFirst(), as: UTF8.self)))
                return true
            },
            text("login", "authentication", all: login, isSecret: true) { text, request in
                guard let (name, password) = split(text) else { return false }
                request.authentication = .password(name: name, .value(password))
                return true
            },
            text("bearer", "authentication", all: token, isSecret: true) { text, request in
                request.authentication = .bearer(.value(text))
                return true
            },
            text("user-agent", "userAgent", all: userAgent) { text, request in
                request.userAgent = text
                return true
            },
            SessionField(name: "fresh-url", property: "freshURL") { template in
                template.freshURL.map { [Value(text: $0.withUserinfo, isSecret: $0.hasSecrets)] } ?? []
            } take: { text, request in
                request.freshURL = text
                return true
            },
            SessionField(name: "referer", property: "referer") { template in
                template.referer.map { [Value(text: $0.withUserinfo, isSecret: $0.hasSecrets)] } ?? []
            } take: { text, request in
                request.referer = text
                return true
            },
            SessionField(name: "mirror", property: "mirrors") { template in
                template.mirrors.map { mirror in
                    Value(
                        text: "\(mirror.priority) \(mirror.location ?? "-") \(mirror.url.withUserinfo)",
                        isSecret: mirror.url.hasSecrets)
                }
            } take: { text, request in
                let words = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2).map {
                    String(decoding: $0, as: UTF8.self)
                }
                guard words.count == 3, let priority = Int(words[0]) else { return false }
                request.mirrors.append(Mirror(words[2], priority: priority, location: words[1] == "-" ? nil : words[1]))
                return true
            },
        ] + DownloadOptions.all.map(SessionField.init)

    /// Properties that the queue's own entry has, and those that no text can express but the request can do without.
    private static let elsewhere: Set<String> = ["url", "directory", "fileName", "refreshURL"]

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    static let properties = elsewhere.union(all.map(\.property))

    private static func login(_ template: DownloadSettings.Template) -> [String] {
        template.credentials.map { ["\($0.name):\($0.password)"] } ?? []
    }

    private static func token(_ template: DownloadSettings.Template) -> [String] {
        template.bearerToken.map { [$0.text] } ?? []
    }

    private static func userAgent(_ template: DownloadSettings.Template) -> [String] {
        template.userAgent.isExactly(DownloadSettings.Template.defaultUserAgent) ? [] : [template.userAgent]
    }

    /// Splits a text at the first colon. Searches bytes: in `Character`s, a colon that a combining mark follows is no
    /// colon.
    private static func split(_ text: String) -> (String, String)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (
            String(decoding: text.utf8[..<colon], as: UTF8.self),
            String(decoding: text.utf8[colon...].dropFirst(), as: UTF8.self)
        )
    }
}

// MARK: - Kinds of values

extension SessionField {
    private static func text(
        _ name: String, _ property: String, all: @escaping @Sendable (DownloadSettings.Template) -> [String],
        isSecret: Bool = false,
        take: @escaping @Sendable (String, inout DownloadRequest) -> Bool
    ) -> SessionField {
        SessionField(name: name, property: property) { template in
            all(template).map { Value(text: $0, isSecret: isSecret) }
        } take: {
            take($0, &$1)
        }
    }

    private init(_ option: DownloadOption) {
        self.init(name: option.name, property: "options") { template in
            option.texts(template.options).map { Value(text: $0) }
        } take: {
            option.take($0, &$1.options)
        }
    }
}
