import PawlCore
import Synchronization

/// A file of another program that a download continues.
///
/// It stays as it is, under the name it was found by, until the first byte is about to be written to it. By then the
/// server has answered, and its bytes were compared with the end of the file. Only then does it become the partial
/// file, with a journal that claims what it held.
final class Adoption: Sendable {
    private struct State {
        var facts: JournalFile.Facts?
        var isTaken = false
    }

    let file: any StorageFile
    /// The number of bytes from the beginning that are the file's; there may be others behind them.
    private let size: Int64
    let status: FileStatus
    let names: PartialFiles.Names
    let directory: any StorageDirectory
    let journal: JournalFile
    private let foundName: String
    /// The identity of an unrelated journal that has the name of the future one.
    private let obsoleteJournal: FileIdentity?
    /// The control file of the other program, which is of no more use once the partial file is ours.
    private let control: (name: String, identity: FileIdentity)?
    private let state = Locked(State())

    init(
        _ file: any StorageFile, _ status: FileStatus, holding size: Int64, foundAs name: String,
        _ names: PartialFiles.Names,
        in directory: any StorageDirectory, journal: JournalFile, obsoleteJournal: FileIdentity?,
        control: (name: String, identity: FileIdentity)? = nil
    ) {
        self.control = control
        self.file = file
        self.status = status
        self.size = size
        self.names = names
        self.directory = directory
        self.journal = journal
        foundName = name
        self.obsoleteJournal = obsoleteJournal
    }

    var isTaken: Bool { state.withLock { $0.isTaken } }

    /// The file's name as it is now.
    var currentName: String { isTaken ? names.partial : foundName }

    /// Whether the file already has the final name of the download.
    var isTarget: Bool { currentName.isExactly(names.target) }

    /// Notes the facts for the journal, known once a response was accepted.
    func note(_ facts: JournalFile.Facts) { state.withLock { $0.facts = facts } }

    /// Removes the control file. Call it once it is durable that the file has another name, or is whole: without its
    /// control file, a file with gaps would pass for the beginning of the whole.
    func removeControl() {
        if let control { try? directory.remove(control.name, ifStill: control.identity) }
    }

    /// Makes the adopted file the partial file. When this throws, nothing has changed.
    ///
    /// The journal comes before the marks, and its own mark last: wherever this is cut off, the next run can continue
    /// or adopt the file.
    func take() throws(StorageError) {
        try state.withLock { state throws(StorageError) in
            guard !state.isTaken else { return }
            guard try directory.status(foundName)?.identity == status.identity else {
                throw StorageError(operation: "fstatat", name: foundName, reason: .notFound)
            }
            if !foundName.isExactly(names.partial) {
                try directory.rename(foundName, to: names.partial, replacing: false)
            }
            state.isTaken = true
            if let obsoleteJournal { try? directory.remove(names.journal, ifStill: obsoleteJournal) }
            journal.start()
            guard let facts = state.facts else { return }
            journal.recordUnsynced(RangeSet(ByteRange(0..<size)), facts)
            // A partial file that is marked and has no journal is never adopted again.
            guard journal.exists, (try? file.setMark(FileMark.bytes(id: journal.id, isAdopted: true))) == true
            else { return }
            journal.noteMarked()
        }
    }
}

/// The bytes of an ``Adoption``: the first write takes its file.
struct AdoptedFile: FileContent {
    let adoption: Adoption

    init(_ adoption: Adoption) { self.adoption = adoption }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try adoption.take()
        try adoption.file.write(bytes, at: offset)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try adoption.file.read(into: buffer, at: offset)
    }
}
