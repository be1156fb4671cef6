internal import NIOCore
internal import NIOPosix
internal import PawlCore
internal import PawlEngine
internal import PawlSystem
internal import Synchronization

/// One look-up of a name by the system, on a thread that may block, for one family of addresses or both.
///
/// It can be let go of at any time. The system's own call goes on then, and what it finds is dropped.
final class AddressLookup: Resolver, Sendable {
    private let family: AddressFamily
    private let deniesPrivate: Bool
    private let threads: ThreadExecutor
    private let eventLoop: any EventLoop
    private let addressesV4: EventLoopPromise<[SocketAddress]>
    private let addressesV6: EventLoopPromise<[SocketAddress]>
    private let isSettled = Locked(false)

    init(family: AddressFamily, deniesPrivate: Bool, threads: ThreadExecutor, eventLoop: any EventLoop) {
        self.family = family
        self.deniesPrivate = deniesPrivate
        self.threads = threads
        self.eventLoop = eventLoop
        addressesV4 = eventLoop.makePromise()
        addressesV6 = eventLoop.makePromise()
    }

    // The connector asks for both, for this one first.
    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        threads.submit { self.settle(self.find(host, port: port)) }
        return addressesV6.futureResult
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addressesV4.futureResult }

    func cancelQueries() {
        settle(.failure(TransportError(.other, "cancelled")))
    }

    private func settle(_ result: Result<[SocketAddress], TransportError>) {
        isSettled.withLock { isSettled in
            guard !isSettled else { return }
            isSettled = true
            // Under the lock: whoever has called `cancelQueries` may end the event loop next, and then nothing may be
            // given to it.
            eventLoop.execute { self.deliver(result) }
        }
    }

    private func deliver(_ result: Result<[SocketAddress], TransportError>) {
        switch result {
        case .success(let addresses):
            addressesV6.succeed(addresses.filter { $0.protocol == .inet6 })
            addressesV4.succeed(addresses.filter { $0.protocol == .inet })
        case .failure(let error):
            addressesV6.fail(error)
            addressesV4.fail(error)
        }
    }

    // MARK: - On a thread that may block

    /// Looks up the addresses of a host, in the order of RFC 6724, which the system determines.
    private func find(_ host: String, port: Int) -> Result<[SocketAddress], TransportError> {
        var hints = addrinfo()
        hints.ai_family = family.number
        #if canImport(Glibc)
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &first)
        guard code == 0, let first else { return .failure(Self.problem(code, family)) }
        defer { freeaddrinfo(first) }
        let addresses = sequence(first: first) { $0.pointee.ai_next }.compactMap { Self.address($0.pointee, host) }
        guard !addresses.isEmpty else { return .failure(Self.problem(0, family)) }
        let allowed =
            deniesPrivate ? addresses.filter { $0.ipAddress.flatMap { IPAddress($0) }?.isPublic ?? false } : addresses
        return allowed.isEmpty ? .failure(.privateAddress) : .success(allowed)
    }

    private static func address(_ info: addrinfo, _ host: String) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(info.ai_addr) else { return nil }
        return switch info.ai_family {
        case AF_INET: SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6: SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: nil
        }
    }

    private static func problem(_ code: CInt, _ family: AddressFamily) -> TransportError {
        let what =
            switch family {
            case .any: "the host name could not be resolved"
            case .ipv4: "no IPv4 address was found for the host name, and only IPv4 is allowed"
            case .ipv6: "no IPv6 address was found for the host name, and only IPv6 is allowed"
            }
        return TransportError(.nameResolution, what)
    }
}

extension TransportError {
    static let privateAddress = TransportError(
        .denied, "its address is not public, and only public addresses are allowed")
}

extension AddressFamily {
    fileprivate var number: CInt {
        switch self {
        case .any: AF_UNSPEC
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        }
    }

    /// The predicate of a sentence about an address that is not allowed.
    var exclusion: String {
        switch self {
        case .any: "cannot be used"
        case .ipv4: "is IPv6, and only IPv4 is allowed"
        case .ipv6: "is IPv4, and only IPv6 is allowed"
        }
    }

    func allows(_ address: SocketAddress) -> Bool {
        switch self {
        case .any: true
        case .ipv4: address.protocol == .inet
        case .ipv6: address.protocol == .inet6
        }
    }
}
