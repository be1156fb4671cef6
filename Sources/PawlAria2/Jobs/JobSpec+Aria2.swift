import Pawl
import PawlCore
package import PawlJobs
import PawlOptions

/// Translation of aria2's options into a job.
extension JobSpec {
    /// The reason why options of aria2 make no job, as a sentence.
    package struct Aria2Problem: Error, Hashable {
        package let message: String
    }

    /// - Parameters:
    ///   - urls: of one file.
    ///   - options: all that hold for it. Its directory is for the caller to look at.
    package init(aria2 urls: [String], _ options: Aria2Options) throws(Aria2Problem) {
        if let refusal = options.refusal { throw Aria2Problem(message: refusal) }
        let usable = urls.map { (try? HTTPURL.writingHostInASCII($0)) ?? $0 }.filter {
            (try? HTTPURL(parsing: $0)) != nil
        }
        guard let first = usable.first else {
            guard let url = urls.first else { throw Aria2Problem(message: "No URI to download.") }
            do throws(HTTPURLError) {
                _ = try HTTPURL(parsing: HTTPURL.writingHostInASCII(url))
            } catch {
                throw Aria2Problem(message: error.message)
            }
            throw Aria2Problem(message: "No URI to download.")
        }
        self.init(.url(first, mirrors: usable.dropFirst().map { Mirror($0) }))
        ifExists = .rename
        try set(options)
    }

    /// Takes what is given, but for the directory, as a list with the same words does.
    package mutating func set(_ given: Aria2Options) throws(Aria2Problem) {
        var (template, given) = (self, given)
        if given["header"] != nil { template.headers = [] }
        if given["allow-overwrite"] != nil || given["auto-file-renaming"] != nil {
            // Each of the two keeps what was said of the other before.
            given["allow-overwrite"] = given["allow-overwrite"] ?? "\(ifExists == .replace)"
            given["auto-file-renaming"] = given["auto-file-renaming"] ?? "\(ifExists != .fail)"
        }
        do throws(DownloadList.Problem) {
            self = try ListedFile(given.listed, of: url, template: template).job
        } catch {
            throw Aria2Problem(message: error.message)
        }
        if let name = given["out"] { fileName = name.isEmpty ? nil : name }
    }

    package var url: String? { if case .url(let url, _) = source { url } else { nil } }
}

extension Aria2Options {
    /// The reason why Pawl does not do what these options ask for; nil if it does.
    package var refusal: String? {
        for (option, value) in entries {
            if let row = option.objection(.refused, to: value) {
                return "--\(option.name) is not supported: \(row.reason)."
            }
        }
        return nil
    }

    /// Returns the reason why these options cannot apply to a single download: all go through the same proxy and use
    /// the same passwords of hosts. Nil if they differ in nothing.
    ///
    /// - Parameter others: that hold for all.
    package func refusalOfOne(amongThose others: Aria2Options) -> String? {
        for (option, value) in entries {
            guard let row = Aria2Rest.row(of: option.name), row.meaning == .global,
                !(others.value(of: option) ?? option.initial ?? "").isExactly(value)
            else { continue }
            return "--\(option.name) is not supported for a single download: it applies to all."
        }
        return nil
    }

    /// Returns the target of a file: its directory, and the name that `out` gives it. That name may have directories in
    /// front, all beneath `dir` (aria2c(1)).
    ///
    /// - Parameter directory: where nothing else is said.
    /// - Throws: for an `out` without a name in it.
    package func place(else directory: String) throws(JobSpec.Aria2Problem) -> (directory: String, name: String?) {
        var parts = [self["dir"].flatMap { $0.isEmpty ? nil : $0 } ?? directory]
        guard let out = self["out"], !out.isEmpty else { return (parts[0], nil) }
        let names = out.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard let name = names.last, name.utf8.count <= 255, out.utf8.last != UInt8(ascii: "/") else {
            throw JobSpec.Aria2Problem(message: "“out” must be a file name of at most 255 bytes.")
        }
        if parts[0].utf8.last == UInt8(ascii: "/"), parts[0].utf8.count > 1 {
            parts[0] = String(decoding: parts[0].utf8.dropLast(), as: UTF8.self)
        }
        return ((parts + names.dropLast().filter { !$0.isExactly(".") }).joined(separator: "/"), name)
    }

    /// The options in the form of a list, except for those about the place of the file.
    fileprivate var listed: [DownloadList.Option] {
        let words = entries.filter { !["dir", "out"].containsExactly($0.option.name) }
        return words.filter { ListOptions.option($0.option.name) != nil }.flatMap { option, value in
            (option.isRepeated
                ? value.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) } : [value])
                .map { DownloadList.Option(line: 0, name: option.name, value: $0) }
        }
    }

    /// The number of connections for a file, 1 to 16; nil if no option sets it. aria2's default is one to a server and
    /// five in all; the default here is Pawl's, which adds connections only while they increase throughput.
    package var connections: Int64? {
        let said = [number("split"), number("max-connection-per-server")].compactMap { $0.map(Int.init(clamping:)) }
        return ListOptions.connections(said).map(Int64.init)
    }
}
