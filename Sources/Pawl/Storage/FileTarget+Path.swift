package import PawlCore

extension FileTarget {
    /// The place of a file or directory, however its directory is spelled: `d`, `./d/`, `/srv/d`, or through a symbolic
    /// link to `d`.
    ///
    /// Directories are the same by their canonical paths, names by their bytes, as file systems tell them apart. The
    /// name itself is never followed, for a finished file takes its name from a link instead of going where that leads.
    ///
    /// - Parameter identity: of the request, which tells places apart that have no name yet.
    package init(in directory: String, _ name: String?, identity: @autoclosure () -> [UInt8] = []) {
        self.init(
            directory: POSIXStorage.settledPath(directory), name: name?.canonicalSystemText, identity: identity())
    }

    package init(path: String) {
        let ownName = Self.split(path).name
        let isNamed = !["", ".", ".."].contains(ownName)
        let (directory, name) = Self.split(isNamed ? path : POSIXStorage.settledPath(path))
        self.init(in: directory, name.isEmpty ? nil : name)
    }

    /// A name in a directory, as people write it: `disk.iso`, `isos/disk.iso`.
    package static func path(in directory: String, _ name: String) -> String {
        switch directory {
        case ".": name
        case "/": "/" + name
        default: directory + "/" + name
        }
    }

    /// The last component without the slashes behind it, and what comes before.
    private static func split(_ path: String) -> (directory: String, name: String) {
        let slash = UInt8(ascii: "/")
        let bytes = Array(path.utf8)
        let end = bytes.lastIndex { $0 != slash }.map { $0 + 1 } ?? 0
        let start = bytes[..<end].lastIndex(of: slash).map { $0 + 1 } ?? 0
        let directory = String(decoding: bytes[..<start], as: UTF8.self)
        return (end == 0 ? path : directory, String(decoding: bytes[start..<end], as: UTF8.self))
    }
}
