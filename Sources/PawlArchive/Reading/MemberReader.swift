/// Reads the members of an archive, one after the other, each once. Blocks, and is used from one thread at a time.
package protocol MemberReader: AnyObject {
    /// The format of the archive, for people: `zip`, `tar, gzip`.
    var format: String { get }

    /// The numbers of members and of their bytes, if the archive gives them at its beginning; nil otherwise.
    var announced: (members: Int, bytes: Int64)? { get }

    /// Bytes of the archive that have been read, for progress, and how many there are.
    var position: Int64 { get }
    var length: Int64 { get }

    /// Remarks about the archive.
    var notices: [ArchiveNotice] { get }

    /// Checks, before anything is written, that the selected members can be read: that a password was given for
    /// encrypted ones, and that every method is supported. Does nothing for archives that state this only along the
    /// way.
    ///
    /// - Throws: ``ArchiveError/Code/passwordNeeded`` or ``ArchiveError/Code/unsupported``, with the member.
    func checkReadable(_ isWanted: (ArchiveMember) -> Bool) throws(ArchiveError)

    /// Makes long calls, such as skipping a large member, end with an error once the flag is raised.
    func stop(when flag: StopFlag)

    /// The next member. Nil only once the end of the archive itself has been seen: truncation is an error
    /// (``ArchiveError/Code/truncated``).
    func next() throws(ArchiveError) -> ArchiveMember?

    /// Hands the next bytes of the member last returned to `body`, with their offset in the unpacked file; the offsets
    /// ascend, and what they leave out is zeros. The bytes are valid during the call only.
    ///
    /// - Returns: false at the end of the member, after its length and checksum have been found right where the archive
    ///   has them; else ``ArchiveError/Code/damaged``. `body` was not called then.
    func readBlock(_ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool
}

extension MemberReader {
    package var notices: [ArchiveNotice] { [] }

    package func checkReadable(_ isWanted: (ArchiveMember) -> Bool) throws(ArchiveError) {}
}

extension MemberReader {
    /// Does nothing, for readers that pass over members without reading them.
    package func stop(when flag: StopFlag) {}
}
