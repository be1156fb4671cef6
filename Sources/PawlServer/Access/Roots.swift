package import PawlCore
import PawlSystem

/// The directories that downloads may go beneath, whatever a request says.
package struct Roots: Hashable, Sendable {
    /// The paths of the roots, with links resolved.
    package let paths: [String]

    /// - Throws: for one that is not an existing directory.
    package init(_ paths: [String]) throws(DownloadError) {
        var resolved: [String] = []
        for path in paths {
            guard let whole = Self.resolve(path), FileKind.isDirectory(whole) else {
                throw DownloadError(
                    .notWritable, "The root “\(path)” is not an existing directory.", remedies: [.createDirectory],
                    recovery: .giveUp)
            }
            if !resolved.containsExactly(whole) { resolved.append(whole) }
        }
        self.paths = resolved
    }

    /// Returns the path without links and dots; nil if it does not exist.
    static func resolve(_ path: String) -> String? { SystemCalls.realPath(path) }

    /// The directory that a request names: existing, beneath a root, and without links in its path.
    ///
    /// - Parameter start: where relative paths start.
    func directory(_ path: String, from start: String, field: String) throws(Problem) -> String {
        let whole = try within(path, from: start, field: field)
        guard let resolved = Self.resolve(whole), FileKind.isDirectory(resolved) else {
            throw Problem(
                422, "invalidValue", "“\(path)” is not an existing directory.", hint: "Create it first.",
                fields: [field])
        }
        guard contains(resolved) else { throw outside(path, field) }
        return resolved
    }

    /// A directory that a request names and that is to be made, in one that is beneath a root.
    func newDirectory(_ path: String, from start: String, field: String) throws(Problem) -> String {
        let whole = try within(path, from: start, field: field)
        if FileKind(path: whole) != .missing { return try directory(path, from: start, field: field) }
        let bytes = Array(whole.utf8)
        let name = bytes.split(separator: UInt8(ascii: "/")).last ?? []
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        let parent = String(decoding: bytes[..<max(end, 1)], as: UTF8.self)
        return try directory(parent, from: start, field: field) + "/" + String(decoding: name, as: UTF8.self)
    }

    /// A directory that a request names, beneath a root; what is missing of its path is made.
    func madeDirectory(_ path: String, from start: String, field: String) throws(Problem) -> String {
        var existing = try within(path, from: start, field: field).utf8.split(separator: UInt8(ascii: "/")).map {
            String(Substring($0))
        }
        var missing: [String] = []
        while let last = existing.last, FileKind(path: "/" + existing.joined(separator: "/")) == .missing {
            missing.append(last)
            existing.removeLast()
        }
        // Before anything is made.
        guard let there = Self.resolve("/" + existing.joined(separator: "/")), contains(there) else {
            throw outside(path, field)
        }
        var whole = try directory(there, from: start, field: field)
        for name in missing.reversed() {
            whole += "/" + name
            guard mkdir(whole, 0o777) == 0 || errno == EEXIST else {
                throw Problem(
                    422, "invalidValue", "“\(whole)” cannot be created: \(SystemCalls.text(of: errno))", fields: [field]
                )
            }
        }
        return try directory(whole, from: start, field: field)
    }

    /// Returns the reason why no download may be stored in a directory that was accepted under other roots; nil if it
    /// may. A missing directory is left for the download to report.
    func refusal(of directory: String) -> DownloadError? {
        guard let resolved = Self.resolve(directory), !contains(resolved) else { return nil }
        return DownloadError(
            .notWritable,
            "“\(directory)” is not beneath a directory that downloads may be stored in, though it was when the download was added. Add it to “root” in the configuration, or add the download again to another directory.",
            recovery: .giveUp)
    }

    func contains(_ resolved: String) -> Bool {
        paths.contains { root in
            resolved.utf8.elementsEqual(root.utf8) || root.utf8.elementsEqual("/".utf8)
                || resolved.utf8.starts(with: (root + "/").utf8)
        }
    }

    private func within(_ path: String, from start: String, field: String) throws(Problem) -> String {
        guard !path.utf8.contains(0), !path.isEmpty else {
            throw .invalid(field, "This is not a valid path of a directory.")
        }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"))
        guard !parts.contains(where: { $0.elementsEqual("..".utf8) }) else { throw outside(path, field) }
        return path.utf8.first == UInt8(ascii: "/") ? path : start + "/" + path
    }

    private func outside(_ path: String, _ field: String) -> Problem {
        Problem(
            403, "outsideRoots", "“\(path)” is not beneath a directory that downloads may be stored in.",
            hint:
                "Choose a directory beneath \(paths.map { "“\($0)”" }.joined(separator: " or ")), or add a root to the configuration.",
            fields: [field])
    }
}
