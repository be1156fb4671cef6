/// The way through a SOCKS proxy, version 5 (RFC 1928), with a user name and a password if there are any (RFC 1929).
package struct SOCKS5: ProxyHandshake {
    package enum Destination: Hashable, Sendable {
        /// A host name of at most 255 bytes; the proxy looks it up.
        case name(String)
        case address(IPAddress)
    }

    private enum Stage {
        case choosingMethod
        case signingIn
        case connecting
    }

    private static let version: UInt8 = 5
    private static let noAuthentication: UInt8 = 0
    private static let userNameAndPassword: UInt8 = 2

    private let destination: Destination
    private let port: UInt16
    private let credentials: ProxyServer.Credentials?
    private var stage = Stage.choosingMethod
    private var received: [UInt8] = []

    package init(_ destination: Destination, port: UInt16, credentials: ProxyServer.Credentials?) {
        self.destination = destination
        self.port = port
        self.credentials = credentials
    }

    package func begin() -> [UInt8] {
        guard credentials != nil else { return [Self.version, 1, Self.noAuthentication] }
        return [Self.version, 2, Self.noAuthentication, Self.userNameAndPassword]
    }

    package mutating func receive(_ bytes: some Collection<UInt8>) -> ProxyHandshakeStep {
        received += bytes
        switch stage {
        case .choosingMethod: return methodChosen()
        case .signingIn: return signedIn()
        case .connecting: return connected()
        }
    }

    private mutating func methodChosen() -> ProxyHandshakeStep {
        guard received.count >= 2 else { return .needsMore }
        guard received.count == 2, received[0] == Self.version else { return .saidTooMuch }
        defer { received = [] }
        switch received[1] {
        case Self.noAuthentication: return connect()
        case Self.userNameAndPassword:
            guard let credentials else { return .saidTooMuch }
            stage = .signingIn
            // Proven lengths: a longer one is refused where the proxy's URL is read.
            return .send(
                [1, UInt8(truncatingIfNeeded: credentials.userName.count)] + credentials.userName
                    + [UInt8(truncatingIfNeeded: credentials.password.count)] + credentials.password)
        default: return .failed(.proxyWantsCredentials(given: credentials != nil))
        }
    }

    private mutating func signedIn() -> ProxyHandshakeStep {
        guard received.count >= 2 else { return .needsMore }
        guard received.count == 2 else { return .saidTooMuch }
        defer { received = [] }
        return received[1] == 0 ? connect() : .failed(.proxyWantsCredentials(given: true))
    }

    private mutating func connect() -> ProxyHandshakeStep {
        stage = .connecting
        let address: [UInt8] =
            switch destination {
            case .name(let name): [3, UInt8(truncatingIfNeeded: name.utf8.count)] + name.utf8
            case .address(let address): [address.isIPv6 ? 4 : 1] + address.bytes
            }
        return .send([Self.version, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)])
    }

    private func connected() -> ProxyHandshakeStep {
        guard received.count >= 2 else { return .needsMore }
        guard received[0] == Self.version else { return .saidTooMuch }
        // Some close right after a refusal, without sending the rest of it.
        if received[1] != 0 { return .failed(Self.refusal(received[1])) }
        guard received.count >= 5 else { return .needsMore }
        let addressLength: Int
        switch received[3] {
        case 1: addressLength = 4
        case 3: addressLength = 1 + Int(received[4])
        case 4: addressLength = 16
        default: return .saidTooMuch
        }
        let length = 4 + addressLength + 2
        if received.count < length { return .needsMore }
        return received.count == length ? .established : .saidTooMuch
    }

    /// The replies of RFC 1928 §6.
    private static func refusal(_ code: UInt8) -> TransportError {
        switch code {
        case 2: TransportError(.proxyRefused, "the proxy does not allow a connection to the server")
        case 3: TransportError(.proxy, "the proxy has no route to the server's network")
        case 4: TransportError(.proxy, "the proxy cannot reach the server")
        case 5: TransportError(.proxy, "the server refused the proxy's connection")
        case 6: TransportError(.proxy, "the proxy's packets did not reach the server")
        case 7: TransportError(.proxyRefused, "the proxy cannot make connections")
        case 8: TransportError(.proxyRefused, "the proxy cannot connect to an address of this kind")
        default: TransportError(.proxy, "the proxy could not connect to the server")
        }
    }
}
