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
        /// Download the whole archive and unpack it, instead of fetching single members.
        public static let fetchWhole = Self(rawValue: "fetchWhole")
        /// The same once more.
        public static let tryAgain = Self(rawValue: "tryAgain")
        /// The archive once more: what is here is not what was made.
        public static let fetchAgain = Self(rawValue: "fetchAgain")
        /// Another archive from those who made it.
        public static let askMaker = Self(rawValue: "askMaker")
        /// A program that knows this kind of archive: the one that made it, as a rule.
        public static let useOtherProgram = Self(rawValue: "useOtherProgram")
        /// A libarchive that was built with this kind of archive.
        public static let installLibArchive = Self(rawValue: "installLibArchive")
        /// Archives that were appended to each other, each by itself.
        public static let splitArchive = Self(rawValue: "splitArchive")
        /// Nothing: the archive has what no honest one has.
        public static let distrust = Self(rawValue: "distrust")
        /// ``ExtractionOptions/password``.
        public static let givePassword = Self(rawValue: "givePassword")
        /// ``ExtractionOptions/allowsTwins``, on a file system that tells such names apart.
        public static let allowTwins = Self(rawValue: "allowTwins")
        /// ``ExtractionOptions/patterns`` that leave it out.
        public static let chooseMembers = Self(rawValue: "chooseMembers")
        /// A directory as the target instead of a file.
        public static let unpackToDirectory = Self(rawValue: "unpackToDirectory")
        /// A target on a file system of another kind.
        public static let useOtherDisk = Self(rawValue: "useOtherDisk")
        /// Room on the disk.
        public static let freeSpace = Self(rawValue: "freeSpace")
        /// The end of the other run.
        public static let waitForOther = Self(rawValue: "waitForOther")
        /// What is in use gone, where no other run is using it.
        public static let removeIfUnused = Self(rawValue: "removeIfUnused")
        /// What is in the way moved away.
        public static let moveExisting = Self(rawValue: "moveExisting")
        /// What could not be removed gone.
        public static let removeLeftover = Self(rawValue: "removeLeftover")
        /// What was there before put back by hand.
        public static let restoreFormer = Self(rawValue: "restoreFormer")
        /// Files that nobody changes while they are packed.
        public static let packUndisturbed = Self(rawValue: "packUndisturbed")
        /// Each file once among those to pack.
        public static let nameOnce = Self(rawValue: "nameOnce")
        /// The file left out of those to pack.
        public static let leaveOut = Self(rawValue: "leaveOut")
        /// A name in UTF-8.
        public static let renameFile = Self(rawValue: "renameFile")
        /// An archive of another kind, which takes any name.
        public static let makeTar = Self(rawValue: "makeTar")
        /// A tar that is compressed.
        public static let makeCompressedTar = Self(rawValue: "makeCompressedTar")
        /// ``PackingOptions/level`` left as it is.
        public static let leaveLevelOut = Self(rawValue: "leaveLevelOut")
        /// The working directory above what is to be packed.
        public static let enterDirectory = Self(rawValue: "enterDirectory")
        /// An absolute path.
        public static let giveWholePath = Self(rawValue: "giveWholePath")
    }
}

extension ArchiveError.Remedy {
    /// Every remedy of this version; tests check that each shell has words for each.
    package static let all: [ArchiveError.Remedy] = [
        .raiseMaximumBytes, .raiseMaximumRatio, .raiseMaximumMembers, .decideIfExists, .chooseTarget, .listMembers, .fetchWhole,
        .tryAgain,
        .fetchAgain, .askMaker, .useOtherProgram, .installLibArchive, .splitArchive, .distrust, .givePassword,
        .allowTwins, .chooseMembers, .unpackToDirectory, .useOtherDisk, .freeSpace, .waitForOther, .removeIfUnused,
        .moveExisting, .removeLeftover, .restoreFormer, .packUndisturbed, .nameOnce, .leaveOut, .renameFile, .makeTar,
        .makeCompressedTar, .leaveLevelOut, .enterDirectory, .giveWholePath,
    ]
}
