import Pawl
package import PawlCore
package import PawlJobs

/// A line of a shard: a file that is wanted.
package struct ShardItem: Sendable {
    /// The number of its line in the shard, from 0.
    package let number: Int
    /// The file as it is asked for, without what its plan says; an error for a line that cannot be read.
    package let spec: Result<JobSpec, JobSpecError>
    /// The caller's JSON, which is passed on as it is.
    package let meta: JSONValue?
    /// The caller's name for it, also of a line that cannot be used.
    package let id: String?

    /// The longest ``meta``, in bytes.
    package static let metaLimit = 16 << 10
    /// The longest line, in bytes.
    package static let lineLimit = 256 << 10

    /// - Parameter line: without its end.
    package init(_ number: Int, parsing line: [UInt8]) {
        self.number = number
        do throws(JobSpecError) {
            let (spec, meta) = try Self.parsed(line)
            (self.spec, self.meta, id) = (.success(spec), meta, spec.id)
        } catch {
            (spec, meta, id) = (.failure(error), nil, Self.id(of: line))
        }
    }

    /// The options of one file; all others stand in the plan.
    private static let options = ["checksum", "digest", "size"]
    private static let fields = ["url", "mirrors", "id", "file", "headers", "options", "version"]

    private static func parsed(_ line: [UInt8]) throws(JobSpecError) -> (JobSpec, JSONValue?) {
        guard line.count <= lineLimit else {
            throw JobSpecError(.malformed, [], "A line may have \(lineLimit / 1024) KiB.")
        }
        guard let value = try? JSONValue(parsing: line), case .object(var members) = value else {
            throw JobSpecError(.malformed, [], "The line is not a JSON object.")
        }
        let place = members.firstIndex { $0.key.isExactly("meta") }
        let meta = place.map { members.remove(at: $0).value }.flatMap { $0 == .null ? nil : $0 }
        if let meta, meta.encoded.utf8.count > metaLimit {
            throw JobSpecError(.invalidValue, ["meta"], "“meta” may have \(metaLimit / 1024) KiB.")
        }
        if let other = members.first(where: { !fields.containsExactly($0.key) }) {
            throw JobSpecError(.unknownField, [other.key], "“\(other.key)” is not a field of a line of a shard.")
        }
        if case .object(let options)? = members.first(where: { $0.key.isExactly("options") })?.value,
            let other = options.first(where: { !Self.options.containsExactly($0.key) })
        {
            throw JobSpecError(
                .unknownField, ["options." + other.key],
                "“\(other.key)” is not an option of a line of a shard; the plan has it for all.")
        }
        return (try JobSpec(jsonValue: .object(members)), meta)
    }

    private static func id(of line: [UInt8]) -> String? {
        guard line.count <= lineLimit, case .object(let members)? = try? JSONValue(parsing: line),
            case .string(let id)? = members.first(where: { $0.key.isExactly("id") })?.value, id.utf8.count <= 1024
        else { return nil }
        return id
    }

    /// The URL, redacted; nil if it cannot be read.
    package var shownURL: String? {
        guard case .url(let url, _)? = (try? spec.get())?.source else { return nil }
        return (try? HTTPURL(parsing: url))?.redacted
    }
}
