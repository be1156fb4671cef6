import PawlCore

/// A small file on its way from memory to a ``FileReceiver``.
struct ReceivedFinish: FinishingFile {
    private let place: DirectoryDesk.Place
    private let desk: DirectoryDesk
    private let bytes: [UInt8]
    private var digests: HeldDigests
    private let receiver: any FileReceiver
    private let facts: @Sendable (Digest?) -> FinishedFacts
    private let name: String
    private var refusal: StorageError?

    /// - Parameters:
    ///   - place: the directory of the plan, which stays as it is.
    ///   - facts: of the completed download, given its digest.
    init(
        _ bytes: [UInt8], as name: String, in place: DirectoryDesk.Place, _ desk: DirectoryDesk,
        checking digests: HeldDigests, to receiver: any FileReceiver,
        _ facts: @escaping @Sendable (Digest?) -> FinishedFacts
    ) {
        (self.bytes, self.name, self.place, self.desk) = (bytes, name, place, desk)
        (self.digests, self.receiver, self.facts) = (digests, receiver, facts)
    }

    var directory: any StorageDirectory { place.directory }

    var isShared: Bool { true }

    func isInPlace() -> Bool { desk.isCurrent(place) }

    mutating func write() -> Bool {
        guard digests.match(bytes) else { return false }
        do throws(StorageError) {
            try receiver.receive(bytes, facts(digests.found))
        } catch {
            refusal = error
        }
        return true
    }

    func startWriting() {}

    func sync() {}

    mutating func link() -> Bool { true }

    var named: (@Sendable () -> Void)? { nil }

    func finished(isDurable: Bool) -> FinishingGroup.Outcome {
        if let refusal { return .failed(refusal) }
        return .named(.init(name: name, trace: nil, digest: digests.found))
    }

    func close() {}
}
