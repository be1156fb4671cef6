import PawlCore
import Synchronization

/// Stops a file of unknown length before it fills the disk, since a full disk harms other programs.
///
/// Only for files without reserved space. One that has its space takes none from anybody.
final class SpaceFloor: Sendable {
    /// The bytes left free for other programs.
    static let bytes: Int64 = 64 << 20
    /// The bytes between two checks. Each check is a system call; small files end before the first.
    private static let interval: Int64 = 8 << 20

    private let directory: any StorageDirectory
    /// The name of the file, for messages.
    private let name: String
    /// The bytes admitted since the free space was last checked; nil once the space is reserved.
    private let sinceAsked = Locked<Int64?>(0)

    init(_ directory: any StorageDirectory, name: String) {
        self.directory = directory
        self.name = name
    }

    /// The space of the whole file is reserved.
    var isLifted: Bool { sinceAsked.withLock { $0 == nil } }

    func lift() { sinceAsked.withLock { $0 = nil } }

    /// Checks the free space before this number of bytes is written.
    func admit(_ count: Int) throws(StorageError) {
        let isDue = sinceAsked.withLock { sum in
            guard let former = sum else { return false }
            let isDue = former + Int64(count) >= Self.interval
            sum = isDue ? 0 : former + Int64(count)
            return isDue
        }
        guard isDue else { return }
        let available = try directory.availableBytes()
        if available < Self.bytes {
            throw StorageError(operation: "statvfs", name: name, reason: .belowFloor(available: available))
        }
    }
}
