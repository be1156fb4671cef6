/// One generation of the journal: which ranges of the partial file are durable, and of which representation.
package struct JournalRecord: Hashable, Sendable {
    package enum State: UInt8, Hashable, Sendable {
        case downloading = 0
        /// All bytes are durable and checked as far as they can be; only the finishing steps remain (FAULTS D17).
        case verified = 1
    }

    package var generation: UInt64
    /// 16 random bytes, also marked on the partial file.
    package var id: [UInt8]
    package static let idSize = 16
    package var owner: Owner
    package var state: State
    /// The URL without userinfo and signature-like query items.
    package var url: String
    /// The hash of ``urlIdentity(of:ranges:isSparse:)``: partial files begun from a URL with another hash belong to
    /// another download.
    package var urlHash: URLHash
    /// SHA-256 of the id and of ``DownloadSettings/journalIdentity(of:cookies:certificate:)``, which tells downloads
    /// apart that differ in a secret. Nil in a record of format version 1.
    package var identityHash: [UInt8]?
    package static let identityHashSize = 32
    package var targetName: String
    package var representation: Representation
    package var partialDevice: UInt64
    package var partialInode: UInt64
    package var expectedDigest: Digest?
    /// Seconds since 1970, for display.
    package var updated: Int64
    package var blockSize: Int64
    package var blockHashFunction: BlockHashFunction
    package var durable: RangeSet
    package var blockHashes: [Int64: UInt64]
    /// Blocks hashed since the generation before the last: the ones a bad power cut would hit.
    package var recentBlocks: [Int64]
    /// The number of bytes at the beginning that were another program's. They are the user's: the file is never
    /// removed, nor marked as one that may be (FAULTS D30). Zero in a record before format version 4.
    package var adopted: Int64

    package init(
        generation: UInt64, id: [UInt8], owner: Owner, state: State, url: String, urlHash: URLHash, targetName: String,
        representation: Representation, partialDevice: UInt64, partialInode: UInt64, expectedDigest: Digest?,
        updated: Int64, blockSize: Int64, durable: RangeSet, blockHashes: [Int64: UInt64], recentBlocks: [Int64],
        blockHashFunction: BlockHashFunction = .current, identityHash: [UInt8]? = nil, adopted: Int64 = 0
    ) {
        self.generation = generation
        self.id = id
        self.owner = owner
        self.state = state
        self.url = url
        self.urlHash = urlHash
        self.targetName = targetName
        self.representation = representation
        self.partialDevice = partialDevice
        self.partialInode = partialInode
        self.expectedDigest = expectedDigest
        self.updated = updated
        self.blockSize = blockSize
        self.blockHashFunction = blockHashFunction
        self.durable = durable
        self.blockHashes = blockHashes
        self.recentBlocks = recentBlocks
        self.identityHash = identityHash
        self.adopted = adopted
    }

    /// Whether this describes a version that was found not to have the digest, and the server still has it.
    package func rejects(_ found: Representation, for digest: Digest) -> Bool {
        expectedDigest == digest && representation.isSameFile(as: found)
    }

    /// Whether a digest is known, so that verifying the file compared it with that.
    package var hasDigest: Bool { expectedDigest != nil || !representation.digests.isEmpty }

    /// A signed URL often names the same file each time it is signed anew, so signatures are left out: what was begun
    /// from one may be the file of another, and an answer has to show that it is.
    ///
    /// Parts of a file are another download than the whole, and than other parts.
    package static func urlIdentity(of url: HTTPURL, ranges: RangeSelection? = nil, isSparse: Bool = false) -> String {
        let text = url.withoutSecrets.serialized
        // No URL has a blank in it.
        return ranges.map { "\(text) \(isSparse ? "sparse " : "")bytes=\($0)" } ?? text
    }
}

/// The hash by which a journal recognizes a URL.
package enum URLHash: Hashable, Sendable {
    /// The hash of journals before version 3. A person who chooses a URL can find another one with the same hash.
    case xxh64(UInt64)
    /// 32 bytes.
    case sha256([UInt8])

    package static let sha256Size = 32

    /// - Parameter identity: ``JournalRecord/urlIdentity(of:ranges:isSparse:)``.
    package init(of identity: String) { self = .sha256(SHA256.hash(Array(identity.utf8))) }

    package static func xxh64(of identity: String) -> URLHash {
        .xxh64(Array(identity.utf8).withUnsafeBytes(XXHash64.hash))
    }
}
