import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import PawlServer

@Suite("Connections that keep others out")
struct ConnectionWatchTests {
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel(handler: ConnectionWatch())
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private func receive(_ part: HTTPRequestPart) throws { _ = try channel.writeInbound(part) }

    private func request() throws {
        try receive(.head(HTTPRequest(method: .post, scheme: nil, authority: nil, path: "/")))
    }

    private func answer() throws {
        _ = try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .unauthorized)))
        _ = try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    private func isOpen(after time: TimeAmount) -> Bool {
        channel.embeddedEventLoop.advanceTime(by: time)
        return channel.isActive
    }

    @Test func `a body that does not end closes the connection`() throws {
        try request()
        #expect(isOpen(after: .seconds(29)))
        #expect(!isOpen(after: .seconds(2)))
    }

    @Test func `a body that ends after it was refused leaves a minute for the next request`() throws {
        try request()
        try answer()
        try receive(.end(nil))
        #expect(isOpen(after: .seconds(59)))
        #expect(!isOpen(after: .seconds(2)))
    }

    @Test func `an answer that is being written may take its time`() throws {
        try request()
        try receive(.end(nil))
        #expect(isOpen(after: .hours(1)))
        try answer()
        #expect(isOpen(after: .seconds(59)))
        #expect(!isOpen(after: .seconds(2)))
    }
}
