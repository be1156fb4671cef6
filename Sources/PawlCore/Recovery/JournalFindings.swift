/// The records read from an existing journal.
package struct JournalFindings: Sendable {
    /// The newest durable record; nil if the process was cut off before the first one was complete.
    package var durable: JournalRecord?
    package var unsynced: UnsyncedRecord?
    package var isTorn: Bool

    package init(durable: JournalRecord?, unsynced: UnsyncedRecord?, isTorn: Bool) {
        self.durable = durable
        self.unsynced = unsynced
        self.isTorn = isTorn
    }

    package var latest: JournalRecord? { durable ?? unsynced?.record }

    /// Whether the journal claims no byte, and never did as far as can be told.
    package var claimsNothing: Bool {
        !isTorn && [durable, unsynced?.record].allSatisfy { $0.map { $0.durable.isEmpty && $0.adopted == 0 } ?? true }
    }

    /// The unsynced claims that a sync of the partial file may prove now. Nil when no sync could.
    ///
    /// - Parameters:
    ///   - owner: this process.
    ///   - device: that the partial file is on.
    package func provable(
        by owner: Owner, onDevice device: UInt64, file: FileTraits, journal: FileTraits
    ) -> JournalRecord? {
        guard let unsynced, unsynced.isOfUse(to: owner), unsynced.record.partialDevice == device,
            unsynced.record.likeness(of: file, describedIn: journal) != .other
        else { return nil }
        guard let durable else { return unsynced.record.durable.isEmpty ? nil : unsynced.record }
        guard durable.id == unsynced.record.id, durable.likeness(of: file, describedIn: journal) != .other else {
            return nil
        }
        let describesAll = durable.describesSameFile(as: unsynced.record) || unsynced.record.isLater(than: durable)
        return describesAll ? unsynced.record : nil
    }

    package enum Meaning: Hashable, Sendable {
        /// Some of the journal's claims may hold. At least one record is there; the likeness is that of the file to the
        /// first.
        case claims(durable: JournalRecord?, unsynced: JournalRecord?, Likeness)
        /// The journal describes another file than the one beside it.
        case otherFile
        /// The journal describes this very file, and claims nothing that outlasted the process.
        case nothingLasting
        case nothing
    }

    /// - Parameter proven: the unsynced record, once a sync of the partial file has shown that nothing of it was lost.
    package func meaning(for file: FileTraits, journal: FileTraits, proven: JournalRecord?) -> Meaning {
        if let durable {
            let likeness = durable.likeness(of: file, describedIn: journal)
            return likeness == .other ? .otherFile : .claims(durable: durable, unsynced: proven, likeness)
        }
        guard let unsynced else { return .nothing }
        let likeness = unsynced.record.likeness(of: file, describedIn: journal)
        if let proven { return .claims(durable: nil, unsynced: proven, likeness) }
        // A torn record may have claimed more than the unsynced one, and what was adopted was there before it.
        return likeness == .same && !isTorn && unsynced.record.adopted == 0 ? .nothingLasting : .nothing
    }
}

extension JournalRecord {
    /// V04: bytes of another version, or from another URL, may have been added since, and one description is that of
    /// all claims: the one written after they were added, which claims the others as well.
    package func isLater(than other: JournalRecord) -> Bool {
        other.durable.isSubset(of: durable) && other.durable != durable
    }

    fileprivate func describesSameFile(as other: JournalRecord) -> Bool {
        urlHash == other.urlHash && identityHash == other.identityHash && representation == other.representation
    }
}
