import PawlCore

/// Partial files that are not resumed: moved out of the way, and removed only if this download wrote them.
extension PartialFiles {
    /// A partial file under the name it was given when it was moved out of the way.
    struct Aside: Sendable {
        let directory: any StorageDirectory
        let name: String
        /// The file's status when it was moved.
        let status: FileStatus

        /// Removes the file, unless somebody has put another file there, or written to it since.
        func remove() throws(StorageError) {
            guard let found = try directory.status(name), found.size == status.size, found.modified == status.modified
            else { return }
            try directory.remove(name, ifStill: status.identity)
        }
    }

    /// Moves the partial file out of the way, or removes it when nothing could ever use it. The journal goes: it
    /// describes it no longer.
    ///
    /// - Returns: what may be removed once the new start has got further.
    func setAside(keep: Bool) throws(DownloadError) -> Aside? {
        let keep = keep || mustBeKept
        if !keep, isHeld {
            try? close()
            return nil
        }
        // The name may now belong to another file.
        if keep { try checkUntouched(expecting: 0) }
        try putDown()
        do throws(StorageError) {
            var aside: Aside?
            if keep {
                let name = try Self.moveAside(currentName, as: names.partial, suffix: "orphan", in: directory)
                if mayBeRemoved { aside = Aside(directory: directory, name: name, status: try file.status()) }
            } else if let identity {
                try directory.remove(names.partial, ifStill: identity)
            }
            // A journal without its file is removed by whoever finds it; a file of ours without its journal would be
            // set aside.
            try journal.remove()
            try directory.sync()
            // FAULTS D24: it may be moved back. Not before the rename is durable, which would leave an unmarked file to
            // a marked journal.
            if keep {
                try? file.removeMark()
                if mayBeRemoved { AsideMark.set(on: file) }
            }
            try close()
            return aside
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// FAULTS D24: what was there before this run began is set aside, whatever the journal is worth.
    private var mustBeKept: Bool {
        switch origin {
        case .thisRun: false
        case .earlierRun(let claims, let isOurs): claims || !isOurs
        case .anotherProgram: true
        }
    }

    private var mayBeRemoved: Bool {
        switch origin {
        case .thisRun: true
        case .earlierRun(_, let isOurs): isOurs
        case .anotherProgram: false
        }
    }

    /// The names of files that did not match, in the order in which they are taken.
    static func quarantineNames(_ partial: String) -> [String] {
        [partial + FileName.mismatchSuffix] + (1...99).map { "\(partial)\(FileName.mismatchSuffix)-\($0)" }
    }

    /// The name that ``quarantine(_:)`` will give the file, unless another program is faster.
    var nameForQuarantine: String {
        if let twin = twinInQuarantine() { return twin }
        func isFree(_ name: String) -> Bool { (try? directory.status(name)) == nil }
        let name = names.partial + FileName.mismatchSuffix
        if isFree(name) { return name }
        return (1...10_000).lazy.map { "\(name)-\($0)" }.first(where: isFree) ?? name
    }

    /// An earlier run has kept the very same bytes.
    private func twinInQuarantine() -> String? {
        guard mayBeRemoved, let size = try? held?.bytes.map({ Int64($0.count) }) ?? file.status().size else {
            return nil
        }
        return Self.quarantineNames(names.partial).lazy
            .prefix { (try? self.directory.status($0)) != nil }
            .first { (try? self.hasSameBytes($0, size)) ?? false }
    }

    private func hasSameBytes(_ name: String, _ size: Int64) throws(StorageError) -> Bool {
        let other = try directory.open(name, writable: false)
        defer { try? other.close() }
        guard try other.status().size == size else { return false }
        var isSame = true
        try other.scan(ByteRange(0..<size), WriteBuffer(capacity: 1 << 20)) { (bytes, position) throws(StorageError) in
            guard isSame else { return }
            isSame = try file.read(bytes.count, at: position).elementsEqual(bytes)
        }
        return isSame
    }

    /// Quarantines bytes that are not the requested file, under a name that says so.
    ///
    /// - Parameter verdict: on which version of the server's file they are; nil if the digest is not what decided.
    func quarantine(_ verdict: Facts?) throws(DownloadError) {
        // Nothing of it was changed, so it keeps its name.
        if let adoption, !adoption.isTaken { return }
        try checkUntouched(expecting: 0)
        let twin = twinInQuarantine()
        try putDown()
        let record = verdict.map(journal.verdict)
        do throws(StorageError) {
            if let twin, let identity {
                try directory.remove(names.partial, ifStill: identity)
                try journal.remove()
                try directory.sync()
                guard let record, let kept = try? directory.open(twin, writable: true) else { return }
                defer { try? kept.close() }
                return MismatchMark.set(record, on: kept)
            }
            do throws(StorageError) {
                try directory.rename(names.partial, to: names.partial + FileName.mismatchSuffix, replacing: false)
            } catch  where error.reason == .exists {
                try Self.moveAside(names.partial, suffix: "bad", in: directory)
            }
            try journal.remove()
            try directory.sync()
            try? file.removeMark()
            if mayBeRemoved { AsideMark.set(on: file) }
            if let record { MismatchMark.set(record, on: file) }
        } catch {
            throw .storage(error, directory: directory.path)
        }
    }

    /// Renames to the next free `BASE.SUFFIX-n`, where the base is the name itself unless another is given.
    @discardableResult
    static func moveAside(
        _ name: String, as base: String? = nil, suffix: String, in directory: any StorageDirectory
    ) throws(StorageError) -> String {
        var number = 1
        while true {
            do throws(StorageError) {
                let free = "\(base ?? name).\(suffix)-\(number)"
                try directory.rename(name, to: free, replacing: false)
                return free
            } catch {
                guard error.reason == .exists, number < 10_000 else { throw error }
                number += 1
            }
        }
    }
}
