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
        case .tookOver: .tookOver
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
        case .pausedByTimetable: .pausedByTimetable
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
        case .resumed(let offset): "Resuming: \(ByteCount.text(offset)) already downloaded."
        case .tookOver(let url, .version):
            "The data already downloaded is from \(url.redacted): the server's file is the same version."
        case .tookOver(let url, .digest):
            "The data already downloaded is from \(url.redacted): the checksum will show at the end whether it is the same file."
        case .tookOver(let url, .samples):
            "The data already downloaded is from \(url.redacted). Only its length and samples of it were compared with the server's file; they are the same."
        case .redirected(let url): "Redirected to \(url.redacted)."
        case .rangesIgnored:
            "The server ignores byte ranges: using one connection, and an interrupted download restarts from zero."
        case .recentlyModified:
            "The file changed just before it was sent, and another change might go unnoticed: using one connection."
        case .skipped(.exists): "The file already exists; nothing is downloaded."
        case .skipped(.notNewer): "The server's file is not newer."
        case .timeNotKept(let value):
            "The server's modification time (\(value)) is not valid for a file; keeping the time of the download."
        case .attributesNotKept:
            "The file system does not support these extended attributes, so the file's origin is not recorded."
        case .encoded(let coding):
            "The server compressed the file (\(coding)) although asked not to; storing it as received."
        case .changed(let difference):
            "The file changed on the server (different \(difference.rawValue)). Restarting from zero; the old data is kept."
        case .startedOver(let keeping):
            "Cannot verify the partial data. Restarting from zero\(keeping.map { "; \(kept($0))" } ?? "")."
        case .refreshing: "The link has expired; fetching a fresh one."
        case .pausedByTimetable(let pause): pause.sentence
        // When, the facts say: it changes with each try.
        case .retrying(let error, _, of: nil, _): "\(error.clause); waiting for the network."
        case .retrying(let error, _, _, _): "\(error.clause); retrying."
        case .connectionRefused(let status, let limit):
            "The server refused another connection (\(StatusPhrase.text(status))); using \(limit == 1 ? "one" : "at most \(limit)") from now on."
        case .sourceFailed(let url, let error): "Source given up: \(Self.place(url, error))\(error.message)"
        case .sourceRested(let url, let error, _): "Source not used for now: \(Self.place(url, error))\(error.message)"
        case .mirrorDiffers(let url, let why): "\(url.redacted) is not used alongside the other sources: \(why)."
        case .startedAlone(let url):
            "The combined data does not match the digest; downloading again from \(url.redacted) alone."
        case .pieceWrong(let index, let range, let url):
            "Piece \(index) (\(ByteCount.text(range.count)))\(url.map { " from \($0.redacted)" } ?? "") does not match its hash; downloading it again."
        case .segment(let id, .began(let range)):
            "Connection \(id.number) begins\(range.map { " at byte \($0.start)" } ?? "")."
        case .segment(let id, .ended(let stored)): "Connection \(id.number) ended; all before byte \(stored) is stored."
        }
    }

    /// Most messages begin with the URL, which is named once.
    private static func place(_ url: HTTPURL, _ error: DownloadError) -> String {
        error.message.begins(with: url.redacted + " ") ? "" : "\(url.redacted): "
    }

    private func kept(_ keeping: DownloadMachine.Keeping) -> String {
        switch keeping {
        case .always: "the old data is kept"
        case .untilPassed: "the old data is kept until the new download has overtaken it"
        }
    }

    fileprivate func facts(at now: Instant) -> DownloadNotice.Facts {
        var facts = DownloadNotice.Facts()
        switch self {
        case .rangesIgnored, .recentlyModified, .attributesNotKept, .refreshing: break
        case .resumed(let offset): facts.offset = offset
        case .redirected(let url), .sourceFailed(let url, _), .startedAlone(let url): facts.url = url.redacted
        case .tookOver(let url, let evidence): (facts.url, facts.detail) = (url.redacted, evidence.rawValue)
        case .skipped(let reason): facts.skipReason = reason
        case .timeNotKept(let text), .encoded(let text): facts.detail = text
        case .changed(let difference): facts.detail = difference.rawValue
        case .pausedByTimetable(let pause): facts.detail = "\(pause)"
        case .startedOver(let keeping): facts.isKept = keeping != nil
        case .retrying(_, let failures, let limit, let until):
            (facts.failures, facts.limit, facts.delay) = (failures, limit, max(.zero, until - now))
        case .connectionRefused(let status, let limit): (facts.status, facts.limit) = (status, limit)
        case .sourceRested(let url, _, let until): (facts.url, facts.delay) = (url.redacted, max(.zero, until - now))
        case .mirrorDiffers(let url, let why): (facts.url, facts.detail) = (url.redacted, why)
        case .pieceWrong(let index, let range, let url):
            (facts.piece, facts.range, facts.url) = (index, range, url?.redacted)
        case .segment(let id, .began(let range)): (facts.connection, facts.range) = (id.number, range)
        case .segment(let id, .ended(let stored)): (facts.connection, facts.storedUpTo) = (id.number, stored)
        }
        return facts
    }

    fileprivate var error: DownloadError? {
        switch self {
        case .retrying(let error, _, _, _), .sourceFailed(_, let error), .sourceRested(_, let error, _): error
        default: nil
        }
    }
}
