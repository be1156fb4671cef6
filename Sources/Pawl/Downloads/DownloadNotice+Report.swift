package import PawlCore

extension DownloadNotice {
    package init(_ report: DownloadReport, now: Instant) {
        self.init(report.code, report.message, facts: report.facts(at: now), error: report.error)
    }
}

extension DownloadReport {
    fileprivate var code: DownloadNotice.Code {
        switch self {
        case .resumed: .resumed
        case .redirected: .redirected
        case .rangesIgnored: .rangesIgnored
        case .recentlyModified: .recentlyModified
        case .skipped: .skipped
        case .timeNotKept: .remoteTimeNotKept
        case .attributesNotKept: .attributesNotKept
        case .encoded: .encoded
        case .changed: .changed
        case .startedOver: .startedOver
        case .refreshing: .refreshing
        case .retrying: .retrying
        case .connectionRefused: .connectionRefused
        case .sourceFailed: .sourceFailed
        case .sourceRested: .sourceRested
        case .mirrorDiffers: .mirrorDiffers
        case .startedAlone: .startedAlone
        case .pieceWrong: .pieceWrong
        case .segment(_, .began): .segmentBegan
        case .segment(_, .ended): .segmentEnded
        }
    }

    fileprivate var message: String {
        switch self {
        case .resumed(let offset): "Going on: \(ByteCount.text(offset)) were stored before."
        case .redirected(let url): "Redirected to \(url.redacted)."
        case .rangesIgnored: "The server sends the whole file whatever is asked: one connection, and an interruption means beginning anew."
        case .recentlyModified:
            "The file was modified within the last seconds, so another change could not be detected: using one connection."
        case .skipped(.exists): "The file exists already and is left as it is."
        case .skipped(.notNewer): "The server has nothing newer."
        case .timeNotKept(let value):
            "The server's time of modification (\(value)) is none that a file can have; the file has the time it was finished."
        case .attributesNotKept: "The file system takes no such extended attributes, so the file does not say where it came from."
        case .encoded(let coding): "The server sends the file compressed (\(coding)) though asked not to; it is stored as it comes."
        case .changed(let difference):
            "The server has another file now (its \(difference.rawValue) differs). The old bytes are kept aside, and it begins anew."
        case .startedOver(let isKept):
            "Nothing proves that the bytes stored before belong to the server's file, so it begins anew."
                + (isKept ? " They are kept aside." : "")
        case .refreshing: "The link has expired; a fresh one is being fetched."
        // Not when: that changes with each try, and whoever shows only what is new would show it again and again.
        case .retrying(let error, _, _): "\(error.message) Trying again."
        case .connectionRefused(let status, let limit):
            "The server refused one more connection (\(status)); \(limit == 1 ? "one is" : "\(limit) are") used from now on."
        case .sourceFailed(let url, let error): "\(url.redacted) is not used any more: \(error.message)"
        case .sourceRested(let url, let error, _): "\(url.redacted) is left alone for a while: \(error.message)"
        case .mirrorDiffers(let url, let why): "\(url.redacted) is not used beside the others: \(why)."
        case .startedAlone(let url):
            "What several sources gave together has not the digest it should have: fetched anew from \(url.redacted) alone."
        case .pieceWrong(let index, let range, let url):
            "Piece \(index) (\(ByteCount.text(range.count)))\(url.map { " from \($0.redacted)" } ?? "") is not what its hash says; it is fetched again."
        case .segment(let id, .began(let range)):
            "Connection \(id.number) begins\(range.map { " at byte \($0.start)" } ?? "")."
        case .segment(let id, .ended(let stored)): "Connection \(id.number) ended; all before byte \(stored) is stored."
        }
    }

    fileprivate func facts(at now: Instant) -> DownloadNotice.Facts {
        var facts = DownloadNotice.Facts()
        switch self {
        case .rangesIgnored, .recentlyModified, .attributesNotKept, .refreshing: break
        case .resumed(let offset): facts.offset = offset
        case .redirected(let url), .sourceFailed(let url, _), .startedAlone(let url): facts.url = url.redacted
        case .skipped(let reason): facts.skipReason = reason
        case .timeNotKept(let text), .encoded(let text): facts.detail = text
        case .changed(let difference): facts.detail = difference.rawValue
        case .startedOver(let isKept): facts.isKept = isKept
        case .retrying(_, let failures, let until): (facts.failures, facts.delay) = (failures, max(.zero, until - now))
        case .connectionRefused(let status, let limit): (facts.status, facts.limit) = (status, limit)
        case .sourceRested(let url, _, let until): (facts.url, facts.delay) = (url.redacted, max(.zero, until - now))
        case .mirrorDiffers(let url, let why): (facts.url, facts.detail) = (url.redacted, why)
        case .pieceWrong(let index, let range, let url): (facts.piece, facts.range, facts.url) = (index, range, url?.redacted)
        case .segment(let id, .began(let range)): (facts.connection, facts.range) = (id.number, range)
        case .segment(let id, .ended(let stored)): (facts.connection, facts.storedUpTo) = (id.number, stored)
        }
        return facts
    }

    fileprivate var error: DownloadError? {
        switch self {
        case .retrying(let error, _, _), .sourceFailed(_, let error), .sourceRested(_, let error, _): error
        default: nil
        }
    }
}
