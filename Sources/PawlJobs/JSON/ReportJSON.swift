package import Pawl
package import PawlCore

extension ProbeReport {
    /// The output of `pawl probe --json`.
    package func json(warnings: [String]) -> JSONValue {
        [
            "url": .string(finalURL), "redirects": .integer(redirects), "name": .string(suggestedName),
            "total": .optional(get.totalBytes), "acceptsRanges": .boolean(acceptsRanges),
            "strongValidator": .boolean(hasStrongValidator), "get": get.json, "head": head?.json ?? .null,
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }
}

extension ProbeReport.Answer {
    fileprivate var json: JSONValue {
        [
            "status": .integer(status), "total": .optional(totalBytes), "etag": .optional(entityTag),
            "lastModified": .optional(lastModified), "contentType": .optional(contentType),
            "acceptRanges": .optional(acceptRanges),
        ]
    }
}

extension PartialFileStatus {
    /// The output of `pawl status --json`.
    package var json: JSONValue {
        [
            "file": .string(fileName), "url": .string(url), "total": .optional(totalBytes),
            "durable": .array(durableRanges.map { [.integer($0.start), .integer($0.end)] }),
            "durableBytes": .integer(durableBytes),
            "resumable": .array(resumableRanges.map { [.integer($0.start), .integer($0.end)] }),
            "resumableBytes": .integer(resumableBytes), "etag": .optional(entityTag),
            "lastModified": .optional(lastModified),
            // A counter of 64 bits that begins at one and grows every two seconds at most.
            "generation": .integer(Int64(clamping: generation)), "ageSeconds": .integer(ageSeconds),
            "locked": .boolean(isLocked), "finishing": .boolean(isFinishing),
            "ownerProcessID": .integer(ownerProcessID),
            "ownerHostName": .string(ownerHostName),
        ]
    }
}

extension LeftFile {
    /// The output of `pawl list --partial --json`.
    package var json: JSONValue {
        var (kind, status): (String, JSONValue) = ("unfinished", .null)
        switch self.kind {
        case .unfinished(let found): status = found.json
        case .unrecorded: kind = "unrecorded"
        case .otherFile: kind = "otherFile"
        case .journal: kind = "journal"
        case .damaged: kind = "damaged"
        case .setAside: kind = "setAside"
        case .mismatched: kind = "mismatched"
        case .unpacking: kind = "unpacking"
        }
        return [
            "kind": .string(kind), "path": .string(path), "bytes": .integer(bytes), "modified": .integer(modified),
            "ours": .boolean(isOurs), "status": status,
        ]
    }
}
