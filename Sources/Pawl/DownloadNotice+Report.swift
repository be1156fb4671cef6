package import PawlCore

extension DownloadNotice {
    package init(_ report: DownloadReport, now: Instant) {
        self =
            switch report {
            case .resumed(let offset): .resumed(offset: offset)
            case .redirected(let url): .redirected(url: url.redacted)
            case .rangesIgnored: .rangesIgnored
            case .recentlyModified: .recentlyModified
            case .skipped(let reason): .skipped(reason)
            case .timeNotKept(let value): .remoteTimeNotKept(value)
            case .attributesNotKept: .attributesNotKept
            case .encoded(let coding): .encoded(coding)
            case .changed(let difference): .changed(difference.rawValue)
            case .startedOver(let kept): .startedOver(kept: kept)
            case .refreshing: .refreshing
            case .retrying(let error, let failures, let until):
                .retrying(error, failures: failures, seconds: max(0, (until - now).inSeconds))
            case .connectionRefused(let status, let limit): .connectionRefused(status: status, limit: limit)
            case .sourceFailed(let url, let error): .sourceFailed(url: url.redacted, error)
            case .sourceRested(let url, let error, let until):
                .sourceRested(url: url.redacted, error, seconds: max(0, (until - now).inSeconds))
            case .mirrorDiffers(let url, let why): .mirrorDiffers(url: url.redacted, why)
            case .startedAlone(let url): .startedAlone(url: url.redacted)
            case .pieceWrong(let index, let range, let url): .pieceWrong(piece: index, range: range, url: url?.redacted)
            case .segment(let id, .began(let range)): .segmentBegan(connection: id.number, range: range)
            case .segment(let id, .ended(let stored)): .segmentEnded(connection: id.number, storedUpTo: stored)
            }
    }
}
