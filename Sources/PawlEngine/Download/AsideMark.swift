import PawlCore

/// The extended attribute of a file that Pawl wrote and set aside, under a name such as `NAME.part.bad`. FAULTS D24:
/// the name alone would not justify a removal, even one that a user asks for.
package enum AsideMark {
    package static let attributeName = "user.pawl.aside"

    /// Marks a file as set aside. Where the file system keeps no attributes, only its name shows it.
    static func set(on file: any StorageFile) { _ = try? file.setAttribute(attributeName, to: [UInt8(ascii: "1")]) }

    static func remove(from file: any StorageFile) throws(StorageError) { try file.removeAttribute(attributeName) }

    package static func isOn(_ file: any StorageFile) -> Bool { ((try? file.attribute(attributeName)) ?? nil) != nil }
}
