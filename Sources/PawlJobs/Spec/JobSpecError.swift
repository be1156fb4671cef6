/// The reason why a ``JobSpec`` cannot be carried out or read.
public struct JobSpecError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The text is not JSON.
        public static let malformed = Code(rawValue: "malformed")
        /// The job was written by a newer version.
        public static let newerVersion = Code(rawValue: "newerVersion")
        /// A field that this version does not know: without it, the job would be another one.
        public static let unknownField = Code(rawValue: "unknownField")
        public static let missingField = Code(rawValue: "missingField")
        /// The value of a field is of another type, or outside of its range.
        public static let invalidValue = Code(rawValue: "invalidValue")
        /// Fields that exclude each other.
        public static let contradiction = Code(rawValue: "contradiction")
    }

    public let code: Code
    /// The JSON names of the fields that it is about, such as `options.connections`.
    public let fields: [String]
    /// A sentence for a person.
    public let message: String

    package init(_ code: Code, _ fields: [String], _ message: String) {
        self.code = code
        self.fields = fields
        self.message = message
    }
}

extension JobSpecError: CustomStringConvertible {
    public var description: String { message }
}
