package import PawlCore
package import PawlEngine
import PawlSystem
import Synchronization

/// The live storage: system calls that implement what ``Storage`` documents.
package struct POSIXStorage: Storage {
    private let followsLinks: Bool
    private let newFilePermissions = NewFilePermissions()

    /// - Parameter followsLinks: false refuses a directory with a symbolic link anywhere in its path.
    package init(followsLinks: Bool = true) {
        self.followsLinks = followsLinks
    }

    package var owner: Owner { .current }

    package func isRunning(_ other: Owner) -> Bool? {
        guard other != owner else { return false }
        // Containers share the boot and not the process numbers; they have host names of their own.
        guard !owner.bootID.isEmpty, other.bootID == owner.bootID, other.hostName == owner.hostName else { return nil }
        return ProcessFacts.isRunning(other.processID, since: other.startTime)
    }

    package func openDirectory(_ path: String) throws(StorageError) -> any StorageDirectory {
        // A path that C would cut short at a NUL names another directory than the one that was asked for.
        guard !path.utf8.contains(0) else {
            throw StorageError(operation: "open", name: path, errno: EINVAL)
        }
        let file = SystemCalls.openDirectory(path, followsLinks: followsLinks)
        guard file >= 0 else { throw StorageError(operation: "open", name: path, errno: errno) }
        return try POSIXDirectory(Descriptor(file, name: path), newFilePermissions)
    }

    /// Learns the umask by the one call there is, which sets it for a moment. For programs to call at their start,
    /// before a second thread begins, whose files would get that mask: a library has to read it in `/proc`, which takes
    /// fifty times as long.
    package static func learnUmask() { ProcessFacts.learnUmask() }

    /// Makes a write beyond the process's file size limit fail with `.fileTooLarge` (FAULTS D11); by default the signal
    /// SIGXFSZ ends the process. For programs to call at their start: a library leaves its host's signals alone.
    /// Children inherit it.
    package static func ignoreFileSizeSignal() {
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// The permissions of new files, read when the first one needs them, and from then on the same.
final class NewFilePermissions: Sendable {
    private let known = Locked<UInt16?>(nil)

    var value: UInt16 {
        known.withLock { known in
            let value = known ?? 0o666 & ~ProcessFacts.umask()
            known = value
            return value
        }
    }
}
