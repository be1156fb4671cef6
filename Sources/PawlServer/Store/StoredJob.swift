import FoundationEssentials
package import PawlCore
package import PawlJobs

/// A job in the database: what was asked for, and what has become of it, as lists show it.
package struct StoredJob: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Waits for its turn.
        case queued
        case running
        /// The job runs, but something keeps it from fetching: a host's limit, a rest, a full disk.
        case waiting
        /// The user paused the job.
        case paused
        case completed
        case failed

        package var hasEnded: Bool { self == .completed || self == .failed }
    }

    package struct Failure: Hashable, Sendable {
        package var code: String
        package var message: String
        /// The name of a `DownloadError.Recovery`.
        package var recovery: String
        /// The names of remedies, of `DownloadError.Remedy` or `ArchiveError.Remedy`.
        package var remedies: [String]

        package init(code: String, message: String, recovery: String = "giveUp", remedies: [String] = []) {
            self.code = code
            self.message = message
            self.recovery = recovery
            self.remedies = remedies
        }
    }

    /// The number of the job, in the order in which jobs were accepted; zero before that.
    package var number: Int64 = 0
    package let id: String
    /// The specification, with its secrets if the owner has them kept.
    package var spec: JobSpec
    /// Whether secrets of the job were left out, so that it waits for them.
    package var lacksSecrets = false
    package var tag: String?
    package var priority: Int32 = 0
    /// The place among those of its priority; lower ones first.
    package var rank: Int64 = 0
    /// The download in the session of the manager; nil before it is planned, and for a job with several files.
    package var download: DownloadID?
    package var state = State.queued
    /// The step that runs, that failed, or that a stopped job resumes in.
    package var step: JobStep?
    /// The name of the file; nil until the server or the job has named it.
    package var name: String?
    /// The number of stored bytes at the last change of state.
    package var stored: Int64 = 0
    package var total: Int64?
    /// Whether a completed file has all bytes of one representation; ``isVerified`` tells that a digest confirmed them.
    package var isComplete: Bool?
    package var isVerified: Bool?
    /// The file existed and was left as it was.
    package var isSkipped = false
    /// The directory it was unpacked to.
    package var unpacked: String?
    package var failure: Failure?
    /// The progress of an unfinished run, as ``RunRecord`` writes it; nil if there is nothing to resume.
    var record: String?
    /// Whether the job has ended and the program that waits for it has not run to its end.
    var isHookDue = false
    /// Whether the job stands for a row that cannot be read and is left unchanged.
    var isUnreadable = false
    /// Milliseconds since 1970.
    package var added: Int64
    package var started: Int64?
    package var ended: Int64?
    /// The number of its latest change.
    package var change: Int64 = 0

    package init(id: String, spec: JobSpec, added: Int64) {
        self.id = id
        self.spec = spec
        self.added = added
    }

    package var isPaused: Bool { state == .paused }

    /// Returns the job without its internal state, whose changes are not part of the feed.
    var shown: StoredJob {
        var shown = self
        (shown.record, shown.isHookDue) = (nil, false)
        return shown
    }

    /// Removes the secrets of a job that sends no more requests.
    ///
    /// - Returns: whether there were any.
    mutating func forgetSecrets() -> Bool {
        let (plain, hadNone) = spec.withoutSecrets
        (spec, lacksSecrets) = (plain, false)
        return !hadNone
    }

    /// Whether the job runs without the queue: members of an archive are not files of their server.
    package var isDirect: Bool { !spec.members.isEmpty }

    /// A random UUID (RFC 9562, version 4).
    static func freshID() -> String { UUID().uuidString.lowercased() }

    /// The URL in use, with secrets removed.
    package var url: String {
        let plain = spec.withoutSecrets.spec
        if let fresh = plain.freshURL { return fresh }
        switch plain.source {
        case .url(let url, _), .metalink(let url, _): return url
        }
    }

    /// The place in lists, first by the group and then by the key: unfinished jobs in the order of the queue, then
    /// ended ones, newest first.
    var listPlace: (group: Int64, key: Int64) { state.hasEnded ? (.max, -(ended ?? added)) : (-Int64(priority), rank) }
}

extension JobSpec {
    /// Whether the specification holds secrets.
    var holdsSecrets: Bool { !withoutSecrets.isComplete }
}
