internal import PawlSystem

package struct SocketError: Error, CustomStringConvertible {
    package let call: String
    package let code: CInt

    package var description: String { "\(call): \(SystemCalls.text(of: code))" }
}

/// The scripted server's system calls, which keep the differences between systems here.
enum Sockets {
    /// Listens on a port of the loopback interface, chosen by the system.
    static func listenOnLoopback() throws -> (descriptor: CInt, port: UInt16) {
        let descriptor = try check("socket", socket(AF_INET, streamType, 0))
        do {
            setCloseOnExec(descriptor)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            try withUnsafeMutablePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try check("bind", bind(descriptor, address, length))
                    _ = try check("listen", listen(descriptor, 128))
                    _ = try check("getsockname", getsockname(descriptor, address, &length))
                }
            }
            return (descriptor, UInt16(bigEndian: address.sin_port))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Listens on a unix socket that it makes.
    static func listenLocally(at path: String) throws -> CInt {
        let descriptor = try check("socket", socket(AF_UNIX, streamType, 0))
        do {
            setCloseOnExec(descriptor)
            guard var address = sockaddr_un(path: path) else { throw SocketError(call: "bind", code: ENAMETOOLONG) }
            try withUnsafePointer(to: &address) { pointer in
                try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    _ = try check("bind", bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size)))
                    _ = try check("listen", listen(descriptor, 128))
                }
            }
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Accepts a connection; nil if it was gone before it could be accepted.
    static func acceptConnection(_ listener: CInt) -> CInt? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        setCloseOnExec(descriptor)
        // Each write of a script must leave at once; otherwise `drip` would not drip.
        setOption(descriptor, level: CInt(IPPROTO_TCP), name: TCP_NODELAY, 1)
        #if canImport(Darwin)
        setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, 1)
        #endif
        return descriptor
    }

    static func setSendBuffer(_ descriptor: CInt, bytes: Int) {
        setOption(descriptor, level: SOL_SOCKET, name: SO_SNDBUF, CInt(bytes))
    }

    /// How many bytes the peer's system has acknowledged, by TCP's own count; nil where the system does not report it.
    static func acknowledged(_ descriptor: CInt) -> Int? {
        #if os(Linux)
        var info = [UInt8](repeating: 0, count: 256)
        var length = socklen_t(info.count)
        // `tcpi_bytes_acked` of <linux/tcp.h>, which the C library's own header lacks. It counts the SYN.
        let offset = 120
        guard getsockopt(descriptor, CInt(IPPROTO_TCP), TCP_INFO, &info, &length) == 0, Int(length) >= offset + 8 else {
            return nil
        }
        let count = info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        return max(0, Int(clamping: count) - 1)
        #else
        return nil
        #endif
    }

    /// The next close sends RST and discards unsent data (socket(7), SO_LINGER).
    static func resetOnClose(_ descriptor: CInt) {
        var value = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }

    static func shutdownBoth(_ descriptor: CInt) {
        shutdown(descriptor, CInt(SHUT_RDWR))
    }

    static func closeDescriptor(_ descriptor: CInt) {
        close(descriptor)
    }

    /// How many bytes were sent, or nil if the peer is gone.
    static func sendSome(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int? {
        while true {
            #if canImport(Darwin)
            let count = send(descriptor, bytes.baseAddress, bytes.count, 0)
            #else
            let count = send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
            #endif
            if count >= 0 { return count }
            if errno != EINTR { return nil }
        }
    }

    /// The bytes received; empty at the end of the stream, nil if the connection is broken.
    static func receiveSome(_ descriptor: CInt) -> [UInt8]? {
        while true {
            var code: CInt = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 16 * 1024) { buffer, count in
                let result = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                code = result < 0 ? errno : 0
                count = max(0, result)
            }
            if code == 0 { return bytes }
            if code != EINTR { return nil }
        }
    }

    /// Waits until one of the descriptors is readable or hung up, and tells which.
    static func waitReadable(_ descriptors: [CInt], timeout: Duration?) -> [Bool] {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = timeout.map { CInt(clamping: max(0, ($0 / .milliseconds(1)).rounded(.up).asInt)) } ?? -1
        guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return descriptors.map { _ in false } }
        return polled.map { $0.revents != 0 }
    }

    static func makePipe() throws -> (reading: CInt, writing: CInt) {
        var ends: [CInt] = [-1, -1]
        _ = try check("pipe", pipe(&ends))
        ends.forEach(setCloseOnExec)
        return (ends[0], ends[1])
    }

    // MARK: -

    private static var streamType: CInt {
        #if canImport(Glibc)
        CInt(SOCK_STREAM.rawValue)
        #else
        CInt(SOCK_STREAM)
        #endif
    }

    private static func setCloseOnExec(_ descriptor: CInt) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func setOption(_ descriptor: CInt, level: CInt, name: CInt, _ value: CInt) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
    }

    private static func check(_ call: String, _ result: CInt) throws -> CInt {
        guard result >= 0 else { throw SocketError(call: call, code: errno) }
        return result
    }
}

extension Double {
    fileprivate var asInt: Int { Int(self) }
}
