import PawlCore
import Testing

@testable import PawlEngine

/// A transport, a speed limit and a disk for a ``WriterMachine`` that do what the test says and check what they may
/// rely on.
struct MachineDesk {
    /// Of a buffer, as long as enough bytes are expected.
    static let capacity = BufferPool.smallest

    let memory = BufferMemory(budget: 64 << 20)
    private(set) var machine: WriterMachine
    /// What was written, by its position.
    private(set) var file: [UInt8] = []
    private(set) var written = RangeSet()
    /// Handed to the disk.
    private(set) var writing: WriteBuffer?
    private(set) var calls: [WriterMachine.Effects.Call] = []
    private(set) var reports: [WriterMachine.Effects.Report] = []
    /// The transport waits, as it does after the head.
    private(set) var isHeld = true

    init() {
        // So many connections that each has the smallest buffers.
        machine = WriterMachine(BufferPool(memory, connections: 48))
    }

    private static let wholeContent: [UInt8] = {
        var random = SplitMix64(seed: 1)
        return (0..<1 << 20).map { _ in UInt8.random(in: 1...255, using: &random) }
    }()

    /// What a server holds at these positions, up to 1 MiB.
    static func content(_ range: Range<Int64>) -> [UInt8] {
        Array(wholeContent[Int(range.lowerBound)..<Int(range.upperBound)])
    }

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

    /// A part of the body arrives.
    ///
    /// - Parameters:
    ///   - paid: how much of it the limit lets pass; nil: all.
    ///   - meanwhile: what happens while the limit is asked.
    mutating func receive(_ bytes: [UInt8], paid: Int? = nil, meanwhile: (inout MachineDesk) -> Void = { _ in }) {
        guard machine.beginTaking() else { return }
        meanwhile(&self)
        take(bytes, paid: paid ?? bytes.count)
    }

    mutating func receive(_ range: Range<Int64>, paid: Int? = nil) { receive(Self.content(range), paid: paid) }

    /// The limit lets more pass of what waits.
    mutating func resume(paid: Int? = nil) {
        guard let bytes = machine.resume() else { return }
        take(bytes, paid: min(paid ?? .max, bytes.count))
    }

    private mutating func take(_ bytes: [UInt8], paid: Int) {
        let effects = bytes.withUnsafeBytes { machine.take($0, paid: paid) }
        isHeld = effects.isHeld
        perform(effects)
        if effects.isResumed { resume() }
    }

    mutating func end(_ error: TransportError? = nil) { perform(machine.transportEnded(error)) }

    // MARK: - The disk

    /// The write under way succeeds.
    mutating func finishWrite() {
        guard let buffer = writing else { return }
        let end = buffer.offset + Int64(buffer.count)
        if file.count < end { file += [UInt8](repeating: 0, count: Int(end) - file.count) }
        file.replaceSubrange(Int(buffer.offset)..<Int(end), with: buffer.filled)
        written.insert(ByteRange(buffer.offset..<end))
        writing = nil
        perform(machine.wrote(buffer))
    }

    mutating func finishWrites() {
        while writing != nil { finishWrite() }
    }

    /// The write under way fails, as on a full disk.
    mutating func failWrite() {
        guard let buffer = writing else { return }
        writing = nil
        perform(machine.failed(buffer))
    }

    // MARK: - Inside

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
