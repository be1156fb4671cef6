import PawlCore

/// Parts asked for in another order than they have in the file, or more than once, are put together at the end.
extension PartialFiles {
    /// The partial file is whole, synced and described by its journal until the result has its name: whatever cuts this off, the next run
    /// begins it again from there. The name is taken by a rename of a synced file.
    func finishAssembled(
        _ layout: ResultLayout, _ permissions: UInt16, _ policy: ExistingFilePolicy
    ) throws(DownloadError) -> String {
        do throws(StorageError) {
            let assembled = try freeName()
            let result = try directory.create(assembled)
            _ = try? result.setMark(Array(names.partial.utf8.prefix(64)))
            do throws(StorageError) {
                try copy(layout.selection.pieces, to: result)
                try? result.setPermissions(permissions)
                try result.sync()
                let name = try rename(assembled, policy)
                try directory.sync()
                try directory.remove(names.partial, ifStill: identity)
                try journal.remove()
                try directory.sync()
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

    /// What a run that was cut off here has left is removed, for whoever holds the partial file holds it too; what somebody else has put
    /// there is left alone.
    private func freeName() throws(StorageError) -> String {
        for number in 1...10_000 {
            let name = names.partial + (number == 1 ? ".pieces" : ".pieces-\(number)")
            guard let found = try directory.status(name) else { return name }
            guard found.kind == .regular, let file = try? directory.open(name, writable: false) else { continue }
            defer { try? file.close() }
            guard try file.mark() == Array(names.partial.utf8.prefix(64)) else { continue }
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
