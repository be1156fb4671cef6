package import PawlCore

/// The port to the network: one HTTP/1.1 exchange at a time, nothing decided.
///
/// An implementation follows no redirect, decodes no content coding, retries nothing, sends the fields it is given plus
/// `Host` and those that content needs, and speaks HTTP/1.1 so that two exchanges at once are two TCP connections. Held
/// to `TransportConformance` in PawlTestKit.
package protocol Transport: Sendable {
    /// Starts at once and never blocks. `handler` is called from any thread, one call at a time.
    func start(_ request: TransportRequest, handler: any ExchangeHandler) -> any Exchange
}

package struct TransportRequest: Hashable, Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    package var method: Method
    package var url: HTTPURL
    package var fields: [HTTPField]
    /// The content; nil for none, as downloads have it.
    package var content: RequestContent?
    /// Whether the request needs a fresh connection, because one kept from an earlier request has just lost this very
    /// request.
    package var needsFreshConnection: Bool

    package init(
        method: Method = .get, url: HTTPURL, fields: [HTTPField], content: RequestContent? = nil,
        needsFreshConnection: Bool = false
    ) {
        self.method = method
        self.url = url
        self.fields = fields
        self.content = content
        self.needsFreshConnection = needsFreshConnection
    }
}

extension TransportRequest {
    /// Whether it asks the same, with cookies as they were at another moment.
    func isAsGood(as other: TransportRequest) -> Bool {
        func withoutCookies(_ request: TransportRequest) -> TransportRequest {
            var request = request
            request.fields.removeAll { $0.isNamed("cookie") }
            return request
        }
        return withoutCookies(self) == withoutCookies(other)
    }
}

/// An exchange under way.
package protocol Exchange: Sendable {
    /// Lets the body flow: after ``ExchangeHandler/received(head:)``, and after each
    /// ``ExchangeHandler/received(body:memory:)`` that answered false. Safe to call from any thread, also from inside
    /// the handler, also when it is not awaited.
    func proceed()

    /// Closes the connection. `ended` follows once unless it was called already; no body follows.
    func cancel()
}

/// The memory into which a part of a body was received.
package protocol ReceivedMemory: AnyObject, Sendable {
    /// The size of the memory that is kept from other use, in bytes.
    var size: Int { get }
}

/// The receiver of an exchange. Order of calls: `received(head:)`, any number of `received(body:memory:)`, `ended`; or
/// `ended` alone.
package protocol ExchangeHandler: Sendable {
    /// The final response's head; 1xx are passed over. No body comes before ``Exchange/proceed()``.
    func received(head: ResponseHead)

    /// A part of the body. False: hold further parts until ``Exchange/proceed()``.
    ///
    /// - Parameter memory: keeps `body` valid, and unchanged, for as long as somebody refers to it; nil where the
    ///   pointer is valid only during the call.
    func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool

    /// Reports the end, exactly once, and last. The error is nil if the message was complete by its framing (RFC 9112
    /// §8); nil never comes while parts are held, an error may at any time.
    func ended(_ error: TransportError?)

    /// The rate at which the handler takes bytes, so that the network is not read far ahead of it; nil for as fast as
    /// it can. Read when a connection is made, and again while the body flows. Not after `ended`.
    var pace: Pace? { get }
}

extension ExchangeHandler {
    package var pace: Pace? { nil }
}
