import Pawl
import PawlCore
package import PawlJobs
import PawlOptions

/// What aria2's options mean for a job.
extension JobSpec {
    /// What keeps options of aria2 from being a job, as a sentence.
    package struct Aria2Problem: Error, Hashable {
        package let message: String
    }

    /// - Parameters:
    ///   - urls: of one file.
    ///   - options: all that hold for it. Its directory is for the caller to look at.
    package init(aria2 urls: [String], _ options: Aria2Options) throws(Aria2Problem) {
        if let refusal = options.refusal { throw Aria2Problem(message: refusal) }
        let usable = urls.filter { (try? HTTPURL(parsing: $0)) != nil }
        guard let first = usable.first else {
            guard let url = urls.first else { throw Aria2Problem(message: "No URI to download.") }
            do throws(HTTPURLError) { _ = try HTTPURL(parsing: url) } catch {
                throw Aria2Problem(message: error.message)
            }
            throw Aria2Problem(message: "No URI to download.")
        }
        self.init(.url(first, mirrors: usable.dropFirst().map { Mirror($0) }))
        ifExists = .rename
        try set(options)
    }

    /// Takes what is given, but for the directory.
    package mutating func set(_ given: Aria2Options) throws(Aria2Problem) {
        if let name = given["out"] { fileName = name.isEmpty ? nil : name }
        if let connections = given.connections { options.maximumConnections = Int(connections) }
        if let limit = given.number("max-download-limit") { options.maximumBytesPerSecond = limit > 0 ? limit : nil }
        do throws(OptionValueProblem) {
            if given["header"] != nil {
                headers = try given.lines("header").map { (line) throws(OptionValueProblem) in
                    try OptionText.headerField(line)
                }
            }
            if let text = given["checksum"] { options.digest = try OptionText.digest(text) }
        } catch {
            throw Aria2Problem(message: "An option takes \(error.accepted).")
        }
        if given.isTrue("http-no-cache") {
            // RFC 9111 §5.2.1.4, §5.4.
            let fields = [HTTPField("Cache-Control", "no-cache"), HTTPField("Pragma", "no-cache")]
            headers += fields.filter { !headers.contains($0) }
        }
        if let seconds = given.number("timeout") {
            (options.stallTimeout, options.responseTimeout) = (.seconds(seconds), .seconds(seconds))
        }
        // aria2c(1): 0 means unlimited.
        if let tries = given.number("max-tries") {
            options.maximumRetries = tries == 0 ? 1_000_000 : Int(min(tries - 1, 1_000_000))
        }
        if let countries = given["metalink-location"] {
            options.preferredLocations = countries.utf8.split(separator: UInt8(ascii: ",")).map {
                String(Substring($0))
            }
        }
        if let page = given["referer"] { referer = page.isExactly("*") ? url : page.isEmpty ? nil : page }
        if let agent = given["user-agent"] { userAgent = agent }
        if let name = given["http-user"] {
            authentication = name.isEmpty ? nil : .password(name: name, .value(given["http-passwd"] ?? ""))
        }
        if given["conditional-get"] != nil { options.onlyIfNewer = given.isTrue("conditional-get") }
        if given["remote-time"] != nil { options.keepsRemoteTime = given.isTrue("remote-time") }
        if given["continue"] != nil { options.adoptsPartialFile = given.isTrue("continue") }
        setIfExists(given)
        // Nothing is fetched of a file that is not newer, so nothing of it is completed.
        if options.onlyIfNewer { options.adoptsPartialFile = false }
    }

    /// Each of the two options keeps what was said of the other before.
    private mutating func setIfExists(_ given: Aria2Options) {
        guard given["allow-overwrite"] != nil || given["auto-file-renaming"] != nil else { return }
        let overwrites = given["allow-overwrite"] == nil ? ifExists == .replace : given.isTrue("allow-overwrite")
        let renames = given["auto-file-renaming"] == nil ? ifExists != .fail : !given.isFalse("auto-file-renaming")
        ifExists = overwrites ? .replace : renames ? .rename : .fail
    }

    package var url: String? { if case .url(let url, _) = source { url } else { nil } }
}

extension Aria2Options {
    /// Why Pawl does not do what these ask for; nil if it does.
    package var refusal: String? {
        for (option, value) in entries {
            if case .refused(let instead) = option.meaning, !option.isHarmless(value) {
                return "--\(option.name) is not supported: \(instead)."
            }
        }
        return nil
    }

    /// Why these cannot hold for one download: all go through the same proxy and have the same passwords of hosts. Nil
    /// if they say nothing else.
    ///
    /// - Parameter others: that hold for all.
    package func refusalOfOne(amongThose others: Aria2Options) -> String? {
        let names: [StaticString] = [
            "all-proxy", "all-proxy-user", "all-proxy-passwd", "http-proxy", "http-proxy-user", "http-proxy-passwd",
            "https-proxy", "https-proxy-user", "https-proxy-passwd", "no-proxy",
            "no-netrc",
        ]
        for name in names {
            guard let value = self[name], !(others[name] ?? Aria2Option.named(name).initial ?? "").isExactly(value)
            else { continue }
            return "--\(name) is not supported for one download: here all go the same way."
        }
        return nil
    }

    /// Where a file goes: its directory, and the name that `out` gives it. That may have directories in front, all
    /// beneath `dir` (aria2c(1)).
    ///
    /// - Parameter directory: where nothing else is said.
    /// - Throws: for an `out` without a name in it.
    package func place(else directory: String) throws(JobSpec.Aria2Problem) -> (directory: String, name: String?) {
        var parts = [self["dir"].flatMap { $0.isEmpty ? nil : $0 } ?? directory]
        guard let out = self["out"], !out.isEmpty else { return (parts[0], nil) }
        let names = out.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard let name = names.last, name.utf8.count <= 255, out.utf8.last != UInt8(ascii: "/") else {
            throw JobSpec.Aria2Problem(message: "“out” is no name of a file of at most 255 bytes.")
        }
        if parts[0].utf8.last == UInt8(ascii: "/"), parts[0].utf8.count > 1 {
            parts[0] = String(decoding: parts[0].utf8.dropLast(), as: UTF8.self)
        }
        return ((parts + names.dropLast().filter { !$0.isExactly(".") }).joined(separator: "/"), name)
    }

    /// At once for a file, 1 to 16; nil if nothing is said of it. aria2's own default is one to a server and five in
    /// all: whoever says nothing gets Pawl's, which adds connections only while they bring more.
    package var connections: Int64? {
        [number("split"), number("max-connection-per-server")].compactMap { $0 }.min().map { min(max($0, 1), 16) }
    }
}
