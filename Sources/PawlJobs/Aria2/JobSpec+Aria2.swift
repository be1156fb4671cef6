import Pawl
import PawlCore

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
        let usable = urls.filter { (try? HTTPURL(parsing: $0)) != nil }
        guard let first = usable.first else {
            guard let url = urls.first else { throw Aria2Problem(message: "No URI to download.") }
            do throws(HTTPURLError) { _ = try HTTPURL(parsing: url) } catch { throw Aria2Problem(message: error.message) }
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
        do throws(OptionText.Problem) {
            if given["header"] != nil { headers = try given.lines("header").map { (line) throws(OptionText.Problem) in try OptionText.headerField(line) } }
            if let text = given["checksum"] { options.digest = try OptionText.digest(text) }
        } catch {
            throw Aria2Problem(message: "An option takes \(error.accepted).")
        }
        if let page = given["referer"] { referer = page.isExactly("*") ? url : page.isEmpty ? nil : page }
        if let agent = given["user-agent"] { userAgent = agent }
        if let name = given["http-user"] { authentication = name.isEmpty ? nil : .password(name: name, .value(given["http-passwd"] ?? "")) }
        if given["conditional-get"] != nil { options.onlyIfNewer = given.isTrue("conditional-get") }
        if given["remote-time"] != nil { options.keepsRemoteTime = given.isTrue("remote-time") }
        if given["continue"] != nil { options.adoptsPartialFile = given.isTrue("continue") }
        if given["allow-overwrite"] != nil || given["auto-file-renaming"] != nil {
            ifExists = given.isTrue("allow-overwrite") ? .replace : given["auto-file-renaming"].map { $0.isExactly("false") } ?? false ? .fail : .rename
        }
        // What is compared by its time is replaced, or left; and adopted is only what is fetched whatever its time.
        if options.onlyIfNewer { (ifExists, options.adoptsPartialFile) = (.replace, false) }
    }

    private var url: String? { if case .url(let url, _) = source { url } else { nil } }
}

extension Aria2Options {
    /// At once for a file, 1 to 16; nil if nothing is said of it. aria2's own default is one to a server and five in all: whoever says nothing
    /// gets Pawl's, which adds connections only while they bring more.
    package var connections: Int64? {
        [number("split"), number("max-connection-per-server")].compactMap { $0 }.min().map { min(max($0, 1), 16) }
    }
}
