import PawlCore
import Synchronization

/// The driver's reports to an observer. Without one, each of these calls is a comparison with nil.
extension DownloadDriver {
    func observe(_ observation: @autoclosure () -> DownloadObservation, at now: Instant? = nil) {
        guard let observer else { return }
        observer.observe(observation(), at: now ?? ports.runtime.now)
    }

    func observe(_ event: DownloadEvent, _ reaction: DownloadMachine.Reaction, at now: Instant) {
        guard let observer else { return }
        switch event {
        case .received(let id, let head):
            observer.observe(.answered(id, ObservedAnswer(head), reaction.verdict), at: now)
        case .checkpointed(let took):
            observer.observe(.checkpointed(bytes: reaction.bytesDurable, took: took), at: now)
        case .verified(let verification): observer.observe(.verified(verification), at: now)
        default: break
        }
    }

    func observe(_ action: DownloadAction) {
        guard observer != nil else { return }
        switch action {
        case .store(let id, let position, _, let end, _, _): observe(.accepted(id, from: position, end: end))
        case .storeParts(let id, let ranges, _, _): observe(.acceptedParts(id, count: ranges.count))
        case .setEnd(let id, let end): observe(.shortened(id, end: end))
        case .cancel(let id): observe(.dropped(id))
        case .verify(let digests, let computed):
            observe(.verifying(digests.map(\.algorithm) + (computed.map { [$0] } ?? [])))
        default: break
        }
    }
}
