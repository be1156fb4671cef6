package import PawlCore
import PawlJobs
package import PawlStore

/// The first line of a manifest: the commit of a slice.
package struct ManifestHead: Hashable, Sendable {
    package static let version = 1

    package var batch: String
    package var id: SliceID
    /// The number of the first item in the shard.
    package var first: Int
    package var items: Int
    /// The attempt that committed the slice, in 32 hexadecimal digits.
    package var attempt: String
    /// The object with the files; nil if none was completed.
    package var data: Data?
    package var completed = 0
    package var failed = 0
    /// The bytes of the completed files.
    package var fetched: Int64 = 0
    /// The time that the slice took, in milliseconds, in the life that committed it.
    package var milliseconds: Int64 = 0

    package struct Data: Hashable, Sendable {
        package var key: StoreKey
        package var bytes: Int64
        package var sha256: [UInt8]
    }

    /// Whether it is of the same lines of the same batch.
    func isOfSame(_ other: ManifestHead) -> Bool {
        batch.isExactly(other.batch) && (id, first, items) == (other.id, other.first, other.items)
    }

    package var jsonValue: JSONValue {
        var object = JSONObjectWriter()
        object.add("version", .integer(Self.version))
        object.add("batch", .string(batch))
        object.add("shard", .integer(id.shard))
        object.add("slice", .integer(id.slice))
        object.add("first", .integer(first))
        object.add("items", .integer(items))
        object.add("attempt", .string(attempt))
        if let data {
            object.add("data", .string(data.key.text))
            object.add("bytes", .integer(data.bytes))
            object.add("sha256", .string(data.sha256.hexadecimal))
        }
        object.add("completed", .integer(completed))
        object.add("failed", .integer(failed))
        object.add("fetched", .integer(fetched))
        object.add("milliseconds", .integer(milliseconds))
        return object.value
    }

    /// - Throws: for what is no such line, or one of a newer version.
    package init(jsonValue: JSONValue) throws(WorkError) {
        do throws(JobSpecError) {
            var object = try JSONObject<JobSpecError>(jsonValue)
            let version = try object.integer("version") ?? 1
            guard version <= Self.version else {
                throw JobSpecError(.newerVersion, [], "It is written in version \(version), which is not known here.")
            }
            batch = try object.required("batch")
            func number(_ key: String) throws(JobSpecError) -> Int {
                guard let number = try object.integer(key, 0...Int64(Int32.max)) else {
                    throw JobSpecError(.missingField, [key], "“\(key)” is missing.")
                }
                return Int(number)
            }
            id = SliceID(shard: try number("shard"), slice: try number("slice"))
            (first, items, attempt) = (try number("first"), try number("items"), try object.required("attempt"))
            (completed, failed) = (try number("completed"), try number("failed"))
            (fetched, milliseconds) = (try object.integer("fetched") ?? 0, try object.integer("milliseconds") ?? 0)
            if let name = try object.string("data") {
                guard let key = StoreKey(name), let bytes = try object.integer("bytes", 0...Int64.max),
                    let digest = Digest(algorithm: .sha256, hexadecimal: Array(try object.required("sha256").utf8))
                else { throw JobSpecError(.invalidValue, ["data"], "“data” cannot be used.") }
                data = Data(key: key, bytes: bytes, sha256: digest.bytes)
            }
        } catch {
            throw WorkError(.batch, "A manifest cannot be read: \(error.message)")
        }
    }

    package init(_ batch: String, _ id: SliceID, first: Int, items: Int, attempt: String) {
        (self.batch, self.id, self.first, self.items, self.attempt) = (batch, id, first, items, attempt)
    }
}
