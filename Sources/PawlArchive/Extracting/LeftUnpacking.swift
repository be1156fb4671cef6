internal import PawlCore
import PawlSystem

/// A directory `NAME.part` in which a run unpacks, or that a killed run has left.
package struct LeftUnpacking: Hashable, Sendable {
    package let path: String
    /// The size of all in it on the disk.
    package let bytes: Int64
    /// Seconds since 1970.
    package let modified: Int64
    /// Whether a run is using it, or might be where the file system has no locks.
    package let isHeld: Bool
    /// The target is known for certain, so that what had its name can be put back.
    private let canRestore: Bool

    /// Looks at a directory; nil unless it has the mark of a run, and nothing that no run makes.
    package init?(_ path: String) {
        guard let target = Self.target(of: path) else { return nil }
        let file = openat(target.parent, target.freshName, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { _ = SystemCalls.close(file) }
        guard let facts = FileFacts(of: file), facts.isOwn else { return nil }
        let own = [FreshDirectory.mark, FreshDirectory.content, FreshDirectory.former].map(\.systemText)
        let names = Removal.names(in: file)
        guard names.allSatisfy({ own.contains($0) || FreshDirectory.isDeleted($0) }) else { return nil }
        // Not to wait for whoever writes to a pipe of that name.
        let mark = openat(file, FreshDirectory.mark, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard mark >= 0 else { return nil }
        defer { _ = SystemCalls.close(mark) }
        switch FreshDirectory.marking(of: mark) {
        case .foreign: return nil
        // Nothing else is made before it is whole.
        case .begun: guard names.count == 1 else { return nil }
        case .whole: break
        }
        self.path = path
        bytes = Removal.occupied(in: file)
        modified = names.compactMap { FileFacts(in: file, $0)?.modifiedSeconds }.reduce(facts.modifiedSeconds, max)
        isHeld = SystemCalls.isLocked(mark) != 0
        canRestore = !names.contains(FreshDirectory.former.systemText) || !FileName.isShortened(target.name)
    }

    /// The target of the run; nil if the name is not that of such a directory.
    private static func target(of path: String) -> Target? {
        let name = PathParts(path).name
        guard let targetName = FileName.target(ofPartial: name), FileName.partialName(for: targetName).isExactly(name)
        else { return nil }
        return try? Target(String(decoding: path.utf8.dropLast(name.utf8.count), as: UTF8.self) + targetName)
    }

    /// Removes it, unless it has changed or a run holds it. What the run had replaced for a moment is put back.
    ///
    /// - Returns: whether it is gone.
    package func remove() throws(ArchiveError) -> Bool {
        guard !isHeld, canRestore, LeftUnpacking(path) == self, let target = Self.target(of: path) else { return false }
        do throws(ArchiveError) {
            try FreshDirectory.removeMarked(target)
        } catch  where [.locked, .targetExists].contains(error.code) {
            return false
        }
        _ = SystemCalls.synchronize(target.parent)
        return FileKind(path: path) == .missing
    }
}
