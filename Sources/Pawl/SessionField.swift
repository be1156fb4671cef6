import PawlCore

/// One property of a request as the session keeps it: text, and only where it differs from the default (docs/session-format.md).
struct SessionField: Sendable {
    struct Value: Hashable, Sendable {
        var text: String
        /// Left out of the session unless secrets are asked for.
        var isSecret = false
    }

    /// Of the option in the session. Never changed, and never used for anything else.
    let name: String
    /// Of ``DownloadRequest``.
    let property: String
    let values: @Sendable (DownloadRequest) -> [Value]
    /// False: no such value.
    let take: @Sendable (String, inout DownloadRequest) -> Bool

    /// All that is kept of a request besides its URL and its target.
    static let all: [SessionField] = [
        text("header", "headers", all: { $0.headers.map { "\($0.name): \($0.value)" } }, isSecret: true) { text, request in
            guard let (name, value) = split(text), value.utf8.first == UInt8(ascii: " ") else { return false }
            request.headers.append((name, String(decoding: value.utf8.dropFirst(), as: UTF8.self)))
            return true
        },
        text("login", "credentials", all: { $0.credentials.map { ["\($0.name):\($0.password)"] } ?? [] }, isSecret: true) { text, request in
            guard let (name, password) = split(text) else { return false }
            request.credentials = Credentials(name: name, password: password)
            return true
        },
        text("bearer", "bearerToken", all: { $0.bearerToken.map { [$0] } ?? [] }, isSecret: true) { text, request in
            request.bearerToken = text
            return true
        },
        flag("digest-only", "allowsOnlyDigest", \.allowsOnlyDigest),
        optional("user-agent", "userAgent", \.userAgent, write: { $0 }, read: { $0 }),
        SessionField(name: "referer", property: "referer") { request in
            request.referer.map { [Value(text: $0, isSecret: hasSecrets($0))] } ?? []
        } take: { text, request in
            request.referer = text
            return true
        },
        number("connections", "maximumConnections", \.maximumConnections),
        optional("digest", "digest", \.digest, write: \.description, read: { try? Digest(parsing: $0) }),
        SessionField(name: "mirror", property: "mirrors") { request in
            request.mirrors.map { mirror in
                Value(text: "\(mirror.priority) \(mirror.location ?? "-") \(mirror.url)", isSecret: hasSecrets(mirror.url))
            }
        } take: { text, request in
            let words = text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2).map { String(decoding: $0, as: UTF8.self) }
            guard words.count == 3, let priority = Int(words[0]) else { return false }
            request.mirrors.append(Mirror(words[2], priority: priority, location: words[1] == "-" ? nil : words[1]))
            return true
        },
        text("location", "preferredLocations", all: \.preferredLocations) { text, request in
            request.preferredLocations.append(text)
            return true
        },
        optional("pieces", "pieceHashes", \.pieceHashes, write: text(of:), read: pieces(of:)),
        optional("size", "expectedSize", \.expectedSize, write: \.description, read: { Int64($0) }),
        flag("server-mirrors", "usesServerMirrors", \.usesServerMirrors),
        optional("maximum-size", "maximumFileSize", \.maximumFileSize, write: \.description, read: { Int64($0) }),
        flag("web-page", "allowsWebPage", \.allowsWebPage),
        flag("require-complete", "requiresComplete", \.requiresComplete),
        optional("rate", "maximumBytesPerSecond", \.maximumBytesPerSecond, write: \.description, read: { Int64($0) }),
        optional("ranges", "ranges", \.ranges, write: \.description, read: { try? RangeSelection(parsing: $0) }),
        flag("sparse", "isSparse", \.isSparse),
        number("stream-window", "streamWindow", \.streamWindow),
        word("on-change", "onChange", \.onChange),
        word("if-exists", "ifExists", \.ifExists),
        flag("adopts", "adoptsPartialFile", \.adoptsPartialFile),
        flag("insecure-redirect", "allowsInsecureRedirect", \.allowsInsecureRedirect),
        duration("stall-timeout", "stallTimeout", \.stallTimeout),
        duration("response-timeout", "responseTimeout", \.responseTimeout),
        optional(
            "maximum-time", "maximumTime", \.maximumTime, write: { "\($0.wholeNanoseconds)" },
            read: { Int64($0).map { .nanoseconds($0) } }),
        flag("only-if-newer", "onlyIfNewer", \.onlyIfNewer),
        flag("remote-time", "keepsRemoteTime", \.keepsRemoteTime),
        flag("records-origin", "recordsOrigin", \.recordsOrigin),
    ]

    /// What is in the queue's own entry, and what no text can say but the request can do without.
    static let elsewhere: Set<String> = ["url", "directory", "fileName", "refreshURL"]

    static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    static let properties = elsewhere.union(all.map(\.property))

    /// At the first colon. By bytes: in `Character`s, a colon that a combining mark follows is no colon.
    private static func split(_ text: String) -> (String, String)? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        return (
            String(decoding: text.utf8[..<colon], as: UTF8.self),
            String(decoding: text.utf8[colon...].dropFirst(), as: UTF8.self)
        )
    }

    private static func hasSecrets(_ url: String) -> Bool { (try? HTTPURL(parsing: url))?.hasSecrets ?? true }
}

// MARK: - Kinds of values

extension SessionField {
    private typealias Path<Value> = any WritableKeyPath<DownloadRequest, Value> & Sendable

    private static func text(
        _ name: String, _ property: String, all: @escaping @Sendable (DownloadRequest) -> [String], isSecret: Bool = false,
        take: @escaping @Sendable (String, inout DownloadRequest) -> Bool
    ) -> SessionField {
        SessionField(name: name, property: property) { request in
            all(request).map { Value(text: $0, isSecret: isSecret) }
        } take: {
            take($0, &$1)
        }
    }

    /// One that is always there, and stands in the session where it is not the usual one.
    private static func single<Content: Equatable & Sendable>(
        _ name: String, _ property: String, _ path: Path<Content>, write: @escaping @Sendable (Content) -> String,
        read: @escaping @Sendable (String) -> Content?
    ) -> SessionField {
        let usual = DownloadRequest("")[keyPath: path]
        return SessionField(name: name, property: property) { request in
            let content = request[keyPath: path]
            return content == usual ? [] : [Value(text: write(content))]
        } take: { text, request in
            guard let content = read(text) else { return false }
            request[keyPath: path] = content
            return true
        }
    }

    private static func optional<Content: Equatable & Sendable>(
        _ name: String, _ property: String, _ path: Path<Content?>, write: @escaping @Sendable (Content) -> String,
        read: @escaping @Sendable (String) -> Content?
    ) -> SessionField {
        single(name, property, path, write: { $0.map(write) ?? "" }, read: { read($0).map(Optional.some) })
    }

    private static func flag(_ name: String, _ property: String, _ path: Path<Bool>) -> SessionField {
        single(name, property, path, write: { "\($0)" }, read: { Bool($0) })
    }

    private static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ property: String, _ path: Path<Number>
    ) -> SessionField {
        single(name, property, path, write: { "\($0)" }, read: { Number($0) })
    }

    private static func duration(_ name: String, _ property: String, _ path: Path<Duration>) -> SessionField {
        single(name, property, path, write: { "\($0.wholeNanoseconds)" }, read: { Int64($0).map { .nanoseconds($0) } })
    }

    private static func word<Word: RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ property: String, _ path: Path<Word>
    ) -> SessionField {
        single(name, property, path, write: \.rawValue, read: { Word(rawValue: $0) })
    }
}

// MARK: - Piece hashes

extension SessionField {
    /// Algorithm, length of a piece, and all hashes one behind the other.
    private static func text(of pieces: PieceHashes) -> String {
        "\(pieces.algorithm.rawValue) \(pieces.pieceLength) \(pieces.hashes.map(DigestAuth.hexadecimal).joined())"
    }

    private static func pieces(of text: String) -> PieceHashes? {
        let words = text.split(separator: " ")
        guard words.count == 3, let algorithm = DigestAlgorithm(name: String(words[0])), let length = Int64(words[1]) else { return nil }
        let digits = Array(words[2].utf8)
        let width = 2 * algorithm.byteCount
        guard digits.count % width == 0 else { return nil }
        var hashes: [[UInt8]] = []
        for start in stride(from: 0, to: digits.count, by: width) {
            guard let hash = Digest(algorithm: algorithm, hexadecimal: digits[start..<start + width])?.bytes else { return nil }
            hashes.append(hash)
        }
        return try? PieceHashes(algorithm: algorithm, pieceLength: length, hashes: hashes)
    }
}
