import Pawl
import PawlCore
import PawlEngine
import PawlTestKit
import Testing

/// The abilities of the file system of the temporary directory, found by trying them on a file there.
enum TemporaryFileSystem {
    static let keepsMarks = canDo { try $0.setMark([1]) }
    static let keepsCreationTimes = canDo { try $0.created() != nil }

    /// True after an error, too, so that the tests run and show it.
    private static func canDo(_ ask: (any StorageFile) throws -> Bool) -> Bool {
        do {
            let directory = try TemporaryDirectory("probe")
            defer { withExtendedLifetime(directory) {} }
            let file = try POSIXStorage().openDirectory(directory.path).create("file")
            defer { try? file.close() }
            return try ask(file)
        } catch {
            return true
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests that set marks, which are extended attributes.
    static var needsMarks: Self {
        .disabled(
            if: !TemporaryFileSystem.keepsMarks,
            "the file system of the temporary directory keeps no extended attributes")
    }

    /// For tests that compare the creation times of files.
    static var needsCreationTimes: Self {
        .disabled(
            if: !TemporaryFileSystem.keepsCreationTimes,
            "the file system of the temporary directory keeps no creation times")
    }
}
