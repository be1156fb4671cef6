import Pawl
package import PawlCore
package import PawlJobs

/// A line of a list on its way to a shard.
package struct CutLine: Sendable {
    /// The line as it will stand in the shard.
    package let text: String
    /// The host, whatever the port: requests to it should come from one task.
    let host: String
    /// The parts of the line that tell it from others: two that differ in nothing else are one.
    let key: String
    /// The name that the caller gives the file.
    let fileName: String?

    /// Reads a line of JSON, as it stands in a shard.
    package init(json line: [UInt8]) throws(JobSpecError) {
        let item = ShardItem(0, parsing: line)
        try self.init(try item.spec.get(), meta: item.meta)
    }

    package init(_ spec: JobSpec, meta: JSONValue? = nil) throws(JobSpecError) {
        guard case .url(let text, _) = spec.source else {
            throw JobSpecError(.missingField, ["url"], "A line of a shard needs a URL.")
        }
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(parsing: text)
        } catch {
            throw JobSpecError(.invalidValue, ["url"], error.message)
        }
        if !spec.headers.isEmpty {
            do throws(DownloadError) {
                try spec.request(SecretReader()).check()
            } catch {
                throw JobSpecError(.invalidValue, ["headers"], error.message)
            }
        }
        guard case .object(var members) = spec.jsonValue(version: JobSpec.version) else {
            throw JobSpecError(.malformed, [], "The line cannot be written.")
        }
        members.removeAll { $0.key.isExactly("version") }
        host = url.host.lowercased()
        fileName = spec.fileName
        key = Self.request(url, members)
        if let meta { members.append(.init(key: "meta", value: meta)) }
        self.text = JSONValue.object(members).encoded
        // The task has to be able to read the line.
        _ = try ShardItem(0, parsing: Array(self.text.utf8)).spec.get()
    }

    /// The request of a line, however it is spelled: its URL, and where there are more, its other members, but for what
    /// the caller alone needs.
    private static func request(_ url: HTTPURL, _ members: [JSONValue.Member]) -> String {
        let rest = members.filter { !["id", "url", "version"].containsExactly($0.key) }
        return rest.isEmpty ? url.withUserinfo : url.withUserinfo + JSONValue.object(rest).encoded
    }

    /// Returns the same of a line of a shard; nil for one that has no URL.
    static func request(_ spec: JobSpec) -> String? {
        guard case .url(let text, _) = spec.source, let url = try? HTTPURL(parsing: text),
            case .object(let members) = spec.jsonValue(version: JobSpec.version)
        else { return nil }
        return request(url, members)
    }
}
