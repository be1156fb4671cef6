import Pawl
import PawlCore

extension JobSpec {
    /// Checks everything that the values alone allow to check.
    ///
    /// - Throws: the first problem, with the fields that it is about.
    public func checked() throws(JobSpecError) {
        try checkValues()
        if let problem = options.problem {
            let code: JobSpecError.Code = problem.options.count > 1 ? .contradiction : .invalidValue
            let names = problem.options.compactMap { DownloadOption.byName[$0]?.jsonName }
            throw JobSpecError(code, names.map { "options." + $0 }, problem.message)
        }
        for case let contradiction? in contradictions { throw contradiction }
    }

    /// Writes the hosts of all URLs in ASCII, where a person has just written them.
    ///
    /// - Throws: for a host of which no name can be made.
    package mutating func writeHostsInASCII() throws(JobSpecError) {
        func converted(_ text: String, _ field: String) throws(JobSpecError) -> String {
            do throws(HTTPURLError) { return try HTTPURL.writingHostInASCII(text) } catch {
                throw JobSpecError(.invalidValue, [field], error.message)
            }
        }
        switch source {
        case .url(let url, var mirrors):
            for index in mirrors.indices { mirrors[index].url = try converted(mirrors[index].url, "mirrors") }
            source = .url(try converted(url, "url"), mirrors: mirrors)
        case .metalink(let place, let select):
            source = .metalink(try converted(place, "metalink"), select: select)
        }
        if let place = digestList { digestList = try converted(place, "digestList") }
        if let page = context.referer { context.referer = try converted(page, "referer") }
        if let url = freshURL { freshURL = try converted(url, "freshURL") }
    }

    /// Checks also the URLs that a person has just written. A job that is stored is not refused for them later.
    ///
    /// - Throws: for two URLs in one.
    package func checkTyped() throws(JobSpecError) {
        guard case .url(let url, let mirrors) = source else { return }
        do throws(HTTPURLError) { try HTTPURL.check(typed: url) } catch {
            throw JobSpecError(.invalidValue, ["url"], error.message)
        }
        for mirror in mirrors {
            do throws(HTTPURLError) { try HTTPURL.check(typed: mirror.url) } catch {
                throw JobSpecError(.invalidValue, ["mirrors"], error.message)
            }
        }
    }

    // MARK: One field

    private func checkValues() throws(JobSpecError) {
        if let id {
            let isVisible = id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            try require(
                isVisible && (1...128).contains(id.utf8.count), "id", "An id has 1 to 128 visible ASCII characters.")
        }
        switch source {
        case .url(let url, let mirrors):
            try check(url: url, "url")
            try require(
                mirrors.count <= Mirror.maximumCount, "mirrors", "At most \(Mirror.maximumCount) mirrors can be used.")
            for mirror in mirrors { try check(url: mirror.url, "mirrors") }
            if let freshURL { try check(url: freshURL, "freshURL") }
        case .metalink(let place, _):
            guard freshURL == nil else {
                throw JobSpecError(.contradiction, ["freshURL", "metalink"], "Only a URL can have a fresh one.")
            }
            try require(!place.isEmpty, "metalink", "The path or URL of the Metalink is empty.")
        }
        try require(!directory.isEmpty, "directory", "The directory's name is empty. The working directory is “.”.")
        if let fileName { try require(Self.isName(fileName), "file", "“\(fileName)” is not a file name.") }
        if let referer = context.referer { try check(url: referer, "referer") }
        try require(digestList != "", "digestList", "The path or URL of the list is empty.")
        try require(hook.first != "", "hook", "The name of the program is empty.")
        try require(members.allSatisfy { !$0.isEmpty }, "members", "A pattern is empty.")
        guard let unpacking else { return }
        try require(unpacking.directory != "", "unpacking.directory", "The directory's name is empty.")
        try require((unpacking.maximumBytes ?? 1) > 0, "unpacking.maximumBytes", "The limit must be more than zero.")
        try require((unpacking.maximumRatio ?? 1) > 0, "unpacking.maximumRatio", "The limit must be more than zero.")
        try require(unpacking.maximumMembers > 0, "unpacking.maximumMembers", "The limit must be more than zero.")
    }

    private func require(_ isRight: Bool, _ field: String, _ message: String) throws(JobSpecError) {
        if !isRight { throw JobSpecError(.invalidValue, [field], message) }
    }

    private func check(url: String, _ field: String) throws(JobSpecError) {
        do {
            _ = try HTTPURL(parsing: url)
        } catch {
            throw JobSpecError(.invalidValue, [field], error.message)
        }
    }

    private static func isName(_ name: String) -> Bool {
        ![".", "..", ""].contains { $0.utf8.elementsEqual(name.utf8) }
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    // MARK: Several

    private func contradiction(
        _ isGiven: Bool, _ fields: @autoclosure () -> [String], _ message: @autoclosure () -> String
    ) -> JobSpecError? {
        isGiven ? JobSpecError(.contradiction, fields(), message()) : nil
    }

    private var isMetalink: Bool { if case .metalink = source { true } else { false } }

    private var contradictions: [JobSpecError?] {
        [
            contradiction(
                options.digest != nil && digestList != nil, ["options.checksum", "digestList"],
                "Both give the file's checksum. Leave one of them out."),
            contradiction(
                searchesDigest && isMetalink, ["digestList", "metalink"],
                "“auto” looks beside a URL, and a Metalink names files by itself."),
            contradiction(
                keepsPath && (isMetalink || !members.isEmpty), ["keepPath", isMetalink ? "metalink" : "members"],
                isMetalink
                    ? "A Metalink names the directories of its files itself."
                    : "Members go into the directory that they are unpacked to."),
            contradiction(
                options.onlyIfNewer && ifExists == .skip, ["options.ifNewer", "options.ifExists"],
                "An existing file would be skipped whether or not the server's is newer. Leave one of the two out."),
            contradiction(
                acceptsWholeArchive && members.isEmpty, ["acceptsWholeArchive", "members"],
                "It applies only to members, and none are requested."),
            contradiction(
                unpacking != nil && members.isEmpty && options.ranges != nil, ["unpacking", "options.range"],
                "Only whole files can be unpacked, but ranges are requested."),
        ] + (members.isEmpty ? [] : contradictionsOfMembers)
    }

    /// The contradictions of a job for members, which allows no option about the whole archive.
    private var contradictionsOfMembers: [JobSpecError?] {
        let hasMirrors = if case .url(_, let mirrors) = source { !mirrors.isEmpty } else { false }
        return [
            contradiction(
                isMetalink, ["members", "metalink"],
                "Members are downloaded from the URL of one archive, but a Metalink names whole files."),
            contradiction(
                options.ranges != nil, ["members", "options.range"], "Ranges cannot be combined with members."),
            contradiction(
                options.digest != nil || digestList != nil,
                ["members", options.digest != nil ? "options.checksum" : "digestList"],
                "A digest applies to the whole archive, which is not downloaded. Members are checked by their CRC-32."),
            contradiction(
                options.computedDigest != nil, ["members", "options.computeChecksum"],
                "A digest is computed of a whole file, and the archive is not downloaded whole."),
            contradiction(
                hasMirrors || options.usesServerMirrors, ["members", hasMirrors ? "mirrors" : "options.serverMirrors"],
                "Nothing would prove that both servers have the same archive."),
            contradiction(
                options.onlyIfNewer, ["members", "options.ifNewer"],
                "The time of the archive is not the time of a member."),
            contradiction(
                options.adoptsPartialFile, ["members", "options.adopt"],
                "Partial files of other programs cannot be used for members."),
            contradiction(
                options.keepsRemoteTime, ["members", "options.remoteTime"],
                "The time of a member comes from the archive."),
            contradiction(
                options.recordsOrigin, ["members", "options.xattr"], "A member does not have its own URL."),
            contradiction(
                options.sync != .group, ["members", "options.sync"], "Members are synced as they are unpacked."),
        ]
    }
}
