import PawlCore

/// A small file on its way from memory to its name, by way of a file without one. Whatever cuts this off leaves
/// nothing, or the whole file (decision 95).
struct HeldFinish: FinishingFile {
    private let files: PartialFiles
    private let bytes: [UInt8]
    private let facts: PartialFiles.Facts
    private let policy: ExistingFilePolicy
    private let carried: FileFacts
    private let marker: CompletionMarker?
    private let keepsReceipt: Bool
    private var made: (any StorageFile)?
    private var name: String?
    private var trace: FileTrace?
    private var reports: [DownloadReport] = []

    /// Creates the last step of a file in memory; nil for a file whose bytes are on disk.
    init?(
        _ files: PartialFiles, _ facts: PartialFiles.Facts, policy: ExistingFilePolicy, carrying carried: FileFacts,
        marker: CompletionMarker?, keepsReceipt: Bool = false
    ) {
        guard let bytes = files.held?.bytes else { return nil }
        self.files = files
        self.bytes = bytes
        self.facts = facts
        self.policy = policy
        self.carried = carried
        self.marker = marker
        self.keepsReceipt = keepsReceipt
    }

    var directory: any StorageDirectory { files.directory }

    mutating func write() throws(StorageError) -> Bool {
        guard let made = try directory.createUnnamed() else { return false }
        self.made = made
        try made.write(bytes, at: 0)
        var reports: [DownloadReport] = []
        let isMarked = files.carry(carried, marker, on: made, facts) { reports.append($0) }
        self.reports = reports
        return isMarked || !keepsReceipt
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
        let target = files.names.target
        var (name, attempt) = (target, 0)
        while true {
            do throws(StorageError) {
                files.finished.note(file, as: name)
                return try directory.link(made, to: name) ? name : nil
            } catch {
                // A reply that was lost, as over a network.
                if (try? directory.names(made, name)) == true { return name }
                guard error.reason == .exists else { throw error }
                guard policy == .rename, attempt < FileName.maximumAttempts else { return nil }
                attempt += 1
                name = FileName.renamed(target, attempt: attempt)
            }
        }
    }

    func finished(isDurable: Bool) -> FinishingGroup.Outcome {
        guard let made, let name else { return .ordinary }
        if isDurable { files.leftover?.remove(ifRepeatedIn: made) }
        return .named(name, trace, reports)
    }

    func close() { try? made?.close() }
}
