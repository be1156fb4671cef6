package import PawlCore
package import PawlEngine
import Synchronization

/// One exchange with a server whose response is taken whole: into memory, or a file where it is large.
package final class StoreExchange: ExchangeHandler {
    /// The needs of exchanges.
    package struct Ports: Sendable {
        package let transport: any Transport
        package let runtime: any Runtime
        /// Creates a file that goes when nobody holds it any more.
        package let makeFile: @Sendable () throws(StorageError) -> any StorageFile

        package init(
            transport: any Transport, runtime: any Runtime,
            makeFile: @escaping @Sendable () throws(StorageError) -> any StorageFile
        ) {
            (self.transport, self.runtime, self.makeFile) = (transport, runtime, makeFile)
        }
    }

    package enum Failure: Error, Sendable {
        case transport(TransportError)
        /// Nothing came or went for this time.
        case silent(Duration)
        /// The response cannot be kept.
        case storage(StorageError)
    }

    package typealias End = @Sendable (Result<S3Response, Failure>) -> Void

    /// A longer body is kept in a file.
    private static let largestInMemory = 8 << 20

    private enum Body {
        case memory([UInt8])
        case file(any StorageFile, length: Int64)
    }

    private struct State {
        var exchange: (any Exchange)?
        /// The exchange shall go on, or end, as soon as it is known.
        var isHeld = false
        var isCancelled = false
        var head: ResponseHead?
        var body = Body.memory([])
        var failure: Failure?
        var lastProgress: Instant
        var timer: (any ScheduledWork)?
        var ended: End?
    }

    private let ports: Ports
    private let patience: Duration
    private let state: Locked<State>

    private init(_ ports: Ports, _ patience: Duration, _ ended: @escaping End) {
        (self.ports, self.patience) = (ports, patience)
        state = Locked(State(lastProgress: ports.runtime.now, ended: ended))
    }

    /// Asks, and tells the end once.
    ///
    /// - Parameter patience: the longest time without progress.
    package static func start(
        _ request: TransportRequest, _ ports: Ports, patience: Duration, ended: @escaping End
    ) {
        let handler = StoreExchange(ports, patience, ended)
        var request = request
        request.content = request.content.map { content in
            RequestContent(length: content.length, on: content.executor) { [weak handler] count, offset in
                handler?.progressed()
                return content.read(count, offset)
            }
        }
        handler.watch()
        let exchange = ports.transport.start(request, handler: handler)
        let (isHeld, isCancelled) = handler.state.withLock { state in
            if state.ended != nil { state.exchange = exchange }
            return (state.isHeld, state.isCancelled)
        }
        if isCancelled { exchange.cancel() } else if isHeld { exchange.proceed() }
    }

    // MARK: Time

    private func progressed() {
        let now = ports.runtime.now
        state.withLock { $0.lastProgress = now }
    }

    private func watch() {
        let delay = state.withLock { $0.lastProgress } + patience - ports.runtime.now
        guard delay > .zero else { return cancel(.silent(patience)) }
        let timer = ports.runtime.schedule(after: delay, on: ports.runtime.diskExecutor) { [weak self] in
            self?.watch()
        }
        let isOver = state.withLock { state in
            if state.ended != nil { state.timer = timer }
            return state.ended == nil
        }
        if isOver { timer.cancel() }
    }

    private func cancel(_ failure: Failure) {
        let exchange = state.withLock { state in
            if state.failure == nil { state.failure = failure }
            state.isCancelled = true
            return state.exchange
        }
        exchange?.cancel()
    }

    private func goOn() {
        let exchange = state.withLock { state in
            if state.exchange == nil { state.isHeld = true }
            return state.exchange
        }
        exchange?.proceed()
    }

    // MARK: ExchangeHandler

    package func received(head: ResponseHead) {
        progressed()
        state.withLock { $0.head = head }
        goOn()
    }

    package func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
        progressed()
        let isSmall = state.withLock { state in
            guard case .memory(var bytes) = state.body, bytes.count + body.count <= Self.largestInMemory else {
                return false
            }
            state.body = .memory([])
            bytes += body
            state.body = .memory(bytes)
            return true
        }
        guard !isSmall else { return true }
        let piece = Array(body)
        ports.runtime.diskExecutor.submit { self.keep(piece) }
        return false
    }

    private func keep(_ piece: [UInt8]) {
        let body = state.withLock { $0.body }
        do throws(StorageError) {
            let file: any StorageFile
            var length: Int64
            switch body {
            case .memory(let bytes):
                file = try ports.makeFile()
                try file.write(bytes, at: 0)
                length = Int64(bytes.count)
            case .file(let known, let count): (file, length) = (known, count)
            }
            try file.write(piece, at: length)
            length += Int64(piece.count)
            state.withLock { $0.body = .file(file, length: length) }
            goOn()
        } catch {
            cancel(.storage(error))
        }
    }

    package func ended(_ error: TransportError?) {
        let (ended, result) = state.withLock { state -> (End?, Result<S3Response, Failure>) in
            defer { (state.ended, state.exchange, state.body) = (nil, nil, .memory([])) }
            state.timer?.cancel()
            if let failure = state.failure { return (state.ended, .failure(failure)) }
            guard error == nil, let head = state.head else {
                let error = error ?? TransportError(.malformed, "a response without a head")
                return (state.ended, .failure(.transport(error)))
            }
            let body =
                switch state.body {
                case .memory(let bytes): StoreBody(bytes)
                case .file(let file, let length): StoreBody(file, length: length)
                }
            return (state.ended, .success(S3Response(head, body)))
        }
        ended?(result)
    }
}
