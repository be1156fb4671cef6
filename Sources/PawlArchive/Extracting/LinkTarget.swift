/// Whether a symbolic link stays inside the target directory (FAULTS Z02).
///
/// A target is followed step by step. `..` may be taken from a place that is a directory of this archive, made by this
/// extraction, and from no other: from behind another link it would lead elsewhere than it reads. All links hold to
/// that, so a way through several of them stays inside too.
enum LinkTarget {
    /// - Parameters:
    ///   - link: where the link will be.
    ///   - isDirectory: whether the path is a directory that was made, not a link to one.
    /// - Returns: how many directories below the one that is unpacked into the way comes at its highest.
    /// - Throws: ``ArchiveError/Code/unsafeLink``.
    static func check(
        _ target: String, of link: MemberPath, isDirectory: (MemberPath) -> Bool
    ) throws(ArchiveError) -> Int {
        let scalars = target.unicodeScalars
        func refusal(_ what: String) -> ArchiveError {
            ArchiveError(
                .unsafeLink,
                "The symbolic link \(quoted(link.text)) \(what): \(quoted(target)). Nothing was unpacked.",
                remedies: [.distrust],
                member: link.text)
        }
        if scalars.isEmpty { throw refusal("leads nowhere") }
        if target.utf8.count > MemberPath.lengthLimit { throw refusal("has a target that is too long") }
        if scalars.first == "/" { throw refusal("leads outside the directory") }
        if scalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw refusal("has a target that is not a path")
        }
        // A backslash is part of a name here (`unit\x2d.service`), and a separator on Windows, where nothing may lead
        // up either.
        let leadsUp = scalars.split(separator: "/").contains { part in
            part.contains("\\") && part.split(separator: "\\").contains { String($0) == ".." }
        }
        if scalars.first == "\\" || leadsUp { throw refusal("leads outside the directory where “\\” separates names") }
        guard var place = link.parent else { throw refusal("takes the place of the directory") }
        var highest = place.parts.count
        for step in scalars.split(separator: "/").map(String.init) where step != "." {
            guard step == ".." else {
                place = place.appending(step)
                continue
            }
            guard isDirectory(place) else {
                throw refusal("goes up from something that is not a directory of the archive")
            }
            guard let up = place.parent else { throw refusal("leads outside the directory") }
            place = up
            highest = min(highest, place.parts.count)
        }
        return highest
    }
}
