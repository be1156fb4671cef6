import FoundationEssentials
package import PawlCore
package import PawlJobs

/// A job in the database: what was asked for, and what has become of it, as lists show it.
package struct StoredJob: Hashable, Sendable {
    package enum State: String, Hashable, Sendable, CaseIterable {
        /// Waits for its turn.
        case queued
        case running
        /// Runs, but something keeps it from fetching: a host's limit, a rest, a full disk.
        case waiting
        /// By the user.
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
        /// Of `DownloadError.Remedy` or `ArchiveError.Remedy`.
        package var remedies: [String]

        package init(code: String, message: String, recovery: String = "giveUp", remedies: [String] = []) {
            self.code = code
            self.message = message
            self.recovery = recovery
            self.remedies = remedies
        }
    }

    /// Jobs are numbered in the order in which they were accepted; zero before that.
    package var number: Int64 = 0
    package let id: String
    /// With its secrets if the owner has them kept.
    package var spec: JobSpec
    /// Secrets of the job were left out, and it waits for them.
    package var lacksSecrets = false
    package var tag: String?
    package var priority: Int32 = 0
    /// The place among those of its priority; lower ones first.
    package var rank: Int64 = 0
    /// In the session of the manager; nil before it is planned, and for one with several files.
    package var download: DownloadID?
    package var state = State.queued
    /// The step that runs, that failed, or that a stopped job resumes in.
    package var step: JobStep?
    /// Nil until the server or the job has named the file.
    package var name: String?
    /// In bytes, at the last change of state.
    package var stored: Int64 = 0
    package var total: Int64?
    /// Of a completed one: all bytes of one representation; checked by a digest.
    package var isComplete: Bool?
    package var isVerified: Bool?
    /// The file existed and was left as it was.
    package var isSkipped = false
    /// The directory it was unpacked to.
    package var unpacked: String?
    package var failure: Failure?
    /// How far a run has got that is not over, as ``RunRecord`` writes it; nil where nothing of it has to be known.
    var record: String?
    /// It has ended, and the program that waits for it has not run to its end.
    var isHookDue = false
    /// It stands for a row that cannot be read, and that is left as it is.
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

    /// Without what nobody is told of, and whose change is none of the feed.
    var told: StoredJob {
        var told = self
        (told.record, told.isHookDue) = (nil, false)
        return told
    }

    /// For one that asks a server for nothing any more.
    ///
    /// - Returns: whether there were any.
    mutating func forgetSecrets() -> Bool {
        let (plain, hadNone) = spec.withoutSecrets
        (spec, lacksSecrets) = (plain, false)
        return !hadNone
    }

    /// The queue does not run it: members of an archive are no file of their server.
    package var isDirect: Bool { !spec.members.isEmpty }

    /// A random UUID (RFC 9562, version 4).
    static func freshID() -> String { UUID().uuidString.lowercased() }

    /// The one that is asked, without what is secret.
    package var url: String {
        let plain = spec.withoutSecrets.spec
        if let fresh = plain.freshURL { return fresh }
        switch plain.source {
        case .url(let url, _), .metalink(let url, _): return url
        }
    }

    /// Where lists have it, first by the group and then by the key: what is unfinished in the order of the queue, then
    /// what has ended, the newest first.
    var listPlace: (group: Int64, key: Int64) { state.hasEnded ? (.max, -(ended ?? added)) : (-Int64(priority), rank) }
}

extension JobSpec {
    /// Something in it is secret.
    var holdsSecrets: Bool { !withoutSecrets.isComplete }
}
