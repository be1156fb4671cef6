import PawlSystem

extension RealServer {
    static func freePort() throws -> UInt16 {
        try withSocket { descriptor, address, length in
            guard bind(descriptor, address, length) == 0 else { throw SystemCallError("bind", "127.0.0.1") }
            var bound = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let result = withUnsafeMutableBytes(of: &bound) {
                getsockname(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), &size)
            }
            guard result == 0 else { throw SystemCallError("getsockname", "127.0.0.1") }
            return UInt16(bigEndian: bound.sin_port)
        }
    }

    static func answers(on port: UInt16) -> Bool {
        (try? withSocket(port: port) { connect($0, $1, $2) == 0 }) ?? false
    }

    private static func withSocket<Result>(
        port: UInt16 = 0, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        #if canImport(Glibc)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SystemCallError("socket", "127.0.0.1") }
        defer { _ = close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try withUnsafeBytes(of: &address) {
            try body(descriptor, $0.baseAddress!.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
        }
    }
}
