package import PawlCore
import PawlEngine

/// Something that downloads have left in a directory: an unfinished one, or a file that no run uses again.
package struct LeftFile: Sendable {
    package enum Kind: Sendable {
        /// The same command goes on with it.
        case unfinished(PartialFileStatus)
        /// A partial file of ours without a journal: its run was killed before it recorded anything.
        case unrecorded
        /// A journal whose partial file is gone.
        case journal
        /// `NAME.part.orphan-1`: the file changed on the server, or nobody knows where the bytes come from.
        case setAside
        /// `NAME.part.bad`: the checksum did not match.
        case mismatched
    }

    package var kind: Kind
    /// Ends without a slash.
    package var directory: String
    /// Of the target for an unfinished download, else of the file itself.
    package var name: String
    /// What it takes on the disk.
    package var bytes: Int64
    /// Seconds since 1970.
    package var modified: Int64

    package var path: String { directory == "." ? name : directory == "/" ? "/" + name : directory + "/" + name }

    /// Whether no run makes use of it any more.
    package var isUseless: Bool {
        switch kind {
        case .unfinished, .unrecorded: false
        case .journal, .setAside, .mismatched: true
        }
    }

    package var isHeld: Bool {
        if case .unfinished(let status) = kind { status.isLocked } else { false }
    }

    // MARK: Finding

    /// - Parameter isRecursive: also in the directories beneath it. Links are not followed.
    /// - Throws: when the directory itself cannot be read; those beneath it that cannot are left out.
    package static func all(in path: String, isRecursive: Bool) throws(DownloadError) -> [LeftFile] {
        let found = try contents(of: path)
        guard isRecursive else { return found.files }
        return found.files
            + found.directories.flatMap { name in
                (try? all(in: path == "." ? name : path == "/" ? "/" + name : path + "/" + name, isRecursive: true)) ?? []
            }
    }

    private static func contents(of path: String) throws(DownloadError) -> (files: [LeftFile], directories: [String]) {
        do throws(StorageError) {
            let directory = try POSIXStorage().openDirectory(path)
            let names = try directory.names().sorted()
            var statuses: [String: FileStatus] = [:]
            for name in names { statuses[name] = try? directory.status(name) }
            let files = names.compactMap { name in statuses[name].flatMap { file(name, $0, statuses, path, directory) } }
            return (files, names.filter { statuses[$0]?.kind == .directory })
        } catch {
            throw .storage(StorageError(operation: error.operation, name: path, reason: error.reason))
        }
    }

    private static func file(
        _ name: String, _ status: FileStatus, _ others: [String: FileStatus], _ path: String, _ directory: any StorageDirectory
    ) -> LeftFile? {
        guard status.kind == .regular else { return nil }
        let file = LeftFile(kind: .setAside, directory: path, name: name, bytes: status.occupied, modified: status.modified)
        if let (_, suffix) = numbered(name) { return suffix == "bad" ? file.with(.mismatched) : file }
        if let target = FileName.target(ofJournal: name) {
            guard let status = try? PartialFileStatus.read(file.path) else { return nil }
            guard let partial = others[FileName.partialName(for: target)], partial.kind == .regular else { return file.with(.journal) }
            return LeftFile(kind: .unfinished(status), directory: path, name: target, bytes: file.bytes + partial.occupied, modified: file.modified)
        }
        if let target = FileName.target(ofPartial: name), others[FileName.journalName(for: target)] == nil, isMarked(name, directory) {
            return file.with(.unrecorded)
        }
        return nil
    }

    private func with(_ kind: Kind) -> LeftFile {
        var file = self
        file.kind = kind
        return file
    }

    /// `disk.iso.part.bad`, `disk.iso.part.orphan-12`: what is behind the partial file's name.
    private static func numbered(_ name: String) -> (partial: String, suffix: String)? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let partial = String(decoding: name.utf8[..<dot], as: UTF8.self)
        let words = name.utf8[dot...].dropFirst().split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false).map { String(Substring($0)) }
        guard FileName.target(ofPartial: partial) != nil, let suffix = words.first else { return nil }
        switch words.count {
        case 1: return suffix == "bad" ? (partial, suffix) : nil
        case 2: return ["bad", "orphan"].contains(suffix) && !words[1].isEmpty && words[1].utf8.allSatisfy(ASCII.isDigit) ? (partial, suffix) : nil
        default: return nil
        }
    }

    private static func isMarked(_ name: String, _ directory: any StorageDirectory) -> Bool {
        guard let file = try? directory.open(name, writable: false) else { return false }
        defer { try? file.close() }
        return (try? file.mark()) != nil
    }

    // MARK: Removing

    /// Removes it, unless it has changed since it was found or a process holds it.
    ///
    /// - Returns: whether it is gone.
    package func remove() throws(DownloadError) -> Bool {
        do throws(StorageError) {
            let directory = try POSIXStorage().openDirectory(directory)
            switch kind {
            case .unfinished:
                guard try FileRemoval.removePartial(name, in: directory, isOurs: { _ in true }) else { return false }
            case .unrecorded:
                guard let target = FileName.target(ofPartial: name), try FileRemoval.removePartial(target, in: directory, isOurs: { _ in false }) else {
                    return false
                }
            case .journal, .setAside, .mismatched:
                guard let status = try directory.status(name), status.modified == modified, status.occupied == bytes else { return false }
                if case .journal = kind, let target = FileName.target(ofJournal: name),
                    try directory.status(FileName.partialName(for: target)) != nil
                {
                    return false
                }
                try directory.remove(name, ifStill: status.identity)
            }
            try directory.sync()
            return true
        } catch {
            throw .storage(error, directory: self.directory)
        }
    }
}
