/// What an extraction left behind.
public struct ExtractionResult: Hashable, Sendable {
    /// Where it is: the directory that was asked for, or another name with ``ExtractionOptions/IfExists/rename``.
    public let directory: String
    /// Files, directories and links that were unpacked.
    public let members: Int
    /// Of all files together, unpacked.
    public let bytes: Int64
    /// The target existed, and nothing was unpacked (``ExtractionOptions/IfExists/skip``).
    public let isSkipped: Bool

    package init(directory: String, members: Int, bytes: Int64, isSkipped: Bool = false) {
        self.directory = directory
        self.members = members
        self.bytes = bytes
        self.isSkipped = isSkipped
    }
}
