package import PawlCore
package import PawlEngine

internal import Synchronization

/// An ``ExchangeHandler`` for tests: records every call and notes each breach of the contract's order.
package final class RecordingHandler: ExchangeHandler {
    package enum Mode: Sendable {
        /// Accepts everything as it arrives.
        case flowing
        /// Returns false for every part, and waits for the test to call ``RecordingHandler/proceed()``.
        case manual
        /// Returns false for every part, having called `proceed()` from inside the call.
        case proceedingInside
        /// Returns false for every part, and has another thread call `proceed()`.
        case proceedingOutside
    }

    package struct Record: Sendable {
        package var head: ResponseHead?
        package var body: [UInt8] = []
        package var parts = 0
        /// The number of parts that came with memory that can be kept.
        package var keepableParts = 0
        /// The size in bytes of the largest part that is valid only during the call.
        package var largestLentPart = 0
        /// Outer nil: not ended. Inner nil: ended well.
        package var end: TransportError??
        package var breaches: [String] = []
    }

    /// A part of the body that is looked at again when more has come.
    private struct Kept {
        let bytes: UnsafeRawBufferPointer
        let memory: any ReceivedMemory
        let range: Range<Int>
    }

    private struct State {
        var record = Record()
        var kept: [Kept] = []
        var isInCall = false
        /// Calls of `proceed()` that no part answered with false has used up; a part that arrives without one is a
        /// breach.
        var permits = 0
        var exchange: (any Exchange)?
        var headAwaitsExchange = false

        /// And lets go of it, so that its memory may be used again.
        mutating func checkOldest() {
            let oldest = kept.removeFirst()
            if !oldest.bytes.elementsEqual(record.body[oldest.range]) {
                record.breaches.append("bytes changed in memory that was kept")
            }
        }
    }

    private static let mostKept = 3

    private let mode: Mode
    private let state = Locked(State())

    package init(_ mode: Mode = .flowing) {
        self.mode = mode
    }

    package var record: Record { state.withLock { $0.record } }

    /// The head may have come before `start` returned the exchange.
    package func attach(_ exchange: any Exchange) {
        let proceeds = state.withLock { state in
            state.exchange = exchange
            return state.headAwaitsExchange
        }
        if proceeds { exchange.proceed() }
    }

    package func proceed() {
        let exchange = state.withLock { state in
            state.permits += 1
            return state.exchange
        }
        exchange?.proceed()
    }

    package func cancel() {
        state.withLock { $0.exchange }?.cancel()
    }

    // MARK: - ExchangeHandler

    package func received(head: ResponseHead) {
        enter("received(head:)") { state in
            if state.record.head != nil { state.record.breaches.append("a second head") }
            state.record.head = head
        }
        defer { leave() }
        guard mode != .manual else { return }
        let exchange = state.withLock { state in
            state.permits += 1
            state.headAwaitsExchange = state.exchange == nil
            return state.exchange
        }
        exchange?.proceed()
    }

    package func received(body: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?) -> Bool {
        enter("received(body:memory:)") { state in
            if state.record.head == nil { state.record.breaches.append("body before the head") }
            if state.permits == 0 { state.record.breaches.append("body before proceed()") }
            if let memory {
                let start = state.record.body.count
                state.record.keepableParts += 1
                state.kept.append(Kept(bytes: body, memory: memory, range: start..<start + body.count))
            } else {
                state.record.largestLentPart = max(state.record.largestLentPart, body.count)
            }
            state.record.body += body
            if state.kept.count > Self.mostKept { state.checkOldest() }
            state.record.parts += 1
            if mode != .flowing { state.permits -= 1 }
        }
        defer { leave() }
        switch mode {
        case .flowing:
            return true
        case .manual:
            return false
        case .proceedingInside:
            proceed()
            return false
        case .proceedingOutside:
            Task { self.proceed() }
            return false
        }
    }

    package func ended(_ error: TransportError?) {
        enter("ended") { state in
            while !state.kept.isEmpty { state.checkOldest() }
            state.record.end = .some(error)
        }
        leave()
    }

    private func enter(_ call: String, _ note: (inout State) -> Void) {
        state.withLock { state in
            if state.isInCall { state.record.breaches.append("\(call) during another call") }
            if state.record.end != nil { state.record.breaches.append("\(call) after the end") }
            state.isInCall = true
            note(&state)
        }
    }

    private func leave() {
        state.withLock { $0.isInCall = false }
    }

    // MARK: - Waiting

    /// Polls, because a handler may be called from any thread and wakes no one. Throws after `timeout`.
    package func wait(
        for what: String, timeout: Duration = .seconds(60), until condition: @Sendable (Record) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        while !condition(record) {
            if ContinuousClock.now > deadline { throw ConformanceFailure("waited \(timeout) in vain for \(what)") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// The record after the exchange has ended, with a short delay so that surplus calls would show.
    package func waitForEnd(timeout: Duration = .seconds(300)) async throws -> Record {
        try await wait(for: "the end of the exchange", timeout: timeout) { $0.end != nil }
        try await Task.sleep(for: .milliseconds(5))
        let record = record
        if let breach = record.breaches.first {
            throw ConformanceFailure("the handler's contract was broken: \(breach)")
        }
        return record
    }
}
