extension DownloadMachine {
    package enum Phase: Hashable, Sendable {
        /// The run has not started; the bytes that an earlier run left are examined first. Next: fetching, draining
        /// (all bytes were held already).
        case idle(Recovered)
        /// Next: draining, refreshing.
        case fetching
        /// Every exchange is cancelled and a running checkpoint awaited. Next: saving, or what the goal leads to.
        case draining(Goal)
        /// The last checkpoint. Next: what the conclusion leads to, failed.
        case saving(Conclusion)
        /// Next: fetching, and what came meanwhile.
        case settingAside(Interruption?)
        /// Next: fetching, draining.
        case refreshing
        /// Next: finishing, quarantining, fetching (damaged blocks) and what came meanwhile, failed.
        case verifying(Interruption?)
        /// Next: completed, failed.
        case finishing
        /// Next: failed.
        case quarantining(DownloadError)
        case paused
        case cancelled
        case completed(Outcome)
        case failed(DownloadError)

        package var isTerminal: Bool {
            switch self {
            case .paused, .cancelled, .completed, .failed: true
            case .idle, .fetching, .draining, .saving, .settingAside, .refreshing, .verifying, .finishing,
                .quarantining:
                false
            }
        }
    }

    /// The reason why every exchange is cancelled.
    package enum Goal: Hashable, Sendable {
        case conclude(Conclusion)
        case startOver(Keeping)

        package static let pause = Goal.conclude(.pause)
        package static let cancel = Goal.conclude(.cancel)
        package static let finish = Goal.conclude(.finish)
        package static func fail(_ error: DownloadError) -> Goal { .conclude(.fail(error)) }

        /// A pause must not override a failure, nor a change of the file a pause.
        func outranks(_ former: Goal) -> Bool {
            switch (self, former) {
            case (.conclude(let conclusion), .conclude(let former)): conclusion.outranks(former)
            case (.conclude(.finish), .startOver): false
            case (.conclude, .startOver): true
            case (.startOver, _): false
            }
        }
    }

    /// The reasons to stop fetching for good. Held bytes are saved first.
    package enum Conclusion: Hashable, Sendable {
        case pause
        case cancel
        case fail(DownloadError)
        case finish

        func outranks(_ former: Conclusion) -> Bool {
            switch (self, former) {
            case (.cancel, _), (.pause, .finish), (.fail, .finish): true
            case (.pause, _), (.fail, _), (.finish, _): false
            }
        }
    }

    /// A request to stop that waits for file operations to end. A cancel overrides a pause.
    package enum Interruption: Hashable, Sendable {
        case pause
        case cancel

        var conclusion: Conclusion {
            switch self {
            case .pause: .pause
            case .cancel: .cancel
            }
        }
    }

    /// The fate of the held bytes on a restart.
    package enum Keeping: Hashable, Sendable {
        /// Set aside; the user decides.
        case always
        /// Set aside, until the restart has got further.
        case untilPassed
    }

    package struct Outcome: Hashable, Sendable {
        /// Whether all bytes of one representation were received, whose length was known, shown by the framing, or
        /// proven by a digest.
        package var isComplete: Bool
        package var isVerified: Bool
        /// The reason why the existing target was left as it is; nil if it was not.
        package var skipReason: SkipReason?
        package var isSkipped: Bool { skipReason != nil }

        package init(isComplete: Bool, isVerified: Bool, skipReason: SkipReason? = nil) {
            self.isComplete = isComplete
            self.isVerified = isVerified
            self.skipReason = skipReason
        }
    }

    /// The bytes that an earlier run left.
    package enum Recovered: Hashable, Sendable {
        case nothing
        /// Ranges that the journal claims and that were checked.
        ///
        /// - Parameters:
        ///   - of: the URL whose bytes they are, where they are not of several; nil for the caller's own.
        ///   - origin: who asked for them.
        case journal(
            Representation, durable: RangeSet, isVerified: Bool, of: HTTPURL? = nil, origin: Origin = .sameRequest)
        /// A prefix without a journal that the caller wants to go on from.
        ///
        /// - Parameters:
        ///   - of: the length of the whole, if whoever left it has said.
        ///   - name: what it is called until the first byte is written to it.
        ///   - isTarget: that is the name that the download is to have.
        case adopted(size: Int64, of: Int64? = nil, name: String, isTarget: Bool)
    }

    /// The request that began held bytes. If it is another, an answer has to show first that the file is the same.
    package enum Origin: Hashable, Sendable {
        case sameRequest
        /// The same request, for which a digest had to decide: some bytes may be of another file.
        case restingOnDigest
        /// The URL differs in a secret, or the credentials do.
        case otherSecrets
        case otherURL(HTTPURL)

        var isSameRequest: Bool { self == .sameRequest || self == .restingOnDigest }

        var otherURL: HTTPURL? { if case .otherURL(let url) = self { url } else { nil } }
    }
}
