#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Tells when an address of this machine, a route or a working link appears, by rtnetlink(7).
///
/// The socket and its thread begin with the first subscriber and stay for the life of the process. Elsewhere than on
/// Linux, or without a socket or a thread, nobody can be told.
package enum NetworkChanges {
    private struct State: Sendable {
        var isWatched = false
        var nextID = 0
        var subscribers: [Int: @Sendable () -> Void] = [:]
    }

    private static let state = Monitor(State())

    /// - Returns: what to give ``unsubscribe(_:)``; nil where the system does not tell.
    package static func subscribe(_ body: @escaping @Sendable () -> Void) -> Int? {
        #if os(Linux)
        state.withLock { state in
            if !state.isWatched { state.isWatched = watch() }
            guard state.isWatched else { return nil }
            state.nextID += 1
            state.subscribers[state.nextID] = body
            return state.nextID
        }
        #else
        nil
        #endif
    }

    package static func unsubscribe(_ id: Int) {
        // Released outside the lock.
        let body = state.withLock { $0.subscribers.removeValue(forKey: id) }
        withExtendedLifetime(body) {}
    }

    private static func tell() {
        for body in state.withLock({ Array($0.subscribers.values) }) { body() }
    }

    #if os(Linux)
    // linux/netlink.h, linux/rtnetlink.h and net/if.h, which no module has.
    private static let routeProtocol: Int32 = 0
    #if canImport(Glibc)
    private static let socketKind = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue)
    #else
    private static let socketKind = SOCK_RAW | SOCK_CLOEXEC
    #endif
    private static let (newLink, newAddress, newRoute): (UInt16, UInt16, UInt16) = (16, 20, 24)
    private static let groups: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400
    private static let runningFlag: UInt32 = 0x40
    private static let headerLength = 16

    /// Changes come in bursts, and a name server is often known a moment after the address.
    private static let burst: UInt32 = 500_000

    /// The groups of links, and of addresses and routes of both families.
    private struct SocketAddress {
        var family = UInt16(AF_NETLINK)
        var padding: UInt16 = 0
        var port: UInt32 = 0
        var groups = NetworkChanges.groups
    }

    private static func watch() -> Bool {
        let descriptor = socket(AF_NETLINK, socketKind, routeProtocol)
        guard descriptor >= 0 else { return false }
        var address = SocketAddress()
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<SocketAddress>.size)) == 0
            }
        }
        guard isBound, DetachedThread.start({ listen(on: descriptor) }) else {
            _ = close(descriptor)
            return false
        }
        return true
    }

    private static func listen(on descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            // ENOBUFS: changes were lost, so there were some.
            if count < 0, errno != ENOBUFS { if errno == EINTR { continue } else { return } }
            guard count < 0 || buffer.prefix(count).withUnsafeBytes(tellsOfArrival) else { continue }
            usleep(burst)
            while buffer.withUnsafeMutableBytes({ recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }) > 0
            {}
            tell()
        }
    }

    /// - Parameter bytes: messages, each with a header of its length, type, flags, number and sender.
    package static func tellsOfArrival(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var rest = bytes[...]
        while rest.count >= headerLength {
            let message = UnsafeRawBufferPointer(rebasing: rest)
            let length = Int(message.loadUnaligned(as: UInt32.self))
            guard length >= headerLength, length <= rest.count else { return false }
            switch message.loadUnaligned(fromByteOffset: 4, as: UInt16.self) {
            case newAddress, newRoute: return true
            // Behind the header: family, type, index, flags.
            case newLink where length >= headerLength + 12:
                if message.loadUnaligned(fromByteOffset: headerLength + 8, as: UInt32.self) & runningFlag != 0 {
                    return true
                }
            default: break
            }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        return false
    }
    #endif
}
