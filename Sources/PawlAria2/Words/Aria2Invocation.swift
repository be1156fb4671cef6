import Pawl
import PawlCore
package import PawlJobs
import PawlSystem

/// A start of aria2c: its downloads and options.
package struct Aria2Invocation: Sendable {
    /// A file, or those of a Metalink.
    package struct Download: Hashable, Sendable {
        package enum Source: Hashable, Sendable {
            /// The URLs of one file.
            case urls([String])
            /// The path or URL of the document.
            case metalink(String)
        }

        package var source: Source
        /// The options given for this download.
        package var own: Aria2Options
        /// All options that apply to the download.
        package var options: Aria2Options
        package var gid: GID
    }

    /// The options that were given, from any source, without those that concern only the first download.
    package private(set) var options: Aria2Options
    package private(set) var downloads: [Download] = []
    /// Entries of lists that cannot be begun: of no scheme that is known here, or without a place to go. They are left
    /// to do.
    package private(set) var failed: [(download: Download, failure: Aria2Failure)] = []
    private var isList = false
    /// Remarks for the user, as sentences.
    package private(set) var remarks: [String] = []
    private let environment: Aria2Environment
    private var gids: Set<GID> = []
    private let arguments: [String]

    /// Reads the command line. The sources are not read yet: a list may come from a pipe, which can be read once.
    ///
    /// - Parameter line: what was typed.
    package init(_ line: Aria2CommandLine, _ environment: Aria2Environment) throws(Aria2Failure) {
        self.environment = environment
        (options, arguments) = (line.options, line.arguments)
        var configured = try configuration()
        for name in ["http-proxy", "https-proxy", "all-proxy", "no-proxy"] as [StaticString] {
            if let value = environment.proxy(Aria2Option.named(name).name) { configured[name] = value }
        }
        options = options.extending(configured)
        if let refusal = options.refusal { throw Aria2Failure(refusal, status: Aria2Status.badOption) }
        try checkRPC()
        tellUnsupported(options)
    }

    /// Finds out what is to be downloaded, which reads lists.
    package mutating func readDownloads() throws(Aria2Failure) {
        try addDownloads()
        for name in Self.onlyOfTheFirst { options[name] = nil }
    }

    /// The options about the downloads that the command line names, and not about those added later (aria2's
    /// Context.cc).
    private static let onlyOfTheFirst: [StaticString] = [
        "checksum", "force-sequential", "gid", "index-out", "input-file", "out", "pause", "select-file",
    ]

    package var isService: Bool { options.isTrue("enable-rpc") }

    // MARK: Options

    private mutating func configuration() throws(Aria2Failure) -> Aria2Options {
        if options.isTrue("no-conf") { return Aria2Options() }
        let path = options["conf-path"] ?? environment.usualConfiguration
        guard environment.isFile(path) else {
            guard options["conf-path"] == nil else { throw Aria2Failure("Configuration file \(path) is not found.") }
            return Aria2Options()
        }
        let text: String
        do throws(Aria2Failure) { text = try environment.readFile(path) } catch {
            throw Aria2Failure("“\(path)”: \(error.message)")
        }
        do throws(Aria2Configuration.Problem) {
            let file = try Aria2Configuration(parsing: text, home: environment.home)
            remarks += file.unknown.map { "“\(path)”, line \($0.line): aria2 has no option “\($0.name)”." }
            return file.options
        } catch {
            throw Aria2Failure("“\(path)”, line \(error.line): \(error.message)", status: Aria2Status.badOption)
        }
    }

    private mutating func tellUnsupported(_ given: Aria2Options) {
        let unknown = OptionText.countries(given["metalink-location"] ?? "").unknown
        if !unknown.isEmpty {
            remarks.append(
                "--metalink-location: ignoring \(unknown.map { "“\($0)”" }.joined(separator: ", ")); a country has two letters, such as de."
            )
        }
        let names = given.entries.filter { $0.option.objection(.unsupported, to: $0.value) != nil }.map {
            "--\($0.option.name)"
        }
        if !names.isEmpty {
            remarks.append(
                "\(names.joined(separator: ", ")): Pawl does not support \(names.count == 1 ? "this option" : "these options") and ignores \(names.count == 1 ? "it" : "them")."
            )
        }
    }

    private func checkRPC() throws(Aria2Failure) {
        guard isService, options["rpc-secret"].map(\.isEmpty) ?? true else { return }
        for name in ["rpc-listen-all", "rpc-allow-origin-all"] as [StaticString] where options.isTrue(name) {
            let who = "\(name)" == "rpc-listen-all" ? "everyone on the network" : "every web page"
            throw Aria2Failure(
                "--\(name) without --rpc-secret would let \(who) write files here. Set a secret.",
                status: Aria2Status.badOption)
        }
    }

    // MARK: Downloads

    private mutating func addDownloads() throws(Aria2Failure) {
        if let path = options["metalink-file"], !path.isEmpty { return try add(.metalink(path), Aria2Options()) }
        if let list = options["input-file"], !list.isEmpty {
            isList = true
            return try add(list: list)
        }
        let uris = try expanded(arguments, Aria2Options())
        let urls = uris.filter(Self.isFetched)
        let others = uris.filter { !Self.isFetched($0) }
        if options.isTrue("force-sequential") {
            // Each has a name of its own.
            options["out"] = nil
            for url in urls { try add(urls: [url], Aria2Options()) }
        } else if !urls.isEmpty {
            try add(urls: urls, Aria2Options())
        }
        for path in others {
            guard environment.isMetalink(path) else {
                throw Aria2Failure("Unrecognized URI or unsupported protocol: \(path.shownURI)")
            }
            try add(.metalink(path), Aria2Options())
        }
        if downloads.isEmpty, !isService { throw Aria2Failure("Specify at least one URL.") }
    }

    private static func isFetched(_ uri: String) -> Bool { (try? HTTPURL(parsing: uri)) != nil }

    private func expanded(_ arguments: [String], _ own: Aria2Options) throws(Aria2Failure) -> [String] {
        guard own.over(options).isTrue("parameterized-uri") else { return arguments }
        var uris: [String] = []
        for argument in arguments {
            do throws(URLPatternError) {
                let pattern = try URLPattern(parsing: argument)
                uris += (0..<pattern.count).map { pattern.expansion($0).url }
            } catch {
                throw Aria2Failure(error.message)
            }
        }
        return uris
    }

    private mutating func add(list: String) throws(Aria2Failure) {
        let entries: [DownloadList.Entry]
        do throws(DownloadList.Problem) { entries = try environment.readList(list) } catch {
            throw Aria2Failure("\(ListFile.shownName(list)): \(error.message)")
        }
        var unknown: [String] = []
        var given = Aria2Options()
        for entry in entries {
            var own = Aria2Options()
            for option in entry.options {
                guard let index = Aria2Option.index(of: option.name) else {
                    if !unknown.containsExactly(option.name) { unknown.append(option.name) }
                    continue
                }
                guard Aria2Option.all[index].calls.contains(.adding) else { continue }
                do throws(Aria2Option.Problem) {
                    try own.take(index, option.value, home: environment.home)
                } catch {
                    throw Aria2Failure(
                        "\(ListFile.shownName(list)), line \(option.line): \(error.explanation)",
                        status: Aria2Status.badOption)
                }
            }
            if let refusal = own.refusal ?? own.refusalOfOne(amongThose: options) {
                throw Aria2Failure(
                    "\(ListFile.shownName(list)), line \(entry.line): \(refusal)", status: Aria2Status.badOption)
            }
            given = own.over(given)
            try add(entry, own, of: list)
        }
        tellUnsupported(given.filter { options.value(of: $0) == nil })
        if !unknown.isEmpty {
            remarks.append(
                "\(ListFile.shownName(list)): aria2 has no option " + unknown.map { "“\($0)”" }.joined(separator: ", ")
                    + ".")
        }
    }

    private mutating func add(_ entry: DownloadList.Entry, _ own: Aria2Options, of list: String) throws(Aria2Failure) {
        let urls = try expanded(entry.urls, own).filter(Self.isFetched)
        if options.isTrue("force-sequential"), urls.count > 1 {
            for url in urls { try add(urls: [url], own) }
            return
        }
        if !urls.isEmpty { return try add(urls: urls, own) }
        if let path = entry.urls.first, environment.isMetalink(path) { return try add(.metalink(path), own) }
        let message =
            "\(ListFile.shownName(list)), line \(entry.line): Unrecognized URI or unsupported protocol: \(entry.urls.first?.shownURI ?? "")"
        failed.append((try download(.urls(entry.urls), own), Aria2Failure(message)))
    }

    private mutating func add(urls: [String], _ own: Aria2Options) throws(Aria2Failure) {
        let follows = !(own["follow-metalink"] ?? options["follow-metalink"] ?? "true").isExactly("false")
        try add(follows && urls.count == 1 && Self.namesMetalink(urls[0]) ? .metalink(urls[0]) : .urls(urls), own)
    }

    private static func namesMetalink(_ url: String) -> Bool {
        let path = (try? HTTPURL(parsing: url))?.path ?? ""
        return path.ends(with: ".meta4") || path.ends(with: ".metalink")
    }

    private mutating func add(_ source: Download.Source, _ own: Aria2Options) throws(Aria2Failure) {
        downloads.append(try download(source, own))
    }

    private mutating func download(_ source: Download.Source, _ own: Aria2Options) throws(Aria2Failure) -> Download {
        var all = options
        // A list has names of its own.
        if options["input-file"] != nil { for name in ["out", "gid"] as [StaticString] { all[name] = nil } }
        all = own.over(all)
        let gid: GID
        if let text = all["gid"] {
            guard let wanted = GID(text) else { throw Aria2Failure("\(text) is invalid for GID.") }
            gid = wanted
        } else {
            gid = .random()
        }
        guard gids.insert(gid).inserted else { throw Aria2Failure("GID \(gid.text) is not unique.") }
        return Download(source: source, own: own, options: all, gid: gid)
    }

    // MARK: Places

    /// Looks at where each download goes. An entry of a list that cannot go there keeps no other from being downloaded.
    ///
    /// - Parameter settle: makes what is missing.
    package mutating func settle(_ settle: (inout Download) throws(Aria2Failure) -> Void) throws(Aria2Failure) {
        var settled: [Download] = []
        for download in downloads {
            var own = download
            do throws(Aria2Failure) {
                try settle(&own)
                settled.append(own)
            } catch {
                guard isList else { throw error }
                failed.append((download, error))
            }
        }
        downloads = settled
    }

    /// The directory of all downloads that say no other, as the service has it.
    package mutating func setDirectory(_ path: String) { options["dir"] = path }

    package var directory: String { options["dir"].flatMap { $0.isEmpty ? nil : $0 } ?? environment.currentDirectory }
}

extension Aria2Invocation.Download {
    /// Whether the source is a Metalink that has to be fetched.
    package var isRemoteDocument: Bool {
        if case .metalink(let place) = source { JobDocument.isURL(place) } else { false }
    }

    /// The entry for a list of unfinished downloads.
    package var entry: Aria2Session.Entry {
        let urls =
            switch source {
            case .urls(let urls): urls
            case .metalink(let document): [document]
            }
        return Aria2Session.Entry(urls: urls, gid: gid, isPaused: options.isTrue("pause"), options: options)
    }

    /// Returns the row of the table for a download that was never attempted.
    package func row(_ failure: Aria2Failure) -> Aria2Results.Row {
        let url = entry.urls.first.flatMap { try? HTTPURL(parsing: $0) }
        return Aria2Results.Row(
            gid: gid, end: .failed(failure.status), speed: nil, percentage: nil, path: url?.redacted ?? "n/a")
    }

    /// The job that it is. Its directory may have to be made.
    ///
    /// - Parameter directory: where nothing else is said.
    package func spec(else directory: String) throws(JobSpec.Aria2Problem) -> JobSpec {
        var spec: JobSpec
        let place = try options.place(else: directory)
        switch source {
        case .urls(let urls): spec = try JobSpec(aria2: urls, options)
        case .metalink(let document):
            guard options["checksum"] == nil else {
                throw JobSpec.Aria2Problem(
                    message:
                        "--checksum applies to one file, but a Metalink may name several and has their checksums itself."
                )
            }
            spec = JobSpec(.metalink(document, select: Self.selection(options["select-file"] ?? "")))
            spec.ifExists = .rename
            var given = options
            given["out"] = nil
            try spec.set(given)
        }
        spec.directory = place.directory
        if case .urls = source { spec.fileName = place.name }
        return spec
    }

    /// `1-3,7`: numbers of files.
    private static func selection(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: ",")).flatMap { part -> [String] in
            let ends = part.split(separator: UInt8(ascii: "-")).map { Int(String(Substring($0))) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last, last < 100_000 else {
                return [String(Substring(part))]
            }
            return (first...last).map { String($0) }
        }
    }
}

extension String {
    /// The URI without what may be secret in it.
    fileprivate var shownURI: String {
        let scheme = utf8.prefix { $0 != UInt8(ascii: ":") }
        return scheme.count < utf8.count ? String(Substring(scheme)) + ":…" : self
    }
}
