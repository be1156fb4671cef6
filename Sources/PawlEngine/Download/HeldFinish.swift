import PawlCore

/// A small file on its way from memory to its name, by way of a file without one. Whatever cuts this off leaves
/// nothing, or the whole file (decision 95).
///
/// In a shared directory whose file system has no files without a name, it has a name of ours until then
/// (``TemporaryName``). What a killed run leaves there is removed by the next one that looks.
struct HeldFinish: FinishingFile {
    let directory: any StorageDirectory
    private let target: String
    private let bytes: [UInt8]
    private let policy: ExistingFilePolicy
    private let carried: FileFacts
    private let representation: Representation
    private let marker: CompletionMarker?
    private let keepsReceipt: Bool
    private let finished: FinishedFiles
    private let leftover: Leftover?
    /// The directory where others use it as well, and who keeps it. `mayExist`: a file of this name is likely enough to
    /// look for it before anything is written.
    private let shared: (place: DirectoryDesk.Place, desk: DirectoryDesk, mayExist: Bool)?
    let named: (@Sendable () -> Void)?
    /// The digests to look at; nil: this was done before.
    private var digests: HeldDigests?
    private var made: (any StorageFile)?
    /// The name that it has until then.
    private var temporary: String?
    private let random: UInt64
    private var name: String?
    private var trace: FileTrace?
    private var reports: [DownloadReport] = []

    /// Creates the last step of a file in memory; nil for a file whose bytes are on disk.
    init?(
        _ files: PartialFiles, _ facts: PartialFiles.Facts, policy: ExistingFilePolicy, carrying carried: FileFacts,
        marker: CompletionMarker?, keepsReceipt: Bool = false
    ) {
        guard let bytes = files.held?.bytes else { return nil }
        (directory, target, self.bytes, self.policy) = (files.directory, files.names.target, bytes, policy)
        (self.carried, representation, self.marker) = (carried, facts.representation, marker)
        (self.keepsReceipt, finished, leftover) = (keepsReceipt, files.finished, files.leftover)
        (shared, named, random, digests) = (nil, nil, 0, nil)
    }

    /// The same in a directory that is known, under a name that has to be free.
    init(
        _ bytes: [UInt8], as name: String, in place: DirectoryDesk.Place, _ ports: Ports, mayExist: Bool,
        carrying carried: FileFacts, of representation: Representation, marker: CompletionMarker?,
        checking digests: HeldDigests, keepsReceipt: Bool, named: (@Sendable () -> Void)?
    ) {
        (self.named, self.digests) = (named, digests)
        (directory, target, self.bytes, policy) = (place.directory, name, bytes, .fail)
        (self.carried, self.representation, self.marker) = (carried, representation, marker)
        (self.keepsReceipt, finished, leftover) = (keepsReceipt, ports.finished, nil)
        shared = (place, ports.desk, mayExist)
        random = place.makesUnnamed ? 0 : ports.runtime.random()
    }

    var isShared: Bool { shared != nil }

    func isInPlace() -> Bool { shared.map { $0.desk.isCurrent($0.place) } ?? true }

    mutating func write() throws(StorageError) -> Bool {
        if shared?.mayExist == true, try directory.status(target) != nil { return false }
        if var digests {
            guard digests.match(bytes) else { return false }
            self.digests = digests
        }
        guard let made = try create() else { return false }
        try made.write(bytes, at: 0)
        var reports: [DownloadReport] = []
        let isMarked = PartialFiles.carry(carried, marker, on: made, representation) { reports.append($0) }
        self.reports = reports
        if isMarked || !keepsReceipt { return true }
        shared?.desk.noteUnmarked(directory.path)
        return false
    }

    private mutating func create() throws(StorageError) -> (any StorageFile)? {
        if shared?.place.makesUnnamed ?? true {
            made = try directory.createUnnamed()
        } else if TemporaryName.isShort(target) {
            let (file, name) = try directory.createTemporary(for: target, random)
            (made, temporary) = (file, name)
            try file.setPermissions(directory.newFilePermissions)
        }
        return made
    }

    func startWriting() { made?.startWriting() }

    func sync() throws(StorageError) { try made?.sync() }

    mutating func link() throws(StorageError) -> Bool {
        guard let made else { return false }
        let status = try? made.status()
        trace = status.map(FileTrace.init)
        name = try link(made, status?.identity)
        return name != nil
    }

    private func link(_ made: any StorageFile, _ file: FileIdentity?) throws(StorageError) -> String? {
        var (name, attempt) = (target, 0)
        while true {
            do throws(StorageError) {
                finished.note(file, as: name)
                if let temporary {
                    try directory.rename(temporary, to: name, replacing: false)
                    return name
                }
                if try directory.link(made, to: name) { return name }
                shared.map { $0.desk.noteUnable($0.place) }
                return nil
            } catch {
                // A reply that was lost, as over a network.
                if (try? directory.names(made, name)) == true {
                    if let temporary, let file { try? directory.remove(temporary, ifStill: file) }
                    return name
                }
                guard error.reason == .exists else { throw error }
                guard policy == .rename, attempt < FileName.maximumAttempts else { return nil }
                attempt += 1
                name = FileName.renamed(target, attempt: attempt)
            }
        }
    }

    func finished(isDurable: Bool) -> FinishingGroup.Outcome {
        guard let made, let name else { return .ordinary }
        if isDurable { leftover?.remove(ifRepeatedIn: made) }
        return .named(.init(name: name, trace: trace, digest: digests?.found, reports: reports))
    }

    func close() {
        if name == nil, let temporary, let identity = try? made?.status().identity {
            try? directory.remove(temporary, ifStill: identity)
        }
        try? made?.close()
    }
}

/// The digests to compare the bytes of a file with, and to compute.
struct HeldDigests: Sendable {
    let expected: Digest?
    let computed: DigestAlgorithm?
    let factory: any DigestFactory
    /// The digest that matches, or the computed one.
    private(set) var found: Digest?

    init(expected: Digest?, computed: DigestAlgorithm?, factory: any DigestFactory) {
        (self.expected, self.computed, self.factory) = (expected, computed, factory)
    }

    /// Returns false if the bytes do not have the expected digest, or one cannot be computed.
    mutating func match(_ bytes: [UInt8]) -> Bool {
        if let expected, factory.digest(expected.algorithm, of: bytes) != expected.bytes { return false }
        found = expected
        guard let computed, computed != expected?.algorithm else { return true }
        guard let digest = factory.digest(computed, of: bytes) else { return false }
        found = Digest(algorithm: computed, bytes: digest)
        return found != nil
    }
}
