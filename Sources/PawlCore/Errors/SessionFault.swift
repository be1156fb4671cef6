/// The reason why the file of a session cannot be read.
package enum SessionFault: Hashable, Sendable, CustomStringConvertible {
    case newer(version: UInt32)
    case damagedHeader
    /// Neither slot says how long the log is.
    case noCommit
    case cutShort(saved: Int64, size: Int64)
    case damaged(at: Int64)

    /// The predicate of a sentence about the session.
    package var description: String {
        switch self {
        case .newer(let version): "was written by a newer Pawl (format version \(version))"
        case .damagedHeader: "is damaged at its beginning, or is not a Pawl session"
        case .noCommit: "is damaged: the record of its length cannot be read"
        case .cutShort(let saved, let size): "is truncated: \(saved) bytes were saved, but it has \(size)"
        case .damaged(let offset): "is damaged at byte \(offset)"
        }
    }
}
