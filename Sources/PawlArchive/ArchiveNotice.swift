/// A remark about an archive that was unpacked nevertheless.
public struct ArchiveNotice: Hashable, Sendable {
    public let code: Code
    /// A sentence for a person, with control characters of names escaped.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// A stable name that programs may compare, store and show. Later versions may add codes.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// Backslashes in names were read as separators.
        public static let backslashes = Code(rawValue: "backslashes")
        /// Bytes that the archive stores for a directory were ignored.
        public static let directoryBytes = Code(rawValue: "directoryBytes")
        /// The directory that was needed while unpacking could not be removed.
        public static let leftover = Code(rawValue: "leftover")
    }
}

extension ArchiveNotice: CustomStringConvertible {
    public var description: String { message }
}
