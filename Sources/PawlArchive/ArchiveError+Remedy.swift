extension ArchiveError {
    /// What would help, in terms of the request. A user interface words each in its own terms. Later versions may add
    /// cases.
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
        /// ``ExtractionOptions/ifExists`` or ``PackingOptions/ifExists`` may replace what is there, or take another
        /// name.
        public static let decideIfExists = Self(rawValue: "decideIfExists")
        /// Another target.
        public static let chooseTarget = Self(rawValue: "chooseTarget")
        /// List the members.
        public static let listMembers = Self(rawValue: "listMembers")
        /// Download the whole archive and unpack it, instead of fetching single members.
        public static let fetchWhole = Self(rawValue: "fetchWhole")
        /// The same once more.
        public static let tryAgain = Self(rawValue: "tryAgain")
        /// Download the archive again: this copy is not what was published.
        public static let fetchAgain = Self(rawValue: "fetchAgain")
        /// A corrected archive from its publisher.
        public static let askMaker = Self(rawValue: "askMaker")
        /// A program that supports this format, usually the one that made the archive.
        public static let useOtherProgram = Self(rawValue: "useOtherProgram")
        /// A libarchive built with support for this format.
        public static let installLibArchive = Self(rawValue: "installLibArchive")
        /// Split the concatenated archives.
        public static let splitArchive = Self(rawValue: "splitArchive")
        /// Nothing: no honest archive contains this.
        public static let distrust = Self(rawValue: "distrust")
        /// ``ExtractionOptions/password``.
        public static let givePassword = Self(rawValue: "givePassword")
        /// ``ExtractionOptions/allowsTwins``, on a file system that distinguishes such names.
        public static let allowTwins = Self(rawValue: "allowTwins")
        /// ``ExtractionOptions/patterns`` that leave it out.
        public static let chooseMembers = Self(rawValue: "chooseMembers")
        /// A directory as the target instead of a file.
        public static let unpackToDirectory = Self(rawValue: "unpackToDirectory")
        /// A target on a file system of another kind.
        public static let useOtherDisk = Self(rawValue: "useOtherDisk")
        /// Room on the disk.
        public static let freeSpace = Self(rawValue: "freeSpace")
        /// Wait for the other run to end.
        public static let waitForOther = Self(rawValue: "waitForOther")
        /// Remove the leftover, if no other run is using it.
        public static let removeIfUnused = Self(rawValue: "removeIfUnused")
        /// Move away what is in the way.
        public static let moveExisting = Self(rawValue: "moveExisting")
        /// Remove by hand what could not be removed.
        public static let removeLeftover = Self(rawValue: "removeLeftover")
        /// Restore the former target by hand.
        public static let restoreFormer = Self(rawValue: "restoreFormer")
        /// Pack files that do not change meanwhile.
        public static let packUndisturbed = Self(rawValue: "packUndisturbed")
        /// Name each file to pack only once.
        public static let nameOnce = Self(rawValue: "nameOnce")
        /// Leave the file out.
        public static let leaveOut = Self(rawValue: "leaveOut")
        /// A name in UTF-8.
        public static let renameFile = Self(rawValue: "renameFile")
        /// Another archive format, which accepts any name.
        public static let makeTar = Self(rawValue: "makeTar")
        /// A tar that is compressed.
        public static let makeCompressedTar = Self(rawValue: "makeCompressedTar")
        /// Leave ``PackingOptions/level`` at its default.
        public static let leaveLevelOut = Self(rawValue: "leaveLevelOut")
        /// Run in a directory above the files to pack.
        public static let enterDirectory = Self(rawValue: "enterDirectory")
        /// An absolute path.
        public static let giveWholePath = Self(rawValue: "giveWholePath")
    }
}

extension ArchiveError.Remedy {
    /// Every remedy of this version; tests check that each shell has words for each.
    package static let all: [ArchiveError.Remedy] = [
        .raiseMaximumBytes, .raiseMaximumRatio, .raiseMaximumMembers, .decideIfExists, .chooseTarget, .listMembers,
        .fetchWhole,
        .tryAgain,
        .fetchAgain, .askMaker, .useOtherProgram, .installLibArchive, .splitArchive, .distrust, .givePassword,
        .allowTwins, .chooseMembers, .unpackToDirectory, .useOtherDisk, .freeSpace, .waitForOther, .removeIfUnused,
        .moveExisting, .removeLeftover, .restoreFormer, .packUndisturbed, .nameOnce, .leaveOut, .renameFile, .makeTar,
        .makeCompressedTar, .leaveLevelOut, .enterDirectory, .giveWholePath,
    ]
}
