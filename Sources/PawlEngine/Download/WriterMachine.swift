import PawlCore

/// Decides the fate of the body of one exchange: which bytes are taken, which buffer is written next, when the network
/// is held, and why the exchange is over.
///
/// A value that waits for nothing and calls nobody. Each method answers what is to be done; ``SegmentWriter`` does it
/// once it has released its lock.
struct WriterMachine: Sendable {
    struct Effects: Sendable {
        enum Call: Sendable {
            case proceed
            case cancel
        }

        struct Report: Hashable, Sendable {
            let stored: Int64
            let end: StreamEnd
        }

        /// The buffer to write on the disk executor, and then to give to ``wrote(_:)`` or ``failed(_:)``.
        var write: WriteBuffer?
        /// The call to make on the exchange.
        var call: Call?
        /// The exchange is over, and every buffer is back in the pool. Comes exactly once.
        var report: Report?
        /// The answer to the transport: nothing more until ``Call/proceed``.
        var isHeld = false
        /// The limit has let more pass before the rest was put down: ``resume()`` is to be called again.
        var isResumed = false
    }

    private enum Phase {
        /// The destination of the bytes is not known yet; their end may have been set already. Next: any other.
        case unassigned(end: Int64?)
        /// Bytes are taken. Next: `closing`, `draining`.
        case flowing(Intake)
        /// No more bytes are taken; the transport was told to cancel and has yet to end. Next: `draining`, `ended`.
        ///
        /// `isUnwanted`: whatever the end, what the reader of a stream has no room for yet is not kept for it.
        case closing(StreamEnd, isUnwanted: Bool)
        /// The transport is silent; what was taken is being written. Next: `ended`.
        case draining(StreamEnd, isUnwanted: Bool)
        /// The end was reported.
        case ended
    }

    private struct Intake {
        var body: BodyPlacement
        var rest = Rest.none
        /// The transport waits for ``Effects/Call/proceed``, as it does after the head.
        var isHeld = true
    }

    /// The bytes that were received and not taken yet.
    private enum Rest {
        case none
        /// The limit is being asked how much of the bytes at hand may be taken. It may say "go on" before its answer is
        /// put down here.
        case asking(isResumed: Bool)
        /// Bytes that wait for the limit.
        case held([UInt8])
    }

    private var phase = Phase.unassigned(end: nil)
    private var queue: WriteQueue
    /// The number of bytes taken, those of an overlap and those between parts included.
    private(set) var received: Int64 = 0

    init(_ pool: BufferPool) { queue = WriteQueue(pool) }

    /// The position up to which the exchange's bytes are stored and known to belong to the file.
    var stored: Int64 { queue.claimed }

    /// Whether Pawl, and not the server, holds back the flow.
    var isHeldByUs: Bool {
        switch phase {
        case .flowing(let intake): intake.isHeld
        case .closing: queue.isFull
        // Not before it is known where the bytes go, nor after the server finished, while they wait for the disk or for
        // the reader of a stream.
        case .unassigned, .draining: true
        case .ended: false
        }
    }

    var isOver: Bool {
        if case .ended = phase { true } else { false }
    }

    // MARK: - Told by the driver

    /// - Parameter horizon: of a stream, before which bytes may be written.
    mutating func begin(_ body: BodyPlacement, horizon: Int64?) -> Effects {
        guard case .unassigned(let end) = phase else { return Effects() }
        var body = body
        // A nearer end may have been set while the target was being made ready.
        body.end = [end, body.end].compactMap { $0 }.min()
        queue.begin(at: body.position, proven: body.firstUnproven)
        if let horizon { queue.raiseHorizon(to: horizon) }
        phase = .flowing(Intake(body: body))
        return body.isComplete ? conclude(.boundReached) : settle()
    }

    /// Moves the end. Nearer: bytes already past it stay, as they are the same bytes another connection will store
    /// there. Farther, though never past what the response brings: too late, when the former end has been reached.
    mutating func setEnd(_ end: Int64) -> Effects {
        switch phase {
        case .unassigned: phase = .unassigned(end: end)
        case .flowing(var intake):
            intake.body.end = end
            phase = .flowing(intake)
            if intake.body.hasReachedEnd { return conclude(.boundReached) }
        case .closing, .draining, .ended: break
        }
        return Effects()
    }

    /// Lets what lies before a position be written.
    mutating func setHorizon(_ position: Int64) -> Effects {
        queue.raiseHorizon(to: position)
        return settle()
    }

    mutating func cancel() -> Effects { conclude(.cancelled, isUnwanted: true) }

    /// Writes what has gathered, so that a slow connection does not keep its bytes in memory for long.
    mutating func flush() -> Effects { Effects(write: queue.next(isFlush: true)) }

    // MARK: - Told by the transport

    /// A part of the body has come. False: it is passed over. True: the limit is to be asked, and
    /// ``take(_:memory:paid:)`` follows.
    mutating func beginTaking() -> Bool {
        guard var intake = removeIntake() else { return false }
        intake.rest = .asking(isResumed: false)
        phase = .flowing(intake)
        return true
    }

    /// The limit lets more pass: the bytes to ask it about again, with ``take(_:memory:paid:)`` to follow. Nil: there
    /// are none, or the limit is still being asked about them.
    mutating func resume() -> [UInt8]? {
        guard var intake = removeIntake() else { return nil }
        defer { phase = .flowing(intake) }
        switch intake.rest {
        case .none: return nil
        case .asking:
            intake.rest = .asking(isResumed: true)
            return nil
        case .held(let bytes):
            intake.rest = .asking(isResumed: false)
            return bytes
        }
    }

    /// Takes the first bytes, which the limit has let pass, and keeps the rest.
    ///
    /// - Parameter memory: what they were received into, if it can be kept.
    mutating func take(_ bytes: UnsafeRawBufferPointer, memory: (any ReceivedMemory)?, paid: Int) -> Effects {
        guard var intake = removeIntake() else { return Effects() }
        received += Int64(paid)
        let end = intake.body.place(UnsafeRawBufferPointer(rebasing: bytes[..<paid]), memory: memory, in: &queue)
        let isResumed = if case .asking(isResumed: true) = intake.rest { true } else { false }
        let hasRest = end == nil && paid < bytes.count
        intake.rest = hasRest ? .held(Array(bytes[paid...])) : .none
        phase = .flowing(intake)
        var effects = end.map { conclude($0) } ?? settle()
        effects.isResumed = isResumed && hasRest
        return effects
    }

    /// Notes that the transport has ended: nothing more comes, and nothing can hold back the received bytes.
    ///
    /// - Parameter error: nil when the message was complete by its framing.
    mutating func transportEnded(_ error: TransportError?) -> Effects {
        let own = error.map(StreamEnd.failed) ?? .complete
        switch phase {
        case .unassigned: phase = .draining(own, isUnwanted: false)
        case .flowing: phase = .draining(takeRest() ?? own, isUnwanted: false)
        case .closing(let end, let isUnwanted): phase = .draining(end, isUnwanted: isUnwanted)
        case .draining, .ended: return Effects()
        }
        queue.dropUnproven()
        return settle()
    }

    private mutating func takeRest() -> StreamEnd? {
        guard var intake = removeIntake(), case .held(let bytes) = intake.rest else { return nil }
        received += Int64(bytes.count)
        return bytes.withUnsafeBytes { intake.body.place($0, memory: nil, in: &queue) }
    }

    // MARK: - Told by the disk

    mutating func wrote(_ buffer: WriteBuffer) -> Effects {
        queue.wrote(buffer)
        return settle()
    }

    mutating func failed(_ buffer: WriteBuffer) -> Effects {
        queue.failed(buffer)
        queue.dropAll()
        return conclude(.cancelled, isUnwanted: true)
    }

    // MARK: - Inside

    /// Hands out the intake as its only owner, so that no array in it is copied when it changes. It has to be put back.
    private mutating func removeIntake() -> Intake? {
        guard case .flowing(let intake) = phase else { return nil }
        phase = .ended
        return intake
    }

    /// Ends the exchange for a reason. The first reason counts, whatever the transport reports afterwards.
    private mutating func conclude(_ end: StreamEnd, isUnwanted: Bool = false) -> Effects {
        switch phase {
        case .unassigned, .flowing:
            phase = .closing(end, isUnwanted: isUnwanted)
            var effects = settle()
            effects.call = .cancel
            return effects
        case .closing(let first, let former): phase = .closing(first, isUnwanted: former || isUnwanted)
        case .draining(let first, let former): phase = .draining(first, isUnwanted: former || isUnwanted)
        case .ended: break
        }
        return settle()
    }

    /// Returns the effects that are due after any change.
    private mutating func settle() -> Effects {
        switch phase {
        case .unassigned, .ended: Effects()
        case .flowing(let intake): settleFlow(intake)
        case .closing: Effects(write: queue.next(isFlush: false))
        case .draining(let end, let isUnwanted): settleEnd(end, isUnwanted)
        }
    }

    /// Returns the effects of a flowing body. Both the disk and the limit may hold the transport; it goes on once
    /// neither does.
    private mutating func settleFlow(_ intake: Intake) -> Effects {
        var effects = Effects(write: queue.next(isFlush: false))
        switch intake.rest {
        case .asking: effects.isHeld = intake.isHeld
        case .held: effects.isHeld = true
        case .none: effects.isHeld = queue.isFull
        }
        guard effects.isHeld != intake.isHeld else { return effects }
        if intake.isHeld { effects.call = .proceed }
        var intake = intake
        intake.isHeld.toggle()
        phase = .flowing(intake)
        return effects
    }

    /// Reports the end once every byte taken is in the file.
    private mutating func settleEnd(_ end: StreamEnd, _ isUnwanted: Bool) -> Effects {
        if let buffer = queue.next(isFlush: true) { return Effects(write: buffer) }
        // What the reader has no room for yet is kept until it has, unless nobody wants it any more.
        guard !queue.isWriting, queue.isEmpty || isUnwanted else { return Effects() }
        queue.dropAll()
        phase = .ended
        return Effects(report: Effects.Report(stored: queue.claimed, end: end))
    }
}
