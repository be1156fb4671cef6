import Pawl
import PawlCore
import PawlEngine
package import PawlJobs

/// The key that identifies a repeated request: a client's `Idempotency-Key`, or the id that it has chosen. The same key
/// with the same request gives the same job.
package struct RequestKey: Hashable, Sendable {
    package let text: String
    let isID: Bool
    /// The digest of the request, apart from its id and its secrets.
    package let fingerprint: String

    package init(_ text: String, of asked: JobSpec) { self.init(text, isID: false, asked) }

    /// Creates a key from an id. It differs from every client's key: none of these has a blank and a UUID behind it.
    init(id: String, of asked: JobSpec) { self.init("id \(id)", isID: true, asked) }

    private init(_ text: String, isID: Bool, _ asked: JobSpec) {
        (self.text, self.isID) = (text, isID)
        // By the names of version 1: keys that an earlier version has kept are compared with it.
        let request = asked.request.jsonValue(version: 1).encoded
        fingerprint = Base64.encode(SHA256.hash(Array(request.utf8)))
    }
}

extension JobSpec {
    /// The part of a specification that distinguishes requests: no id, no credentials, no secrets.
    fileprivate var request: JobSpec {
        var plain = withoutSecrets.spec
        (plain.id, plain.headers) = (nil, [])
        return plain
    }

    func isSameJob(as other: JobSpec) -> Bool { request == other.request }
}
