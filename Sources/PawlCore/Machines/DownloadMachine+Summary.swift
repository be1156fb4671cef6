extension DownloadMachine {
    /// The outcome of a run.
    package struct Summary: Hashable, Sendable {
        package var phase: Phase
        /// The representation stated by a source that gave bytes of the file.
        package var representation: Representation?
        /// The first accepted response of the run; nil: there was none.
        package var response: ResponseFacts?
        /// The digest of the file, as it was found to match, or computed.
        package var digest: Digest?
        /// The length of the result in bytes.
        package var total: Int64?
        /// The URL that the bytes came from last.
        package var finalURL: HTTPURL
        /// The URLs that bytes came from in this run.
        package var sources: [HTTPURL] = []
        package var stored: Int64 = 0
        package var resumedFrom: Int64 = 0
        package var storageHasFailed = false
        /// The last state that a user sees; nil: a server was never asked.
        package var progress: DownloadProgress?

        init(phase: Phase, representation: Representation?, total: Int64?, finalURL: HTTPURL) {
            self.phase = phase
            self.representation = representation
            self.total = total
            self.finalURL = finalURL
        }
    }

    package var summary: Summary {
        let total = settings.ranges == nil ? described?.total : layout?.resultLength
        var summary = Summary(phase: phase, representation: described, total: total, finalURL: currentURL)
        summary.response = attempt.file.response
        summary.digest = attempt.digest
        summary.sources = givers
        summary.stored = written.count
        summary.resumedFrom = attempt.earlier.resumedFrom
        summary.storageHasFailed = storageHasFailed
        summary.progress = progress(at: clock.lastEvent ?? .zero)
        return summary
    }

    /// The last action. The phase is the final one already.
    var release: DownloadAction { .release(summary) }
}

// MARK: Without asking a server

extension DownloadMachine.Summary {
    private init(_ phase: DownloadMachine.Phase, _ settings: DownloadSettings) {
        self.init(phase: phase, representation: nil, total: nil, finalURL: settings.url)
    }

    package static func failed(_ error: DownloadError, _ settings: DownloadSettings) -> Self {
        Self(.failed(error), settings)
    }

    /// The target exists, which is enough.
    package static func skipped(_ settings: DownloadSettings) -> Self {
        Self(.completed(.init(isComplete: false, isVerified: false, skipReason: .exists)), settings)
    }

    /// An earlier run has completed the file.
    package static func finished(_ known: Representation, isVerified: Bool, _ settings: DownloadSettings) -> Self {
        var summary = Self(.completed(.init(isComplete: true, isVerified: isVerified)), settings)
        summary.representation = known
        summary.total = settings.ranges == nil ? known.total : nil
        return summary
    }

    /// The same, where nothing but the outcome is known any more.
    package static func finished(
        size: Int64, isComplete: Bool, isVerified: Bool, _ settings: DownloadSettings
    ) -> Self {
        var summary = Self(.completed(.init(isComplete: isComplete, isVerified: isVerified)), settings)
        summary.total = size
        return summary
    }

    /// The same of a file that matches the caller's digest.
    ///
    /// - Parameter digest: the caller's.
    package func verified(by digest: Digest) -> Self {
        guard case .completed(var outcome) = phase else { return self }
        var summary = self
        outcome.isVerified = true
        summary.digest = digest
        summary.phase = .completed(outcome)
        return summary
    }
}

// MARK: What the driver adds

extension DownloadMachine.Summary {
    /// - Parameters:
    ///   - known: the name that was fixed.
    ///   - presumed: what the URL calls the file. Without an answer that names it, this was found to be new enough.
    package func fileName(known: String?, presumed: String?) -> String? {
        known ?? (phase.isSkipped ? presumed : nil)
    }

    /// The digest of an existing file that was left as it is.
    ///
    /// - Parameter policy: a file that was to be left alone is then no more than one that has the name.
    package mutating func noteDigest(
        _ bytes: [UInt8], of name: String, expected: Digest, _ policy: ExistingFilePolicy
    ) {
        guard case .completed(let outcome) = phase else { return }
        if bytes == expected.bytes {
            self = verified(by: expected)
            return
        }
        let (server, remedies): (String, [DownloadError.Remedy]) =
            outcome.skipReason == .notNewer
            ? (", and the server's file is not newer", [.checkDigest]) : ("", [.checkDigest, .replaceExisting])
        if policy == .fail, outcome.skipReason == .exists {
            return fail(
                .nameTaken(
                    by: .file, "“\(name)” already exists and does not match the checksum.",
                    remedies: [.checkDigest, .decideIfExists, .chooseName]))
        }
        fail(
            DownloadError(
                .digestMismatch,
                "“\(name)” already exists and does not match the checksum\(server). It was left unchanged.",
                remedies: remedies,
                recovery: .giveUp))
    }

    /// The existing file cannot be taken for the one that was asked for.
    package mutating func noteUnreadable(_ name: String, in directory: String, _ error: StorageError) {
        switch error.reason {
        case .permissionDenied: fail(.unreadable("“\(name)” in “\(directory)”"))
        case .symbolicLink:
            fail(
                DownloadError(
                    .fileExists,
                    "“\(name)” is a symbolic link, which Pawl does not follow, so it was not compared with the checksum.",
                    remedies: [.chooseName, .renameIfExists, .replaceExisting], recovery: .giveUp))
        case .notFound:
            fail(
                DownloadError(
                    .locked, "Another process has just moved or removed “\(name)”.", remedies: [.tryAgain],
                    recovery: .retryNow))
        default: fail(.storage(error, directory: directory))
        }
    }

    /// The existing file has not been read to its end.
    package mutating func noteInterruption(_ event: DownloadEvent) { phase = event == .cancel ? .cancelled : .paused }

    private mutating func fail(_ error: DownloadError) {
        phase = .failed(error)
        progress?.state = .failed(error)
    }

    /// All that is claimed was synced before, so only a pause, which promises that, has something to take back
    /// (FAULTS D07).
    package mutating func noteUnclosed(_ error: StorageError) {
        if case .paused = phase { phase = .failed(.storage(error)) }
    }
}
