/// The facts of a completed download.
package struct FinishedFacts: Hashable, Sendable {
    package var fileName: String
    package var byteCount: Int64
    package var isComplete = true
    package var isVerified = false
    package var skipReason: SkipReason?
    package var wasSkipped: Bool { skipReason != nil }
    package var resumedFrom: Int64 = 0
    package var response: ResponseFacts?
    package var entityTag: String?
    package var lastModified: String?
    package var contentCoding: String?
    /// The digest of the file, where it is known.
    package var digest: Digest?
    /// Redacted.
    package var finalURL: String
    /// The URLs that bytes came from in the last run, redacted.
    package var sources: [String] = []
    /// The file as it was left; nil where that is not known.
    package var trace: FileTrace?

    package init(fileName: String, byteCount: Int64, finalURL: String) {
        self.fileName = fileName
        self.byteCount = byteCount
        self.finalURL = finalURL
    }
}

/// Tells a finished file from others that get its name, and from its own later contents.
package struct FileTrace: Hashable, Sendable {
    /// The file itself, while the process runs that finished it: device numbers change with each mount.
    package struct Identity: Hashable, Sendable {
        package let device: UInt64
        package let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    package let identity: Identity?
    /// Seconds since 1970.
    package let modified: Int64

    package init(_ identity: Identity?, modified: Int64) {
        self.identity = identity
        self.modified = modified
    }

    /// Whether a file with this trace may be the one that was left.
    package func fits(_ found: FileTrace) -> Bool {
        modified == found.modified && (identity == nil || identity == found.identity)
    }
}
