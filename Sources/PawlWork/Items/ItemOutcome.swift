import Pawl
package import PawlCore
package import PawlJobs
package import PawlStore

/// A line of a manifest: what has become of an item.
package struct ItemOutcome: Hashable, Sendable {
    package enum End: Hashable, Sendable {
        case completed(CompletedItem)
        case failed(FailedItem)
    }

    /// The number of its line in the shard.
    package var item: Int
    /// The caller's.
    package var id: String?
    /// Redacted; nil for a line that cannot be read.
    package var url: String?
    package var end: End

    package init(_ item: ShardItem, _ end: End) {
        (self.item, id, url, self.end) = (item.number, item.id, item.shownURL, end)
    }
}

/// A file that is in the store.
package struct CompletedItem: Hashable, Sendable {
    package var bytes: Int64
    package var sha256: [UInt8]
    package var response: ResponseFacts?
    package var entityTag: String?
    package var lastModified: String?
    /// The `Content-Encoding` that the bytes are still under; nil: none.
    package var contentCoding: String?
    /// The URL after redirects, redacted; nil: the same.
    package var finalURL: String?
    package var place: Place
    /// The position of the first byte in the tar; nil for an object of its own that has been stored.
    package var offset: Int64?

    package enum Place: Hashable, Sendable {
        /// A name in the tar of its slice.
        case member(String)
        /// An object of its own.
        case object(StoreKey)
    }
}

/// A file that is not there.
package struct FailedItem: Hashable, Sendable {
    /// The name of the error, as in the events of a run.
    package var code: String
    /// The status code of the response that was the failure.
    package var status: Int?
    /// Whether another try may help.
    package var mayPass: Bool

    package init(_ error: DownloadError) {
        (code, status, mayPass) = (error.code.rawValue, error.facts.status, error.mayPass)
    }

    /// The failure of a file whose name another one has.
    static let nameTaken = FailedItem(code: "nameTaken", status: nil, mayPass: false)
    /// The failure of a file whose name cannot be that of an object.
    static let unusableName = FailedItem(
        code: JobSpecError.Code.invalidValue.rawValue, status: nil, mayPass: false)

    package init(_ error: JobSpecError) {
        (code, status, mayPass) = (error.code.rawValue, nil, false)
    }

    fileprivate init(code: String, status: Int?, mayPass: Bool) {
        (self.code, self.status, self.mayPass) = (code, status, mayPass)
    }

    /// Whether the failure may be this machine's: a name that is not resolved, no route, TLS, or no answer in time.
    package var mayBeOurs: Bool {
        [DownloadError.Code.network, .tls, .timeout].contains { $0.rawValue.isExactly(code) }
    }
}

// MARK: - JSON

extension ItemOutcome {
    package var jsonValue: JSONValue {
        var object = JSONObjectWriter()
        object.add("item", .integer(item))
        object.add("id", .optional(id))
        switch end {
        case .completed(let file):
            object.add("state", "completed")
            object.add("url", .optional(url))
            object.add("finalURL", .optional(file.finalURL))
            object.add("status", .optional(file.response.map { Int64($0.status) }))
            object.add("bytes", .integer(file.bytes))
            object.add("sha256", .string(file.sha256.hexadecimal))
            object.add("contentType", .optional(file.response?.contentType))
            object.add("etag", .optional(file.entityTag))
            object.add("lastModified", .optional(file.lastModified))
            object.add("contentEncoding", .optional(file.contentCoding))
            switch file.place {
            case .member(let name): object.add("member", .string(name))
            case .object(let key): object.add("data", .string(key.text))
            }
            object.add("offset", .optional(file.offset))
        case .failed(let failure):
            object.add("state", "failed")
            object.add("url", .optional(url))
            object.add("code", .string(failure.code))
            object.add("status", .optional(failure.status.map(Int64.init)))
            object.add("again", .boolean(failure.mayPass))
        }
        return object.value
    }

    /// - Returns: nil for what is no such line.
    package init?(jsonValue: JSONValue) {
        do throws(JobSpecError) {
            var object = try JSONObject<JobSpecError>(jsonValue)
            guard let item = try object.integer("item", 0...Int64(Int32.max)) else { return nil }
            (self.item, id, url) = (Int(item), try object.string("id"), try object.string("url"))
            let status = try object.integer("status", 0...999).map { Int(clamping: $0) }
            switch try object.string("state") {
            case "completed":
                let key = try object.string("data").map { (name) throws(JobSpecError) in StoreKey(name) }
                let member = try object.string("member").map { CompletedItem.Place.member($0) }
                let offset = try object.integer("offset", 0...Int64.max)
                guard let bytes = try object.integer("bytes", 0...Int64.max),
                    let place = member ?? key?.map({ .object($0) }), offset != nil || member == nil,
                    let digest = Digest(
                        algorithm: .sha256, hexadecimal: Array(try object.required("sha256").utf8))
                else { return nil }
                let type = try object.string("contentType")
                end = .completed(
                    CompletedItem(
                        bytes: bytes, sha256: digest.bytes,
                        response: status.map { ResponseFacts(status: $0, contentType: type) },
                        entityTag: try object.string("etag"), lastModified: try object.string("lastModified"),
                        contentCoding: try object.string("contentEncoding"),
                        finalURL: try object.string("finalURL"), place: place, offset: offset))
            case "failed":
                let code = try object.required("code")
                end = .failed(
                    FailedItem(code: code, status: status, mayPass: try object.flag("again") ?? false))
            default: return nil
            }
        } catch {
            return nil
        }
    }
}
