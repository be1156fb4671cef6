/// One wire inside another: TLS with a server, through a tunnel of a proxy that itself speaks TLS.
struct NestedWire: Wire {
    let outer: any Wire
    let inner: any Wire

    func open(_ bytes: [UInt8]) throws -> (content: [UInt8], reply: [UInt8]) {
        let opened = try outer.open(bytes)
        guard !opened.content.isEmpty else { return opened }
        let content = try inner.open(opened.content)
        return (content.content, opened.reply + (try sealNonempty(content.reply)))
    }

    func seal(_ bytes: ArraySlice<UInt8>) throws -> [UInt8] { try sealNonempty(try inner.seal(bytes)) }

    func farewell() -> [UInt8] { ((try? sealNonempty(inner.farewell())) ?? []) + outer.farewell() }

    func failureReply() -> [UInt8] { ((try? sealNonempty(inner.failureReply())) ?? []) + outer.failureReply() }

    func dispose() {
        inner.dispose()
        outer.dispose()
    }

    private func sealNonempty(_ bytes: [UInt8]) throws -> [UInt8] {
        bytes.isEmpty ? [] : try outer.seal(bytes[...])
    }
}

#if canImport(NIOSSL)
extension ServerConnection {
    /// Begins TLS for the script of a proxy that has granted a tunnel: the script now plays the server at the tunnel's
    /// other end.
    package func beginTLS(_ tls: ServerTLS) throws {
        nest(try TLSWire(tls.makeContext()))
    }
}
#endif
