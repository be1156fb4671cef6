package import PawlArchive
package import PawlCore

/// The objects of `--json` that are about archives, described in `docs/json-events.md`.
package enum ArchiveJSON {
    package static func progress(_ activity: ArchiveActivity) -> JSONValue {
        let progress = activity.progress
        let event: JSONValue = [
            "event": .string(activity.kind == .packing ? "packing" : "extracting"), "archive": .string(activity.name),
            "members": .integer(progress.members), "totalMembers": .optional(progress.totalMembers.map(Int64.init)),
            "bytes": .integer(progress.bytes), "totalBytes": .optional(progress.totalBytes),
            "archiveBytes": .integer(progress.archiveBytes), "totalArchiveBytes": .optional(progress.totalArchiveBytes),
            "member": .string(progress.member), "syncing": .boolean(progress.isSyncing),
            "rate": .rounded(activity.rate),
        ]
        return activity.id.map(event.tagged) ?? event
    }

    package static func extracted(
        _ result: ExtractionResult, from archive: String, after elapsed: Duration
    ) -> JSONValue {
        [
            "event": .string("extracted"), "archive": .string(archive), "directory": .string(result.directory),
            "members": .integer(result.members), "bytes": .integer(result.bytes), "skipped": .boolean(result.isSkipped),
            "notices": .array(
                result.notices.map { ["code": .string($0.code.rawValue), "message": .string($0.message)] }),
            "milliseconds": .rounded(elapsed / .milliseconds(1)),
        ]
    }

    package static func packed(_ result: PackingResult, after elapsed: Duration) -> JSONValue {
        [
            "event": .string("packed"), "archive": .string(result.path), "members": .integer(result.members),
            "files": .integer(result.files), "bytes": .integer(result.bytes),
            "archiveBytes": .integer(result.archiveBytes),
            "milliseconds": .rounded(elapsed / .milliseconds(1)),
        ]
    }

    /// - Parameter message: what a person is told.
    package static func failed(_ error: ArchiveError, _ message: String, exitCode: Int32) -> JSONValue {
        [
            "event": .string("failed"), "code": .string(error.code.rawValue), "message": .string(message),
            "member": .optional(error.member), "exitCode": .integer(Int64(exitCode)),
        ]
    }

    package static func stopped(exitCode: Int32) -> JSONValue {
        [
            "event": .string("failed"), "code": .string("stopped"),
            "message": .string("Stopped; the partial output was removed."),
            "member": .null, "exitCode": .integer(Int64(exitCode)),
        ]
    }

    package static func member(_ member: ArchiveMember) -> JSONValue {
        let (kind, target): (String, String?) =
            switch member.kind {
            case .file: ("file", nil)
            case .directory: ("directory", nil)
            case .symbolicLink(let target): ("symbolicLink", target)
            case .hardLink(let target): ("hardLink", target)
            case .other(let what): (what, nil)
            }
        return [
            "event": .string("member"), "path": .string(member.path), "kind": .string(kind),
            "target": .optional(target),
            "size": .optional(member.size), "compressedSize": .optional(member.compressedSize),
            "crc32": .optional(member.crc32.map(hexadecimal)), "modified": .optional(member.modified),
            "executable": .boolean(member.isExecutable), "encrypted": .boolean(member.isEncrypted),
            "method": .optional(member.method),
        ]
    }

    private static func hexadecimal(_ number: UInt32) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
