package import PawlCore

/// The port to the disk.
///
/// Every call blocks and runs on an executor made for that, never on an event loop. Every call either does what it says
/// or throws a ``StorageError``; none retries a failed sync, because a second one may succeed although the data is
/// lost. Implementations are held to `StorageConformance` in PawlTestKit.
package protocol Storage: Sendable {
    /// Opens an existing directory. All names are then looked up beneath it, so that a directory renamed meanwhile does
    /// no harm.
    func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory

    /// The identity of this process, for the journal and for the message that a second process shows.
    var owner: Owner { get }

    /// Whether another process that names itself so runs now; nil when that cannot be known from here, as of another
    /// machine.
    func isRunning(_ other: Owner) -> Bool?
}

/// A directory held open. Names are single path components; the caller has made them safe.
package protocol StorageDirectory: Sendable {
    /// The path it was opened by, for messages.
    var path: String { get }

    /// Creates a regular file that did not exist, readable and writable by its owner only. Never follows a symbolic
    /// link.
    func create(_ name: String) throws(StorageError) -> any StorageFile

    /// Creates a regular file without a name, with ``newFilePermissions``, of which nothing remains unless
    /// ``link(_:to:)`` gives it one. Nil where the system has no such files.
    func createUnnamed() throws(StorageError) -> (any StorageFile)?

    /// Gives a file of ``createUnnamed()`` its name, atomically. Throws `.exists` when that is taken; false where the
    /// system cannot.
    func link(_ file: any StorageFile, to name: String) throws(StorageError) -> Bool

    /// Opens an existing regular file. Throws `.symbolicLink` for a link, `.isADirectory` for a directory,
    /// `.notSupported` for any other kind, without blocking on a FIFO.
    func open(_ name: String, writable: Bool) throws(StorageError) -> any StorageFile

    /// The status of a name, a symbolic link itself and not what it points to. Nil when there is nothing of that name.
    func status(_ name: String) throws(StorageError) -> FileStatus?

    /// Returns all names but `.` and `..`, in no order.
    func names() throws(StorageError) -> [String]

    /// Atomic. With `replacing` false, throws `.exists` when `newName` is taken, atomically too where the system can.
    func rename(_ name: String, to newName: String, replacing: Bool) throws(StorageError)

    /// Removes the name only while it still is the file given (FAULTS D19). Nothing of that name is no error; another
    /// file is `.exists`.
    func remove(_ name: String, ifStill identity: FileIdentity) throws(StorageError)

    /// Makes creations, renames and removals in this directory durable.
    func sync() throws(StorageError)

    /// Makes all changes to the file system that this directory is on durable, everyone's. False: nothing was done,
    /// because the system cannot, would not report each error, or has much to write that others wait for.
    func syncFileSystem() throws(StorageError) -> Bool

    /// Returns the number of bytes that an unprivileged user may still write.
    func availableBytes() throws(StorageError) -> Int64

    /// Returns the identity of the directory, known since it was opened: the one call that does not block. Its device
    /// number tells file systems apart, as long as they stay mounted.
    func identity() throws(StorageError) -> FileIdentity

    /// The permissions a new file of this user would have: 0666 without the umask.
    var newFilePermissions: UInt16 { get }
}

/// A destination for received bytes. Calls may overlap, from several threads.
package protocol ByteSink: Sendable {
    /// Writes all bytes at `offset`, or throws having written an unknown part.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError)

    /// A write only copies memory, and may be made on any thread.
    var isImmediate: Bool { get }
}

extension ByteSink {
    package var isImmediate: Bool { false }
}

/// Bytes by their position: those of a file, or of a file as another sees it.
package protocol FileContent: ByteSink {
    /// Fills the buffer from `offset` as far as the file reaches; the count read is shorter only at the end of the
    /// file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int
}

/// A file held open. Calls on one file may overlap, from several threads.
package protocol StorageFile: FileContent {
    func status() throws(StorageError) -> FileStatus

    /// Reserves space for `size` bytes and makes the file that long. Where the file system cannot reserve, only the
    /// length is set and false is returned (FAULTS D02). `.noSpace` leaves the file as it was or partly grown; the
    /// caller removes it.
    func allocate(_ size: Int64) throws(StorageError) -> Bool

    /// Sets the length; a longer one reads as zeros.
    func truncate(to size: Int64) throws(StorageError)

    /// Makes the bytes of `range` those that `other` has there. Where the file system can, both then share the space
    /// they take, until one of them is written to. `.inputOutput` when `other` ends before the range does.
    func copy(_ range: ByteRange, from other: any StorageFile) throws(StorageError)

    /// `fdatasync`: data, and what is needed to read it back. After it throws, nothing written since the last good one
    /// is believed.
    func syncData() throws(StorageError)

    /// `fsync`: data and all metadata.
    func sync() throws(StorageError)

    /// Advice to begin writing back what was written, without waiting for it.
    func startWriting()

    /// Asks the system to forget what memory holds of the file and what is on the disk as well, for whatever an earlier
    /// write that failed has left there. Advice: nothing tells if it was taken.
    func dropCache()

    /// Takes an exclusive lock that ends with the open file or the process. False when another holds it; throws
    /// `.notSupported` where the file system has no locks.
    func lock() throws(StorageError) -> Bool

    func setPermissions(_ mode: UInt16) throws(StorageError)

    /// Sets the modification time, in seconds since 1970.
    func setModified(_ secondsSinceEpoch: Int64) throws(StorageError)

    /// Attaches our id to the file, so that a partial file without a journal is known as ours. False where the file
    /// system cannot.
    func setMark(_ mark: [UInt8]) throws(StorageError) -> Bool

    func mark() throws(StorageError) -> [UInt8]?

    /// Takes our mark off again. A file without one, and a file system that keeps none, are no error.
    func removeMark() throws(StorageError)

    /// The first stretch at or after `position` that may hold written bytes; nil when only holes and reserved space
    /// follow. Where the file system does not tell, everything counts as written.
    func nextData(from position: Int64) throws(StorageError) -> ByteRange?

    /// Returns the time when the file was created, in nanoseconds since 1970; nil where the file system does not record
    /// it.
    func created() throws(StorageError) -> Int64?

    /// Sets an extended attribute, by its full name. False where the file system has none; throws where it does not
    /// take this one.
    func setAttribute(_ name: String, to value: [UInt8]) throws(StorageError) -> Bool

    /// Returns the value of an extended attribute; nil if there is none of that name, or one of more than 4 KiB. Throws
    /// `.notSupported` where the file system keeps no attributes.
    func attribute(_ name: String) throws(StorageError) -> [UInt8]?

    /// Takes an extended attribute off again. A file without it, and a file system that keeps none, are no error.
    func removeAttribute(_ name: String) throws(StorageError)

    /// Closes, reporting what close reports (FAULTS D07). Calls after it throw; a second close does nothing.
    func close() throws(StorageError)
}

package struct FileIdentity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

package struct FileStatus: Hashable, Sendable {
    package typealias Kind = ExistingFileRule.Kind

    package var identity: FileIdentity
    package var kind: Kind
    package var size: Int64
    /// The number of bytes that the file takes on the disk; fewer than its size if it has holes or is compressed.
    package var occupied: Int64
    package var linkCount: Int
    package var permissions: UInt16
    /// Seconds since 1970.
    package var modified: Int64

    package init(
        identity: FileIdentity, kind: Kind, size: Int64, occupied: Int64, linkCount: Int, permissions: UInt16,
        modified: Int64
    ) {
        self.identity = identity
        self.kind = kind
        self.size = size
        self.occupied = occupied
        self.linkCount = linkCount
        self.permissions = permissions
        self.modified = modified
    }
}

extension FileTrace {
    init(_ status: FileStatus) {
        self.init(
            Identity(device: status.identity.device, inode: status.identity.inode), modified: status.modified)
    }
}
