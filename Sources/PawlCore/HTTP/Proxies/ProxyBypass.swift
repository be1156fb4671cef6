/// The hosts that are reached without the proxy, as `no_proxy` and `--no-proxy` list them.
///
/// Entries are separated by commas or blanks. `*` alone: all hosts. `example.org` or `.example.org`: the host and
/// everything beneath it, as curl has it. `192.0.2.7`, `2001:db8::1`, `10.0.0.0/8`: addresses that the URL itself
/// writes, for no name is looked up. `example.org:8080`: on that port only.
package struct ProxyBypass: Hashable, Sendable {
    private enum Entry: Hashable, Sendable {
        /// A name without dots at either end.
        case name(String, port: Int?)
        case network(IPAddress, prefixLength: Int, port: Int?)
    }

    private let entries: [Entry]
    private let isForAll: Bool

    /// An entry without meaning is skipped: the variable is shared with other programs.
    package init(parsing list: String) {
        // By bytes, as some letters join the comma after them into one `Character`.
        let separators = Set(", \t".utf8)
        let texts = list.utf8.split(whereSeparator: separators.contains).map { Substring($0) }
        isForAll = texts == ["*"]
        entries = texts.compactMap(Self.entry)
    }

    package func covers(_ url: HTTPURL) -> Bool {
        if isForAll { return true }
        let address = IPAddress(url.host)
        let host = Self.trimmingDot(url.host[...])
        return entries.contains { entry in
            switch entry {
            case .network(let network, let length, let port):
                return Self.isOn(port, url) && address?.isWithin(network, prefixLength: length) == true
            case .name(let name, let port):
                return Self.isOn(port, url) && address == nil && (host == name || host.hasSuffix("." + name))
            }
        }
    }

    private static func isOn(_ port: Int?, _ url: HTTPURL) -> Bool { port == nil || port == url.effectivePort }

    private static func entry(_ text: Substring) -> Entry? {
        if let network = network(text, port: nil) { return network }
        guard let (host, port) = split(text) else { return nil }
        if let network = network(host, port: port) { return network }
        let name = trimmingDot(host.first == "." ? host.dropFirst() : host)
        return name.isEmpty ? nil : .name(name.lowercased(), port: port)
    }

    /// `host:port`, `[address]:port` or what has no port.
    private static func split(_ text: Substring) -> (host: Substring, port: Int?)? {
        var host = text
        var port: Int?
        if let colon = text.lastIndex(of: ":"), !text[colon...].contains("]") {
            guard case .value(let number) = ASCII.decimal(Array(text[text.index(after: colon)...].utf8)[...]),
                (1...65_535).contains(number)
            else { return nil }
            (host, port) = (text[..<colon], Int(number))
        }
        if host.first == "[", host.last == "]" { host = host.dropFirst().dropLast() }
        return (host, port)
    }

    private static func network(_ text: Substring, port: Int?) -> Entry? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        guard parts.count == 2 else { return .network(address, prefixLength: bits, port: port) }
        guard case .value(let length) = ASCII.decimal(Array(parts[1].utf8)[...]), length <= bits else { return nil }
        return .network(address, prefixLength: Int(length), port: port)
    }

    private static func trimmingDot(_ name: Substring) -> String { String(name.last == "." ? name.dropLast() : name) }
}
