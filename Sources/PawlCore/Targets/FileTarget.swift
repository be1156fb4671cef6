/// A place for a file or directory: a name in a directory whose path was resolved. Two that are equal are one place.
///
/// Directories are the same by their canonical paths, names by their bytes, as file systems tell them apart.
package struct FileTarget: Hashable, Sendable {
    package let directory: ExactText
    /// The name of the file; nil if the server chooses it.
    package let name: ExactText?
    /// The identity of the request, which stands for the place when there is no name: equal requests have the same one.
    private let identity: [UInt8]

    /// - Parameters:
    ///   - directory: canonical.
    ///   - identity: of the request. With a name it does not count.
    package init(directory: String, name: String?, identity: @autoclosure () -> [UInt8] = []) {
        self.directory = ExactText(directory)
        self.name = name.map { ExactText($0) }
        self.identity = name == nil ? identity() : []
    }

    /// The same for all targets that some disk may take for one place, as a hash that holds in this process.
    package var spelling: Int {
        var hasher = Hasher()
        hasher.combine(FileName.folded(directory.text))
        hasher.combine(FileName.folded(name?.text ?? ""))
        return hasher.finalize()
    }

    /// The same in 64 bits, for queues of a hundred thousand.
    package var hash: UInt64 {
        // No name has a zero byte in it.
        let name = name.map { Array($0.text.utf8) } ?? [0] + identity
        return (Array(directory.text.utf8) + [UInt8(ascii: "/")] + name).withUnsafeBytes(XXHash64.hash)
    }
}
