extension ArchiveError {
    /// A way to correct the error, in terms of the request. A user interface words each in its own terms. Later
    /// versions may add cases.
    public struct Remedy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public var description: String { rawValue }

        /// A larger ``ExtractionLimits/maximumBytes``, where the archive is trusted.
        public static let raiseMaximumBytes = Self(.raiseMaximumBytes)
        /// A larger ``ExtractionLimits/maximumRatio``, where the archive is trusted.
        public static let raiseMaximumRatio = Self(.raiseMaximumRatio)
        /// A larger ``ExtractionLimits/maximumMembers``, or limit of a list, where the archive is trusted.
        public static let raiseMaximumMembers = Self(.raiseMaximumMembers)
        /// ``ExtractionOptions/ifExists`` or ``PackingOptions/ifExists`` may replace what is there, or take another
        /// name.
        public static let decideIfExists = Self(.decideIfExists)
        /// Choose another target.
        public static let chooseTarget = Self(.chooseTarget)
        /// List the members.
        public static let listMembers = Self(.listMembers)
        /// Download the whole archive and unpack it, instead of fetching single members.
        public static let fetchWhole = Self(.fetchWhole)
        /// Try the same again.
        public static let tryAgain = Self(.tryAgain)
        /// Download the archive again: this copy is not what was published.
        public static let fetchAgain = Self(.fetchAgain)
        /// Get a corrected archive from its publisher.
        public static let askMaker = Self(.askMaker)
        /// Use a program that supports this format, usually the one that made the archive.
        public static let useOtherProgram = Self(.useOtherProgram)
        /// Install a libarchive built with support for this format.
        public static let installLibArchive = Self(.installLibArchive)
        /// Split the concatenated archives.
        public static let splitArchive = Self(.splitArchive)
        /// Distrust the archive: no honest archive contains this.
        public static let distrust = Self(.distrust)
        /// Set ``ExtractionOptions/password``.
        public static let givePassword = Self(.givePassword)
        /// Set ``ExtractionOptions/allowsTwins``, on a file system that distinguishes such names.
        public static let allowTwins = Self(.allowTwins)
        /// Use ``ExtractionOptions/patterns`` that leave the member out.
        public static let chooseMembers = Self(.chooseMembers)
        /// Unpack to a directory instead of a file.
        public static let unpackToDirectory = Self(.unpackToDirectory)
        /// Use a target on a file system of another kind.
        public static let useOtherDisk = Self(.useOtherDisk)
        /// Free space on the disk.
        public static let freeSpace = Self(.freeSpace)
        /// Wait for the other run to end.
        public static let waitForOther = Self(.waitForOther)
        /// Remove the leftover, if no other run is using it.
        public static let removeIfUnused = Self(.removeIfUnused)
        /// Move away what is in the way.
        public static let moveExisting = Self(.moveExisting)
        /// Remove by hand what could not be removed.
        public static let removeLeftover = Self(.removeLeftover)
        /// Restore the former target by hand.
        public static let restoreFormer = Self(.restoreFormer)
        /// Pack files that do not change meanwhile.
        public static let packUndisturbed = Self(.packUndisturbed)
        /// Name each file to pack only once.
        public static let nameOnce = Self(.nameOnce)
        /// Leave the file out.
        public static let leaveOut = Self(.leaveOut)
        /// Use a name in UTF-8.
        public static let renameFile = Self(.renameFile)
        /// Make a tar, which accepts any name.
        public static let makeTar = Self(.makeTar)
        /// Make a tar that is compressed.
        public static let makeCompressedTar = Self(.makeCompressedTar)
        /// Leave ``PackingOptions/level`` at its default.
        public static let leaveLevelOut = Self(.leaveLevelOut)
        /// Run in a directory above the files to pack.
        public static let enterDirectory = Self(.enterDirectory)
        /// Give an absolute path.
        public static let giveWholePath = Self(.giveWholePath)
    }
}

extension ArchiveError.Remedy {
    /// Every remedy of this version. Catalogues of words switch over it, so that none is left without.
    package enum Known: String, CaseIterable, Sendable {
        case raiseMaximumBytes, raiseMaximumRatio, raiseMaximumMembers, decideIfExists, chooseTarget, listMembers,
            fetchWhole, tryAgain, fetchAgain, askMaker, useOtherProgram, installLibArchive, splitArchive, distrust,
            givePassword, allowTwins, chooseMembers, unpackToDirectory, useOtherDisk, freeSpace, waitForOther,
            removeIfUnused, moveExisting, removeLeftover, restoreFormer, packUndisturbed, nameOnce, leaveOut,
            renameFile, makeTar, makeCompressedTar, leaveLevelOut, enterDirectory, giveWholePath
    }

    init(_ known: Known) { self.init(rawValue: known.rawValue) }

    /// The known remedy; nil for a remedy of a later version.
    package var known: Known? { Known(rawValue: rawValue) }
}
