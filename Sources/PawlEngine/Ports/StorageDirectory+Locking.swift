package import PawlCore

extension StorageDirectory {
    /// Whether the name is that of the open file.
    package func names(_ file: any StorageFile, _ name: String) throws(StorageError) -> Bool {
        try status(name)?.identity == file.status().identity
    }

    /// Locks the file for as long as it is open, and closes it unless it has the name then: whoever held the lock
    /// until now may have put another file in its place.
    ///
    /// Where there are no locks nothing is lost that a user does not do twice at once.
    ///
    /// - Returns: false where the name is another file's, or nobody's.
    /// - Throws: `.busy` while another process holds it. It is closed.
    package func lock(_ file: any StorageFile, as name: String) throws(StorageError) -> Bool {
        do throws(StorageError) {
            do throws(StorageError) {
                guard try file.lock() else { throw StorageError(operation: "lock", name: name, reason: .busy) }
            } catch {
                guard error.reason == .notSupported else { throw error }
            }
            if try names(file, name) { return true }
        } catch {
            try? file.close()
            throw error
        }
        try? file.close()
        return false
    }
}
