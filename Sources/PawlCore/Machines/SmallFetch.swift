/// The ordinary case of a download: a small file that comes whole with the first answer and needs nothing else.
///
/// A small fetch cannot fail: any other case is promoted, which means that a ``DownloadMachine`` gets the same answer
/// from its beginning. The request and the judgement are those of the machine: the fields, the rule, and whether
/// a page stands in for the file.
package struct SmallFetch: Sendable {
    package enum Judgement: Hashable, Sendable {
        /// All bytes of the file follow, and this is its name.
        case take(Representation, ResponseFacts, name: String)
        case promote
    }

    package let url: HTTPURL
    package let fields: [HTTPField]
    /// The digest that the bytes must have.
    package var digest: Digest? { settings.digest }
    private let request: RangeRequest
    private let settings: DownloadSettings
    /// The largest file in bytes.
    private let limit: Int64

    /// - Parameters:
    ///   - limit: the largest file, in bytes.
    ///   - cookies: of all downloads.
    ///   - secondsSinceEpoch: now.
    /// - Returns: nil where the download asks for more than the ordinary case.
    package init?(_ settings: DownloadSettings, limit: Int64, cookies: CookieJar, wallClock secondsSinceEpoch: Int64) {
        guard limit > 0, settings.isOrdinary else { return nil }
        self.settings = settings
        self.limit = limit
        url = settings.askedURL
        request = RangeRequest(start: 0, end: nil)
        fields = settings.fields(
            for: url, asking: request.fields, cookies: cookies, wallClock: secondsSinceEpoch)
    }

    /// - Parameter secondsSinceEpoch: now, for answers without a `Date`.
    package func judge(_ head: ResponseHead, wallClock secondsSinceEpoch: Int64) -> Judgement {
        // A cookie is for all downloads, and a link may be a mirror.
        guard head.fields.allSatisfy({ !$0.isNamed("set-cookie") && !$0.isNamed("set-cookie2") }) else {
            return .promote
        }
        let verdict = ResponseRule(request: request, known: nil, received: secondsSinceEpoch).judge(head)
        let found: Representation
        switch verdict {
        case .whole(let whole): found = whole
        case .partial(let range, let part) where range.start == 0 && range.end == part.total: found = part
        case .partial, .several, .empty, .changed, .unproven, .alreadyComplete, .startsEarly, .askForLastBytes,
            .askWithoutRange, .askWithoutCondition, .redirect, .refused, .bad:
            return .promote
        }
        guard let total = found.total, total > 0, total <= min(limit, settings.maximumFileSize ?? limit),
            found.contentCoding == nil, found.digests.isEmpty, settings.expectedSize.map({ $0 == total }) ?? true,
            settings.allowsWebPage || !WebPage.standsIn(for: settings.url, named: settings.fileName, head)
        else { return .promote }
        let name = settings.fileName ?? FileName.suggested(by: head, from: url, asked: settings.url)
        return .take(found, ResponseFacts(head), name: name)
    }

    /// Whether a `Range` was asked for and honoured is a fact about the host.
    package func observation(of head: ResponseHead) -> HostObservation? { head.status == 206 ? .rangesHonoured : nil }
}

extension DownloadSettings {
    /// Whether nothing is asked for but one file of one URL.
    fileprivate var isOrdinary: Bool {
        let hints = hostHints.isEmpty ? HostHints() : hostHints[askedURL.originKey] ?? HostHints()
        // How many connections the host accepts is known to whoever counts them.
        let isUnrestricted = !hints.distrustsRanges && hints.rest == nil
        return isUnrestricted && self.mirrors.isEmpty && self.expected == nil && !self.isCheckedByCaller
            && self.maximumRequestLength == nil && self.window == nil && self.targetVersion == nil
            && failuresBefore == 0 && secret(for: askedURL) == nil && options.isOrdinary
    }
}

extension DownloadOptions {
    /// Options that only a ``DownloadMachine`` serves. Those about retries and the like come into play once something
    /// is not ordinary.
    fileprivate var isOrdinary: Bool {
        maximumBytesPerSecond == nil && !usesServerMirrors && pieceHashes == nil
            // On this way, a file takes a second at most, by which a long limit may be passed.
            && maximumTime.map { $0 >= .seconds(60) } ?? true
            && ranges == nil && !onlyIfNewer && !adoptsPartialFile && sync != .file
            // A name that changes with what stands there is to be known before the next in line may have one.
            && ifExists != .rename
    }
}
