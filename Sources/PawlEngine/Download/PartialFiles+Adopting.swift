import PawlCore

/// A file of another program, which is left as it is until the server's answer has shown that it may be continued
/// (FAULTS D26).
extension PartialFiles {
    var adoption: Adoption? {
        if case .anotherProgram(let adoption) = origin { adoption } else { nil }
    }

    /// The name that the bytes have now.
    var currentName: String { adoption?.currentName ?? names.partial }

    /// An answer was accepted: what the journal is to say once its first byte is stored.
    func noteAccepted(_ facts: Facts) { adoption?.note(facts) }

    func takeAdopted(_ facts: Facts) throws(DownloadError) {
        guard let adoption, !adoption.isTaken else { return }
        adoption.note(facts)
        do throws(StorageError) {
            try adoption.take()
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Finishes a file that was whole already: it is made durable, and gets no completion marker, as it is not this
    /// download's to remove (FAULTS D24).
    func finishInPlace(
        _ facts: Facts, _ carried: FileFacts, _ report: (DownloadReport) -> Void
    ) throws(DownloadError) -> String {
        Self.carry(carried, nil, on: file, facts.representation, report)
        finished.note(identity, as: names.target)
        do throws(StorageError) {
            try file.sync()
            try directory.sync()
        } catch {
            throw .storage(error, directory: directory.path)
        }
        adoption?.removeControl()
        return names.target
    }
}
