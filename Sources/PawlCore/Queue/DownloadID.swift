/// Names a download of a ``DownloadManager``, for as long as its session has it. Never used twice by one manager; after
/// a restart the greatest one may be given again if its download was removed.
public struct DownloadID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public let number: UInt64

    public init(_ number: UInt64) { self.number = number }

    public static func < (left: DownloadID, right: DownloadID) -> Bool { left.number < right.number }

    public var description: String { String(number) }
}

/// The new position of a download in the queue. Only downloads of its own priority are passed; ``before(_:)`` and
/// ``after(_:)`` take over the priority of the other one.
public enum QueuePosition: Hashable, Sendable {
    case top
    case bottom
    /// The number of places to move towards the end; negative towards the beginning.
    case offset(Int)
    /// The place counted from zero.
    case index(Int)
    case before(DownloadID)
    case after(DownloadID)
}
