import NIOCore
import NIOHTTP1
import NIOPosix
import Pawl
import PawlCore
import PawlSystem

/// A connection for one call.
///
/// Calls do not share connections: a unix socket connects in microseconds, and a connection of its own cannot have been
/// closed by the service a moment ago.
struct ServiceConnection: Sendable {
    private let channel: any Channel
    private let queue: AnswerQueue

    /// Connects and sends the request.
    init(_ request: ServiceRequest, to address: ServiceAddress, connectTimeout: Duration) async throws(ServiceError) {
        let queue = AnswerQueue()
        self.queue = queue
        do {
            channel = try await Self.channel(to: address, connectTimeout) { channel in
                try channel.syncOptions?.setOption(.autoRead, value: false)
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                try channel.pipeline.syncOperations.addHandler(AnswerHandler(queue))
            }
        } catch {
            throw Self.failure(of: error, address)
        }
        send(request, address)
    }

    private static func channel(
        to address: ServiceAddress, _ timeout: Duration, prepare: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let bootstrap = ClientBootstrap(group: try Dialer.loop())
            .connectTimeout(.nanoseconds(Int64(saturating: timeout / .nanoseconds(1))))
            .channelInitializer { channel in channel.eventLoop.makeCompletedFuture { try prepare(channel) } }
        switch address.place {
        case .socket(let path): return try await bootstrap.connect(to: .unix(path)).get()
        case .host(let url, _):
            if url.scheme == .http, let ip = try? SocketAddress(ipAddress: url.host, port: url.effectivePort) {
                return try await bootstrap.connect(to: ip).get()
            }
            var configuration = TransportConfiguration()
            configuration.connectTimeout = timeout
            configuration.certificateAuthorityFile = address.certificateAuthorityFile
            configuration.authorityVariables = AuthorityVariables(Environment.value)
            return try await Dialer.connect(to: url, configuration, prepare: prepare)
        }
    }

    func close() { channel.close(promise: nil) }

    // MARK: Sending

    private func send(_ request: ServiceRequest, _ address: ServiceAddress) {
        var head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: request.method.rawValue),
            uri: address.target(request.target))
        head.headers.add(name: "Host", value: address.hostField)
        head.headers.add(name: "Connection", value: "close")
        if let token = address.token { head.headers.add(name: "Authorization", value: "Bearer \(token)") }
        for field in request.fields { head.headers.add(name: field.name, value: field.value) }
        if let body = request.body { head.headers.add(name: "Content-Length", value: "\(body.count)") }
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        if let body = request.body {
            channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
        }
        channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
    }

    // MARK: Receiving

    /// The next part of the answer.
    ///
    /// - Throws: `timedOut` after so long without one, `cancelled` when the task is.
    func next(within time: Duration) async throws(ServiceError) -> AnswerQueue.Part {
        let (channel, queue) = (channel, queue)
        let alarm = channel.eventLoop.scheduleTask(in: .nanoseconds(Int64(saturating: time / .nanoseconds(1)))) {
            queue.fail(
                ServiceError(.timedOut, "The service did not answer within \(TimeSpan.text(time / .seconds(1)))."))
            channel.close(promise: nil)
        }
        defer { alarm.cancel() }
        let result = await withTaskCancellationHandler {
            await Self.result { () throws(ServiceError) in try await queue.next { channel.read() } }
        } onCancel: {
            queue.fail(ServiceError(.cancelled, "The call was cancelled."))
            channel.close(promise: nil)
        }
        return try result.get()
    }

    private static func result<Value: Sendable>(
        _ body: () async throws(ServiceError) -> Value
    ) async -> Result<Value, ServiceError> {
        do throws(ServiceError) {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }

    /// The whole answer.
    func answer(maximumBytes: Int, within time: Duration) async throws(ServiceError) -> ServiceAnswer {
        var answer = ServiceAnswer(status: 0, contentType: "", body: [])
        while true {
            switch try await next(within: time) {
            case .head(let status, let contentType): (answer.status, answer.contentType) = (status, contentType)
            case .body(let bytes):
                guard answer.body.count + bytes.count <= maximumBytes else {
                    throw ServiceError(
                        .answerTooLarge,
                        "The response is larger than \(ByteCount.text(Int64(maximumBytes))).")
                }
                answer.body += bytes
            case .end: return answer
            }
        }
    }

    // MARK: Errors

    private static func failure(of error: any Error, _ address: ServiceAddress) -> ServiceError {
        if case ChannelError.connectTimeout = error {
            return ServiceError(.unreachable, "Connecting to \(address.shown) took too long.")
        }
        if case SocketAddressError.unixDomainSocketPathTooLong = error {
            return ServiceError(.unreachable, "\(address.shown) is too long for the path of a socket.")
        }
        if error is ThreadShortage {
            return ServiceError(.tooFewThreads, DownloadError.tooFewThreads.message)
        }
        if let error = error as? TransportError {
            return ServiceError(.unreachable, "\(address.shown) cannot be reached: \(error.detail).")
        }
        guard let code = number(of: error) else {
            return ServiceError(.unreachable, "\(address.shown) cannot be reached: \(error).")
        }
        switch code {
        case ENOENT, ECONNREFUSED:
            return ServiceError(.notRunning, "The service is not running: nothing listens at \(address.shown).")
        case EACCES, EPERM:
            return ServiceError(
                .unreachable, "\(address.shown) belongs to the service of another user.")
        default: return ServiceError(.unreachable, "\(address.shown) cannot be reached: \(SystemCalls.text(of: code)).")
        }
    }

    private static func number(of error: any Error) -> Int32? {
        if let error = error as? IOError { return error.errnoCode }
        guard let error = error as? NIOConnectionError else { return nil }
        return error.connectionErrors.lazy.compactMap { ($0.error as? IOError)?.errnoCode }.first
    }
}

extension ServiceAddress {
    fileprivate func target(_ target: String) -> String {
        guard case .host(_, let prefix) = place else { return "/api/v1/" + target }
        return prefix + "/api/v1/" + target
    }

    fileprivate var hostField: String {
        guard case .host(let url, _) = place else { return "localhost" }
        return url.authority
    }
}

extension SocketAddress {
    /// Returns the address of a unix socket. NIO makes one only of a path in UTF-8.
    fileprivate static func unix(_ path: String) throws -> SocketAddress {
        guard let address = sockaddr_un(path: path) else { throw SocketAddressError.unixDomainSocketPathTooLong }
        return SocketAddress(address)
    }
}
