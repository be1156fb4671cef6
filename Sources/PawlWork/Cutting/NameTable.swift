import PawlCore

/// The names that callers give files of a batch: each is for one request. Keeps hashes, of 16 bytes for a name.
final class NameTable {
    /// The hashes of requests by those of names.
    private var requests: [UInt64: UInt64] = [:]

    /// Takes a name for a request; false if another request has it.
    func take(_ name: String, for request: String) -> Bool {
        let (name, request) = (Self.hash(name), Self.hash(request))
        if let known = requests[name] { return known == request }
        requests[name] = request
        return true
    }

    private static func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes(XXHash64.hash) }
}
