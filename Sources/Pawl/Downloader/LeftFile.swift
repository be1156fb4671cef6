package import PawlCore
import PawlEngine

/// A file that downloads have left in a directory: an unfinished download, or a file that no run uses again.
package struct LeftFile: Sendable {
    package enum Kind: Sendable {
        /// The same command goes on with it.
        case unfinished(PartialFileStatus)
        /// A partial file of ours without a journal: its run was killed before it recorded anything.
        case unrecorded
        /// A journal that cannot be read, or a partial file beside such a one.
        case damaged
        /// A partial file that its journal does not describe, such as a copy of both.
        case otherFile
        /// A journal whose partial file is gone, and with it all that it describes.
        case journal
        /// `NAME.part.orphan-1`: the file changed on the server, or nobody knows where the bytes come from.
        case setAside
        /// `NAME.part.bad`: the checksum did not match.
        case mismatched
        /// The directory `NAME.part` of an unpacking. Whoever knows archives finds it, and removes it.
        case unpacking
    }

    package var kind: Kind
    /// Ends without a slash.
    package var directory: String
    /// The name of the file; for an unfinished download, the stem of its partial file and its journal.
    package var name: String
    /// The space that the file takes on the disk, in bytes.
    package var bytes: Int64
    /// Seconds since 1970.
    package var modified: Int64
    /// Whether a process is working on it, or might be where the file system has no locks.
    package var isHeld = false
    /// Whether Pawl made the file, as far as can be told: a name alone does not show it.
    package var isOurs = true

    package init(
        kind: Kind, directory: String, name: String, bytes: Int64, modified: Int64, isHeld: Bool = false
    ) {
        (self.kind, self.directory, self.name) = (kind, directory, name)
        (self.bytes, self.modified, self.isHeld) = (bytes, modified, isHeld)
    }

    /// The target of an unfinished download, otherwise the file.
    package var path: String {
        if case .unfinished(let status) = kind { return Self.path(directory, status.fileName) }
        return Self.path(directory, name)
    }

    /// Whether no run makes use of it any more.
    package var isUseless: Bool {
        switch kind {
        case .unfinished, .unrecorded, .damaged, .otherFile: false
        case .journal, .setAside, .mismatched, .unpacking: true
        }
    }

    /// Whether nothing shows that its bytes are Pawl's.
    package var isUnknown: Bool {
        switch kind {
        case .damaged, .otherFile: true
        case .unfinished, .unrecorded, .journal, .setAside, .mismatched, .unpacking: false
        }
    }

    private static func path(_ directory: String, _ name: String) -> String {
        directory == "." ? name : directory == "/" ? "/" + name : directory + "/" + name
    }

    // MARK: Finding

    /// - Parameters:
    ///   - isRecursive: also in the directories beneath it. Links are not followed.
    ///   - unpacking: looks at a directory by its own name and that of the one it is in. It is not entered if it is
    ///     something that was left.
    /// - Throws: when the directory itself cannot be read; those beneath it that cannot are left out.
    package static func all(
        in path: String, isRecursive: Bool, unpacking: (_ name: String, _ directory: String) -> LeftFile?
    ) throws(StorageError) -> [LeftFile] {
        var bytes = Array(path.utf8)[...]
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        let path = String(decoding: bytes, as: UTF8.self)
        let found = try contents(of: path, unpacking)
        guard isRecursive else { return found.files }
        return found.files
            + found.directories.flatMap {
                (try? all(in: Self.path(path, $0), isRecursive: true, unpacking: unpacking)) ?? []
            }
    }

    private static func contents(
        of path: String, _ unpacking: (_ name: String, _ directory: String) -> LeftFile?
    ) throws(StorageError) -> (files: [LeftFile], directories: [String]) {
        let directory = try POSIXStorage().openDirectory(path)
        let names = try directory.names().sorted()
        var statuses: [ExactText: FileStatus] = [:]
        for name in names { statuses[ExactText(name)] = try? directory.status(name) }
        var (files, directories): ([LeftFile], [String]) = ([], [])
        for name in names {
            guard let status = statuses[ExactText(name)] else { continue }
            let isDirectory = status.kind == .directory
            if let file = isDirectory ? unpacking(name, path) : file(name, status, statuses, path, directory) {
                files.append(file)
            } else if isDirectory {
                directories.append(name)
            }
        }
        return (files, directories)
    }

    private static func file(
        _ name: String, _ status: FileStatus, _ others: [ExactText: FileStatus], _ path: String,
        _ directory: any StorageDirectory
    ) -> LeftFile? {
        guard status.kind == .regular else { return nil }
        var file = LeftFile(
            kind: .setAside, directory: path, name: name, bytes: status.occupied, modified: status.modified)
        if let suffix = suffix(of: name) {
            if suffix == "bad" { file.kind = .mismatched }
            file.isOurs = look(at: name, in: directory, AsideMark.isOn) ?? false
            return file
        }
        if let target = FileName.target(ofJournal: name) {
            let partial = others[ExactText(FileName.partialName(for: target))].flatMap {
                $0.kind == .regular ? $0 : nil
            }
            return journal(
                file, of: target, status.size, partial, isTargetThere: { others[ExactText($0)] != nil }, directory)
        }
        if let target = FileName.target(ofPartial: name), others[ExactText(FileName.journalName(for: target))] == nil,
            look(at: name, in: directory, { (try? $0.mark()) != nil }) ?? false
        {
            file.kind = .unrecorded
            file.isHeld = isHeld(name, ageSeconds: LiveRuntime.wallClockSeconds - status.modified, in: directory)
            return file
        }
        return nil
    }

    private static func journal(
        _ file: LeftFile, of target: String, _ size: Int64, _ partial: FileStatus?, isTargetThere: (String) -> Bool,
        _ directory: any StorageDirectory
    ) -> LeftFile? {
        var file = file
        do throws(DownloadError) {
            let status = try PartialFileStatus.read(file.path, requiresPartialFile: false)
            guard let partial else {
                // Beside a finished file it says whose that is: the next run looks at it, and removes it.
                guard !isTargetThere(status.fileName) else { return nil }
                file.kind = .journal
                return file
            }
            file.kind =
                describes(file.name, FileName.partialName(for: target), in: directory)
                ? .unfinished(status) : .otherFile
            file.isHeld =
                status.isLocked
                || isHeld(FileName.partialName(for: target), ageSeconds: status.ageSeconds, in: directory)
            file.bytes += partial.occupied
            if case .unfinished = file.kind { file.name = target }
            file.isOurs = !status.isAdopted
            return file
        } catch {
            // Others may use the ending, too.
            guard partial != nil || size == Int64(Journal.fileSize) else { return nil }
            file.kind = .damaged
            file.bytes += partial?.occupied ?? 0
            return file
        }
    }

    /// Whether a journal describes the partial file. If either cannot be read, true: the run that resumes it decides.
    private static func describes(
        _ journalName: String, _ partialName: String, in directory: any StorageDirectory
    ) -> Bool {
        let isOther = look(at: journalName, in: directory) { journal in
            look(at: partialName, in: directory) { partial in
                guard let record = try? Journal.latest(journal.read(Journal.fileSize, at: 0)),
                    let file = try? FileTraits(of: partial),
                    let traits = try? FileTraits(of: journal)
                else { return false }
                return record.likeness(of: file, describedIn: traits) == .other
            }
        }
        return isOther != true
    }

    /// `disk.iso.part.bad`, `disk.iso.part.orphan-12`: `bad`, `orphan`.
    private static func suffix(of name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            FileName.target(ofPartial: String(decoding: name.utf8[..<dot], as: UTF8.self)) != nil
        else {
            return nil
        }
        let words = name.utf8[dot...].dropFirst().split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        switch words.count {
        case 1: return words[0].isExactly("bad") ? "bad" : nil
        case 2:
            return ["bad", "orphan"].containsExactly(words[0]) && !words[1].isEmpty
                && words[1].utf8.allSatisfy(ASCII.isDigit) ? words[0] : nil
        default: return nil
        }
    }

    private static func look<Result>(
        at name: String, in directory: any StorageDirectory, _ body: (any StorageFile) -> Result
    ) -> Result? {
        guard let file = try? directory.open(name, writable: false) else { return nil }
        defer { try? file.close() }
        return body(file)
    }

    /// Whether a process holds a file. Without locks, a file that was written within the last two minutes counts as
    /// held (decision 30).
    private static func isHeld(_ name: String, ageSeconds: Int64, in directory: any StorageDirectory) -> Bool {
        look(at: name, in: directory) { file in (try? (file as? POSIXFile)?.isLockedElsewhere()) ?? (ageSeconds < 120) }
            ?? false
    }

    // MARK: Removing

    /// Removes the file, unless it has changed since it was found or a process holds it.
    ///
    /// - Returns: whether it is gone.
    package func remove() throws(DownloadError) -> Bool {
        guard !isHeld, isOurs else { return false }
        do throws(StorageError) {
            let directory = try POSIXStorage().openDirectory(directory)
            let journalName = if case .unfinished = kind { FileName.journalName(for: name) } else { name }
            guard let status = try directory.status(journalName), status.modified == modified else { return false }
            switch kind {
            case .damaged, .otherFile, .unpacking: return false
            case .unfinished:
                guard try FileRemoval.removePartial(name, in: directory, isOurs: { _ in true }) else { return false }
            case .unrecorded:
                guard let target = FileName.target(ofPartial: name),
                    try FileRemoval.removePartial(target, in: directory, isOurs: { _ in false })
                else {
                    return false
                }
            case .journal:
                // A download may have begun, or ended.
                guard let now = try Self.contentsStill(self, in: directory), case .journal = now.kind else {
                    return false
                }
                try directory.remove(name, ifStill: status.identity)
            case .setAside, .mismatched:
                guard status.occupied == bytes else { return false }
                try directory.remove(name, ifStill: status.identity)
            }
            try directory.sync()
            return true
        } catch  where error.reason == .busy {
            return false
        } catch {
            throw .storage(error, directory: self.directory)
        }
    }

    private static func contentsStill(
        _ file: LeftFile, in directory: any StorageDirectory
    ) throws(StorageError) -> LeftFile? {
        guard let target = FileName.target(ofJournal: file.name), let status = try directory.status(file.name) else {
            return nil
        }
        let partial = try directory.status(FileName.partialName(for: target))
        return journal(
            file, of: target, status.size, partial, isTargetThere: { (try? directory.status($0)) != nil }, directory)
    }
}
