import Pawl
import PawlCore
package import PawlJobs
import PawlSystem

/// The environment of a start of aria2c: files and variables.
package struct Aria2Environment: Sendable {
    package var variable: @Sendable (String) -> String?
    package var home: String
    package var currentDirectory: String
    package var isFile: @Sendable (String) -> Bool
    package var readFile: @Sendable (String) throws(Aria2Failure) -> String
    package var readList: @Sendable (String) throws(DownloadList.Problem) -> [DownloadList.Entry]

    package init(
        variable: @escaping @Sendable (String) -> String?, home: String, currentDirectory: String,
        isFile: @escaping @Sendable (String) -> Bool,
        readFile: @escaping @Sendable (String) throws(Aria2Failure) -> String,
        readList: @escaping @Sendable (String) throws(DownloadList.Problem) -> [DownloadList.Entry]
    ) {
        (self.variable, self.home, self.currentDirectory) = (variable, home, currentDirectory)
        (self.isFile, self.readFile, self.readList) = (isFile, readFile, readList)
    }

    /// The environment of this process.
    package static var live: Aria2Environment {
        Aria2Environment(
            variable: { Environment.value($0) }, home: Environment.value("HOME") ?? "/",
            currentDirectory: SystemCalls.workingDirectory ?? ".",
            isFile: { FileKind(path: $0) == .other },
            readFile: { (path) throws(Aria2Failure) in
                do throws(StorageError) {
                    return try WholeFile.read(at: path, limit: 1 << 20).text
                } catch {
                    throw Aria2Failure("It cannot be read: \(WholeFile.explanation(of: error)).")
                }
            }, readList: { (name) throws(DownloadList.Problem) in try ListFile.read(name) })
    }

    var usualConfiguration: String {
        Aria2Configuration.usualPath(environment: variable, home: home, isThere: isFile)
    }

    /// Returns the value that the environment gives for one of aria2's proxy options.
    func proxy(_ name: String) -> String? {
        let upper = String(
            decoding: name.utf8.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
        return variable(upper)
    }

    /// A local file that begins as a Metalink does.
    func isMetalink(_ path: String) -> Bool {
        guard isFile(path), let text = try? readFile(path) else { return false }
        return text.utf8.prefix(64).starts(with: "<?xml".utf8)
    }
}
