/// A partial file that no journal describes.
package struct OrphanedPartialFile: Hashable, Sendable {
    package enum Fate: Hashable, Sendable {
        case remove
        /// FAULTS D24, J08: nothing shows what the file holds.
        case setAside
    }

    package var size: Int64
    /// Whether the file has the mark of a Pawl, whose own files have their full length from the start.
    package var isMarked: Bool
    /// Whether the file's mark says that it holds bytes of another program.
    package var isAdopted: Bool
    package var hasData: Bool

    package init(size: Int64, isMarked: Bool, isAdopted: Bool = false, hasData: Bool) {
        self.size = size
        self.isMarked = isMarked
        self.isAdopted = isAdopted
        self.hasData = hasData
    }

    /// Name and mark say no more than that some Pawl made the file once: it may have been finished, renamed or written
    /// over since. So only a file that holds nothing is removed.
    package var fate: Fate { size == 0 || isMarked && !hasData ? .remove : .setAside }

    /// Whether every byte in it is Pawl's, as far as marks tell.
    package var isOwn: Bool { isMarked && !isAdopted }

    /// Whether it is Pawl's own with bytes in it. Such a file is no prefix of anything.
    ///
    /// Nor is one that was adopted: bytes behind the adopted ones may stand anywhere in it.
    package var isOwnWithData: Bool { isMarked && size > 0 && hasData }
}
