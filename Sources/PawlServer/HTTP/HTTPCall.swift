import PawlCore

/// A request as the service sees it: method, decoded path, query, fields and body.
struct HTTPCall: Sendable {
    var method: String
    /// The percent-decoded parts of the path.
    var path: [String]
    /// The percent-decoded parameters, in order.
    var query: [(name: String, value: String)]
    /// The header fields in order, with names in lower case.
    var fields: [(name: String, value: String)]
    var body: [UInt8] = []
    var peer: Peer

    /// The program at the other end of a connection.
    enum Peer: Hashable, Sendable {
        /// A process of the owner, over the unix socket.
        case owner
        /// The address, without the port.
        case address(String)

        /// Whether the peer runs on this machine.
        var isLocal: Bool {
            switch self {
            case .owner: true
            case .address(let address):
                ["127.", "::ffff:127."].contains { address.utf8.starts(with: $0.utf8) } || address.isExactly("::1")
            }
        }
    }

    /// - Parameter target: in origin form (RFC 9112 §3.2.1). Nil for any other form, and for what is not UTF-8.
    init?(method: String, target: String, fields: [(name: String, value: String)], peer: Peer) {
        let bytes = Array(target.utf8)
        guard bytes.first == UInt8(ascii: "/") else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = Self.segments(parts[0].dropFirst()), let query = Self.pairs(parts.count > 1 ? parts[1] : [])
        else { return nil }
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields.map { (ASCII.lowercased($0.name[...].utf8), $0.value) }
        self.peer = peer
    }

    private static func segments(_ path: ArraySlice<UInt8>) -> [String]? {
        var segments: [String] = []
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let text = decoded(part) else { return nil }
            segments.append(text)
        }
        return segments
    }

    private static func pairs(_ query: ArraySlice<UInt8>) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in query.split(separator: UInt8(ascii: "&")) {
            let halves = part.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
                .split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decoded(halves[0]), let value = decoded(halves.count > 1 ? halves[1] : []) else {
                return nil
            }
            pairs.append((name, value))
        }
        return pairs
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
        PercentCoding.decodeStrictly(bytes).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Whether a program on this machine sent the call itself, not through a proxy.
    var isOfThisMachine: Bool {
        peer.isLocal && ["forwarded", "x-forwarded-for", "via"].allSatisfy { field($0) == nil }
    }

    /// The value of a field, several joined as RFC 9110 §5.3 says; nil if there is none.
    func field(_ name: String) -> String? {
        let values = fields.filter { $0.name.utf8.elementsEqual(name.utf8) }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The first value of a query parameter.
    func parameter(_ name: String) -> String? { query.first { $0.name.utf8.elementsEqual(name.utf8) }?.value }

    func cookie(_ name: String) -> String? {
        guard let text = field("cookie") else { return nil }
        for pair in text.utf8.split(separator: UInt8(ascii: ";")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard halves.count == 2, ASCII.trimmingBlanks(Array(halves[0])[...]).elementsEqual(name.utf8) else {
                continue
            }
            return String(decoding: ASCII.trimmingBlanks(Array(halves[1])[...]), as: UTF8.self)
        }
        return nil
    }
}
