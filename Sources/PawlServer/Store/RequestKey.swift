import Crypto
package import PawlJobs

/// A client's key for a request (`Idempotency-Key`): the same key again gives the same job, if it is for the same request.
package struct RequestKey: Hashable, Sendable {
    package let text: String
    /// Of what was asked for, but for its id and for what is secret.
    package let fingerprint: String

    package init(_ text: String, of spec: JobSpec) {
        var plain = spec.withoutSecrets.spec
        plain.id = nil
        self.text = text
        fingerprint = SHA256.hash(data: Array(plain.json.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
