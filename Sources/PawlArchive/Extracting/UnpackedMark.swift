internal import PawlCore
package import PawlSystem

/// Records which archive a directory was unpacked from, so that the work is not repeated: an extended attribute with
/// the archive's length and modification time, and the selected members. Without extended attributes, nothing is known
/// of an existing directory.
package struct UnpackedMark: Hashable, Sendable {
    private static let name = "user.pawl.unpacked"

    /// The text as it is written to the attribute.
    package let text: String

    /// - Parameter text: that an earlier process has kept.
    package init(text: String) { self.text = text }

    /// - Parameters:
    ///   - patterns: as in ``ExtractionOptions/patterns``.
    ///   - followsLinks: false refuses a symbolic link anywhere in the path of the archive.
    /// - Returns: nil where there is no archive.
    package init?(of archive: String, patterns: [String]?, followsLinks: Bool = true) {
        guard let entry = DirectoryEntry(archive, followsLinks: followsLinks) else { return nil }
        self.init(of: entry, patterns: patterns)
    }

    package init?(of archive: DirectoryEntry, patterns: [String]?) {
        guard let status = archive.status() else { return nil }
        self.init(status, patterns: patterns)
    }

    /// - Parameter status: of the archive.
    package init?(_ status: stat, patterns: [String]?) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        let wanted =
            patterns.map { " \(Array($0.joined(separator: "\0").utf8).withUnsafeBytes { XXHash64.hash($0) })" } ?? ""
        text = "\(status.st_size) \(modified.tv_sec).\(modified.tv_nsec)\(wanted)"
    }

    package func isSet(on directory: String, followsLinks: Bool = true) -> Bool {
        guard let entry = DirectoryEntry(directory, followsLinks: followsLinks),
            let file = Self.open(entry.name, in: entry.directory)
        else { return false }
        defer { _ = SystemCalls.close(file) }
        var found = [UInt8](repeating: 0, count: 128)
        let count = found.withUnsafeMutableBytes { SystemCalls.getAttribute(file, Self.name, into: $0) }
        return count > 0 && found.prefix(count).elementsEqual(text.utf8)
    }

    /// Sets the mark; an attribute that cannot be set is left out.
    ///
    /// - Parameter name: the name in the directory; nil for the open directory itself.
    func set(on name: String?, in directory: Int32) {
        guard let file = Self.open(name ?? ".", in: directory) else { return }
        defer { _ = SystemCalls.close(file) }
        _ = Array(text.utf8).withUnsafeBytes { SystemCalls.setAttribute(file, Self.name, to: $0) }
    }

    private static func open(_ path: String, in directory: Int32) -> Int32? {
        let file = openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return file >= 0 ? file : nil
    }
}
