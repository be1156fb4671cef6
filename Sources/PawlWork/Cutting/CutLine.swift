import Pawl
package import PawlCore
package import PawlJobs

/// A line of a list on its way to a shard.
package struct CutLine: Sendable {
    /// The line as it will stand in the shard.
    package let text: String
    /// `host:port`, to which requests are counted.
    let host: String
    /// The parts of the line that tell it from others: two that differ in nothing else are one.
    let key: String

    /// Reads a line of JSON, as it stands in a shard.
    package init(json line: [UInt8]) throws(JobSpecError) {
        let item = ShardItem(0, parsing: line)
        try self.init(try item.spec.get(), meta: item.meta)
    }

    package init(_ spec: JobSpec, meta: JSONValue? = nil) throws(JobSpecError) {
        guard case .url(let text, _) = spec.source else {
            throw JobSpecError(.missingField, ["url"], "A line of a shard needs a URL.")
        }
        do throws(HTTPURLError) {
            host = try HTTPURL(parsing: text).hostKey
        } catch {
            throw JobSpecError(.invalidValue, ["url"], error.message)
        }
        guard case .object(var members) = spec.jsonValue(version: JobSpec.version) else {
            throw JobSpecError(.malformed, [], "The line cannot be written.")
        }
        members.removeAll { $0.key.isExactly("version") }
        key = JSONValue.object(members.filter { !$0.key.isExactly("id") }).encoded
        if let meta { members.append(.init(key: "meta", value: meta)) }
        self.text = JSONValue.object(members).encoded
        // It has to be what the task can read.
        _ = try ShardItem(0, parsing: Array(self.text.utf8)).spec.get()
    }
}
