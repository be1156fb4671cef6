import PawlCore

extension ServiceClient {
    /// Adds downloads. Once this returns, what was accepted survives the end of this program, of the service, and a
    /// power cut.
    ///
    /// A request whose answer is lost is repeated with the same key, and adds nothing twice. To add nothing twice after
    /// a restart of the calling program either, give the jobs ids and store these first.
    ///
    /// - Returns: one result for each job, in order.
    /// - Throws: if no job could be added, or not all of several thousand: those of the requests before the one that
    ///   failed are added.
    public func add(_ downloads: [NewDownload]) async throws(ServiceError) -> [AddedDownload] {
        var results: [AddedDownload] = []
        for body in Self.bodies(of: downloads.map(\.json.encoded)) {
            var request = ServiceRequest(method: .post, target: "downloads", isIdempotent: true)
            request.fields = [
                HTTPField("Content-Type", "application/json"), HTTPField("Idempotency-Key", Self.newKey()),
            ]
            request.body = body
            results += try [AddedDownload](answer: try await call(request), "results")
        }
        guard results.count == downloads.count else { throw .foreign("it does not have one result for each job") }
        return results
    }

    /// The service takes 2 MiB.
    private static let maximumBody = 2 << 20

    /// Arrays of these texts, each short enough for one request.
    static func bodies(of items: [String]) -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        var body: [UInt8] = []
        var count = 0
        for item in items {
            if count > 0, body.count + item.utf8.count + 2 > maximumBody || count == maximumItems {
                bodies.append(body + [UInt8(ascii: "]")])
                (body, count) = ([], 0)
            }
            body.append(count == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
            body += item.utf8
            count += 1
        }
        if count > 0 { bodies.append(body + [UInt8(ascii: "]")]) }
        return bodies
    }

    /// Returns a key of 128 random bits.
    private static func newKey() -> String {
        var generator = SystemRandomNumberGenerator()
        return "\(String(generator.next(), radix: 36))-\(String(generator.next(), radix: 36))"
    }
}
