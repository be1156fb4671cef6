import PawlCore
import PawlTestKit
import Testing

@testable import PawlEngine

/// A transport, a speed limit and a disk for a ``WriterMachine`` that do as the test says, and check the machine's
/// guarantees.
struct MachineDesk {
    /// The capacity of a buffer, as long as enough bytes are expected.
    static let capacity = BufferPool.smallest

    private struct Kept { weak var memory: ScribbledMemory? }

    let memory = BufferMemory(budget: 64 << 20)
    /// The buffers that the parts were received into, as long as they are in use.
    private var kept: [Kept] = []
    private(set) var machine: WriterMachine
    /// The written bytes, by position.
    private(set) var file: [UInt8] = []
    private(set) var written = RangeSet()
    /// The buffer handed to the disk.
    private(set) var writing: WriteBuffer?
    private(set) var calls: [WriterMachine.Effects.Call] = []
    private(set) var reports: [WriterMachine.Effects.Report] = []
    /// Whether the transport waits, as it does after the head.
    private(set) var isHeld = true

    /// - Parameter connections: So many by default that each gets the smallest buffers.
    init(connections: Int = 48) { machine = WriterMachine(BufferPool(memory, connections: connections)) }

    private static let wholeContent: [UInt8] = {
        var random = SplitMix64(seed: 1)
        return (0..<1 << 20).map { _ in UInt8.random(in: 1...255, using: &random) }
    }()

    /// The server's bytes at these positions, up to 1 MiB.
    static func content(_ range: Range<Int64>) -> [UInt8] {
        Array(wholeContent[Int(range.lowerBound)..<Int(range.upperBound)])
    }

    /// Nobody refers to what the parts were received into.
    var hasReleasedMemory: Bool { kept.allSatisfy { $0.memory == nil } }

    var lastReport: WriterMachine.Effects.Report? { reports.last }

    // MARK: - The driver

    mutating func begin(
        at position: Int64 = 0, end: Int64? = nil, overlap: Int64 = 0, endsWithMessage: Bool = false,
        horizon: Int64? = nil
    ) {
        let held = Self.content(position - overlap..<position)
        begin(
            BodyPlacement(position: position, end: end, overlap: held, endsWithMessage: endsWithMessage),
            horizon: horizon)
    }

    mutating func begin(_ body: BodyPlacement, horizon: Int64? = nil) { perform(machine.begin(body, horizon: horizon)) }

    mutating func setEnd(_ end: Int64) { perform(machine.setEnd(end)) }

    mutating func setHorizon(_ position: Int64) { perform(machine.setHorizon(position)) }

    mutating func flush() { perform(machine.flush()) }

    mutating func cancel() { perform(machine.cancel()) }

    // MARK: - The transport and the limit

    /// Receives a part of the body.
    ///
    /// - Parameters:
    ///   - paid: How much of the part the limit lets pass; nil for all.
    ///   - meanwhile: Runs while the limit is being asked.
    mutating func receive(_ bytes: [UInt8], paid: Int? = nil, meanwhile: (inout MachineDesk) -> Void = { _ in }) {
        guard machine.beginTaking() else { return }
        meanwhile(&self)
        take(bytes, paid: paid ?? bytes.count)
    }

    mutating func receive(_ range: Range<Int64>, paid: Int? = nil) { receive(Self.content(range), paid: paid) }

    /// Lets the limit pass more of the waiting bytes.
    mutating func resume(paid: Int? = nil) {
        guard let bytes = machine.resume() else { return }
        take(bytes, paid: min(paid ?? .max, bytes.count))
    }

    private mutating func take(_ bytes: [UInt8], paid: Int) {
        let received = ScribbledMemory(bytes)
        kept.append(Kept(memory: received))
        let effects = machine.take(received.bytes, memory: received, paid: paid)
        isHeld = effects.isHeld
        perform(effects)
        if effects.isResumed { resume() }
    }

    mutating func end(_ error: TransportError? = nil) { perform(machine.transportEnded(error)) }

    // MARK: - The disk

    /// Ends the write under way successfully.
    mutating func finishWrite() {
        guard let buffer = writing else { return }
        let end = buffer.offset + Int64(buffer.count)
        if file.count < end { file += [UInt8](repeating: 0, count: Int(end) - file.count) }
        file.replaceSubrange(Int(buffer.offset)..<Int(end), with: buffer.parts.joined())
        written.insert(ByteRange(buffer.offset..<end))
        writing = nil
        perform(machine.wrote(buffer))
    }

    mutating func finishWrites() {
        while writing != nil { finishWrite() }
    }

    /// Fails the write under way, as on a full disk.
    mutating func failWrite() {
        guard let buffer = writing else { return }
        writing = nil
        perform(machine.failed(buffer))
    }

    // MARK: - Internals

    private mutating func perform(_ effects: WriterMachine.Effects) {
        if let buffer = effects.write {
            #expect(writing == nil, "two writes at once")
            writing = buffer
        }
        if let call = effects.call {
            calls.append(call)
            if call == .proceed { isHeld = false }
        }
        if let report = effects.report {
            #expect(writing == nil)
            #expect(memory.lent == 0, "buffers are missing at the end")
            reports.append(report)
        }
    }
}
