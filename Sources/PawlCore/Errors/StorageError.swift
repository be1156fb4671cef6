/// A failed storage operation: its name, the file it concerned, and the reason.
///
/// The live storage makes it from `errno`; the simulated one makes it directly. Machines and drivers look only at
/// `reason`.
package struct StorageError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case noSpace
        /// The file needs more space than is free.
        case tooLittleSpace(needed: Int64, available: Int64)
        /// Writing more would leave other programs too little space.
        case belowFloor(available: Int64)
        case quotaExceeded
        case readOnly
        case permissionDenied
        case inputOutput
        case fileTooLarge
        case exists
        case notFound
        case notADirectory
        case isADirectory
        case symbolicLink
        case nameTooLong
        case tooManyOpenFiles
        case notSupported
        case crossDevice
        case stale
        case busy
        /// The system has no library that computes digests.
        case noDigests
        /// The library refuses this digest, as MD5 in FIPS mode.
        case digestRefused(DigestAlgorithm)
        /// The file of a session was read, and its content cannot be used.
        case invalidSession(SessionFault)
        case other(errno: Int32)
    }

    /// The POSIX name of the call, such as `pwrite`.
    package let operation: String
    package let name: String
    package let reason: Reason

    /// The operation that creates a file.
    package static let creating = "openat(O_CREAT)"

    package init(operation: String, name: String, reason: Reason) {
        self.operation = operation
        self.name = name
        self.reason = reason
    }
}
