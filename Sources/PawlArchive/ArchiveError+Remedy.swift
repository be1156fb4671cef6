extension ArchiveError {
    /// What would help, in terms of what was asked for. A program that has people in front of it makes a sentence of each in its
    /// own words. Later versions may add some.
    public struct Remedy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// A larger ``ExtractionLimits/maximumBytes``, where the archive is trusted.
        public static let raiseMaximumBytes = Self(rawValue: "raiseMaximumBytes")
        /// A larger ``ExtractionLimits/maximumRatio``, where the archive is trusted.
        public static let raiseMaximumRatio = Self(rawValue: "raiseMaximumRatio")
        /// A larger ``ExtractionLimits/maximumMembers``, or limit of a list, where the archive is trusted.
        public static let raiseMaximumMembers = Self(rawValue: "raiseMaximumMembers")
        /// ``ExtractionOptions/ifExists`` or ``PackingOptions/ifExists`` may replace what is there, or take another name.
        public static let decideIfExists = Self(rawValue: "decideIfExists")
        /// Another target.
        public static let chooseTarget = Self(rawValue: "chooseTarget")
        /// See which members there are.
        public static let listMembers = Self(rawValue: "listMembers")
        /// The whole archive, unpacked here, instead of members from afar.
        public static let fetchWhole = Self(rawValue: "fetchWhole")
        /// The same once more.
        public static let tryAgain = Self(rawValue: "tryAgain")
    }
}

extension ArchiveError.Remedy {
    /// All that this version names, for tests that hold that each has words in every shell.
    package static let all: [ArchiveError.Remedy] = [
        .raiseMaximumBytes, .raiseMaximumRatio, .raiseMaximumMembers, .decideIfExists, .chooseTarget, .listMembers, .fetchWhole,
        .tryAgain,
    ]
}
