import Pawl
package import PawlEngine

/// The events of a run. Ends are never lost; slow readers get only the latest progress of each file.
package typealias JobEvents = Broadcast<JobEventKey, JobEvent, JobEvent>

package enum JobEventKey: Hashable, Sendable {
    case progress(JobFileID)
    case unpacking(JobFileID)
}

extension JobEvent {
    package var item: JobEvents.Item {
        switch self {
        case .progressed(let id, _): .state(.progress(id), self)
        case .unpacking(let id, _, _): .state(.unpacking(id), self)
        // Progress of a file that has not begun means another thing.
        case .began(let id): .kept(self, parting: .progress(id))
        case .notice: .event(self)
        case .noticed, .planned, .refused, .choseMembers, .fetchesWhole, .fetched, .removesArchive, .unpacked,
            .archiveKept, .paused, .resumed, .neverBegun, .ended, .hookEnded, .finished:
            .kept(self)
        }
    }
}

extension JobEvents.Reader {
    /// Returns all events since the last call, at least one; nil after the last.
    package func next() async -> [JobEvent]? {
        guard let news = await next(pause: { try? await Pause.sleep(for: .milliseconds(5)) }) else { return nil }
        return news.compactMap { news in
            switch news {
            case .state(_, let event), .event(let event): event
            case .missed: nil
            }
        }
    }
}
