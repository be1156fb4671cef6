import PawlCore

/// Parts asked for in another order than they have in the file, or more than once, are put together at the end.
extension PartialFiles {
    /// The partial file is whole, synced and described by its journal until the result has its name: whatever cuts this
    /// off, the next run begins it again from there. The name is taken by a rename of a synced file.
    func finishAssembled(
        _ layout: ResultLayout, _ permissions: UInt16, _ policy: ExistingFilePolicy, carry: (any StorageFile) -> Void
    ) throws(DownloadError) -> String {
        do throws(StorageError) {
            let assembled = try freeName()
            let result = try directory.create(assembled)
            _ = try? result.setMark(AssemblyMark.bytes(id: journal.id, partialName: names.partial))
            do throws(StorageError) {
                // Without a mark nothing may remove the bytes after a power cut.
                try result.sync()
                try copy(layout.selection.pieces, to: result)
                carry(result)
                // Until the mark is off we have to be able to write to it.
                try? result.setPermissions(permissions | Self.privatePermissions)
                try result.sync()
                let name = try rename(assembled, try result.status().identity, policy)
                try directory.sync()
                if let identity { try directory.remove(names.partial, ifStill: identity) }
                // The journal goes last: it says whose the result is, should this be cut off.
                try directory.sync()
                try journal.remove()
                try directory.sync()
                // FAULTS D24: nothing refers to the mark any longer.
                try? result.removeMark()
                if permissions & Self.privatePermissions != Self.privatePermissions {
                    try? result.setPermissions(permissions)
                }
                try result.close()
                return name
            } catch {
                if let identity = try? result.status().identity { try? directory.remove(assembled, ifStill: identity) }
                try? result.close()
                throw error
            }
        } catch {
            switch error.reason {
            case .exists, .isADirectory: throw targetExists()
            default: throw .storage(error, directory: directory.path)
            }
        }
    }

    /// Returns a free name for the assembled file, and removes one that a run of this very download left when it was
    /// cut off: the process that holds the partial file holds that one too, and has all of its bytes. Any other file
    /// with such a name is left alone (FAULTS D24).
    private func freeName() throws(StorageError) -> String {
        for number in 1...10_000 {
            let name = names.partial + (number == 1 ? ".pieces" : ".pieces-\(number)")
            guard let found = try directory.status(name) else { return name }
            guard found.kind == .regular, let file = try? directory.open(name, writable: false) else { continue }
            defer { try? file.close() }
            // One without a byte holds nothing, whoever made it; ours is so until it has its mark.
            let isOurs = try file.mark() == AssemblyMark.bytes(id: journal.id, partialName: names.partial)
            guard isOurs || found.size == 0 else { continue }
            try directory.remove(name, ifStill: found.identity)
            return name
        }
        throw StorageError(operation: "openat", name: names.partial + ".pieces", reason: .exists)
    }

    private func copy(_ pieces: [ByteRange], to result: any StorageFile) throws(StorageError) {
        var end: Int64 = 0
        for piece in pieces {
            var failure: StorageError?
            try scan(piece) { bytes in
                guard failure == nil else { return }
                do throws(StorageError) {
                    try result.write(bytes, at: end)
                    end += Int64(bytes.count)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }
    }
}

/// The mark of a file that is assembled from parts: the download by its journal's id, and the partial file that the
/// parts are taken from.
enum AssemblyMark {
    private static let maximumNameLength = 48

    static func bytes(id: [UInt8], partialName: String) -> [UInt8] {
        id + Array(partialName.utf8.prefix(maximumNameLength))
    }
}

extension TargetInspection {
    /// An earlier run was cut off after its result, put together from parts, had the name: the partial file or its
    /// journal is still there.
    ///
    /// The mark says so: it is made with the file, and the file takes this name only when it is whole and synced.
    func isAssembled(
        _ target: FileStatus, by record: JournalRecord, _ names: PartialFiles.Names
    ) throws(DownloadError) -> Bool {
        guard let layout = layout(of: record.representation), !layout.isFinal, layout.length == target.size,
            target.kind == .regular,
            target.identity.inode != record.partialInode, record.isVerified(for: plan.settings.digest),
            let file = try? directory.open(names.target, writable: false)
        else { return false }
        defer { try? file.close() }
        return (try? file.mark()) == AssemblyMark.bytes(id: record.id, partialName: names.partial)
    }

    /// Removes the name that the result had before, which a power cut may bring back beside the new one, and the
    /// partial file, unless a process holds it: that one does it itself.
    func removeParts(
        _ record: JournalRecord, _ journal: FoundJournal, _ names: PartialFiles.Names, of target: FileStatus
    ) throws(DownloadError) {
        try disk { () throws(StorageError) in
            let former = names.partial + ".pieces"
            if try directory.status(former)?.identity == target.identity {
                try directory.remove(former, ifStill: target.identity)
            }
        }
        guard let partial = try? directory.open(names.partial, writable: true) else { return }
        defer { try? partial.close() }
        let (traits, journalTraits, status) = try disk { () throws(StorageError) in
            let status = try partial.status()
            return (try FileTraits(of: partial, status), try FileTraits(of: journal.file), status)
        }
        guard record.likeness(of: traits, describedIn: journalTraits) == .same else { return }
        var isLocked = true
        do throws(StorageError) {
            isLocked = try partial.lock()
        } catch {
            guard error.reason == .notSupported else { throw .storage(error, directory: directory.path) }
        }
        guard isLocked else {
            throw DownloadError(
                .locked, "Another process is finishing “\(names.target)”.", remedies: [.tryAgain],
                recovery: .retryNow)
        }
        try disk { () throws(StorageError) in
            try directory.remove(names.partial, ifStill: status.identity)
            try directory.sync()
        }
    }
}
