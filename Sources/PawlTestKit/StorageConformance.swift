import PawlCore
package import PawlEngine

/// The contract of ``Storage``, as checks that any implementation must pass. A check throws ``Failure`` to describe a
/// violation.
package struct StorageConformance {
    /// One promise of the contract. Each check needs an empty directory.
    package enum Check: String, CaseIterable, Sendable {
        case ownerStaysTheSame
        case openDirectoryRefusesOtherPaths
        case directoryReportsItsProperties
        case namesAreSingleComponents
        case longNamesAreRefused
        case createdFileIsEmptyAndPrivate
        case createRefusesTakenNames
        case unnamedFileGetsOneName
        case openRefusesOtherKindsOfFiles
        case statusFollowsNoLink
        case namesListEveryEntry
        case renameKeepsTheFile
        case renameRefusesTakenNames
        case renameReplacesOnDemand
        case renameReplacesLinksThemselves
        case removeChecksTheIdentity
        case removedFileStaysUsableWhileOpen
        case writesReadBack
        case writesOverlapInOrder
        case largeWritesReadBack
        case copiesAreEqualAndIndependent
        case gapsReadAsZeros
        case readsEndWithTheFile
        case readOnlyFilesStayUnchanged
        case allocateSetsTheLength
        case truncateDiscardsBytes
        case syncsSucceed
        case lockExcludesOthers
        case lockEndsWithItsOpenFile
        case permissionsAndTimeAreSet
        case markStaysWithTheFile
        case markIsRemoved
        case dataIsDistinguishedFromHoles
        case attributesStayWithTheFile
        case closedFilesRefuse
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    let storage: any Storage
    /// The path of the directory.
    let path: String
    /// Installs something other than a regular file in the directory: a dangling link, an empty directory, or a FIFO
    /// for `.other`. The port itself creates none of these.
    let install: (FileStatus.Kind, String) throws -> Void

    package init(
        storage: any Storage, directory path: String, install: @escaping (FileStatus.Kind, String) throws -> Void
    ) {
        self.storage = storage
        self.path = path
        self.install = install
    }

    package func run(_ check: Check) throws {
        switch check {
        case .ownerStaysTheSame: try ownerStaysTheSame()
        case .openDirectoryRefusesOtherPaths: try openDirectoryRefusesOtherPaths()
        case .directoryReportsItsProperties: try directoryReportsItsProperties()
        case .namesAreSingleComponents: try namesAreSingleComponents()
        case .longNamesAreRefused: try longNamesAreRefused()
        case .createdFileIsEmptyAndPrivate: try createdFileIsEmptyAndPrivate()
        case .createRefusesTakenNames: try createRefusesTakenNames()
        case .unnamedFileGetsOneName: try unnamedFileGetsOneName()
        case .openRefusesOtherKindsOfFiles: try openRefusesOtherKindsOfFiles()
        case .statusFollowsNoLink: try statusFollowsNoLink()
        case .namesListEveryEntry: try namesListEveryEntry()
        case .renameKeepsTheFile: try renameKeepsTheFile()
        case .renameRefusesTakenNames: try renameRefusesTakenNames()
        case .renameReplacesOnDemand: try renameReplacesOnDemand()
        case .renameReplacesLinksThemselves: try renameReplacesLinksThemselves()
        case .removeChecksTheIdentity: try removeChecksTheIdentity()
        case .removedFileStaysUsableWhileOpen: try removedFileStaysUsableWhileOpen()
        case .writesReadBack: try writesReadBack()
        case .writesOverlapInOrder: try writesOverlapInOrder()
        case .largeWritesReadBack: try largeWritesReadBack()
        case .copiesAreEqualAndIndependent: try copiesAreEqualAndIndependent()
        case .gapsReadAsZeros: try gapsReadAsZeros()
        case .readsEndWithTheFile: try readsEndWithTheFile()
        case .readOnlyFilesStayUnchanged: try readOnlyFilesStayUnchanged()
        case .allocateSetsTheLength: try allocateSetsTheLength()
        case .truncateDiscardsBytes: try truncateDiscardsBytes()
        case .syncsSucceed: try syncsSucceed()
        case .lockExcludesOthers: try lockExcludesOthers()
        case .lockEndsWithItsOpenFile: try lockEndsWithItsOpenFile()
        case .permissionsAndTimeAreSet: try permissionsAndTimeAreSet()
        case .markStaysWithTheFile: try markStaysWithTheFile()
        case .markIsRemoved: try markIsRemoved()
        case .dataIsDistinguishedFromHoles: try dataIsDistinguishedFromHoles()
        case .attributesStayWithTheFile: try attributesStayWithTheFile()
        case .closedFilesRefuse: try closedFilesRefuse()
        }
    }
}

// MARK: Helpers of the checks

extension StorageConformance {
    func openDirectory() throws -> any StorageDirectory {
        try storage.openDirectory(path)
    }

    func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
        if !condition { throw Failure(description: otherwise()) }
    }

    func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        if value != expected { throw Failure(description: "\(what) is \(value), not \(expected)") }
    }

    /// Expects any ``StorageError``.
    func expectError(_ what: String, _ body: () throws -> Void) throws {
        try expectError(nil, what, body)
    }

    func expectError(_ reason: StorageError.Reason?, _ what: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as StorageError {
            if let reason, error.reason != reason {
                throw Failure(description: "\(what) throws \(error.reason), not \(reason)")
            }
            return
        } catch {
            throw Failure(description: "\(what) throws \(error), which is no StorageError")
        }
        throw Failure(description: "\(what) does not throw")
    }

    /// Bytes that differ between positions, so that a shifted or repeated block shows.
    func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(truncatingIfNeeded: state >> 56)
        }
    }

    func makeFile(_ name: String, _ bytes: [UInt8], in directory: any StorageDirectory) throws -> any StorageFile {
        let file = try directory.create(name)
        try file.write(bytes, at: 0)
        return file
    }

    /// The bytes of a file, read through a new handle.
    func contents(of name: String, in directory: any StorageDirectory) throws -> [UInt8] {
        let file = try directory.open(name, writable: false)
        let bytes = try file.read(Int(try file.status().size), at: 0)
        try file.close()
        return bytes
    }
}
