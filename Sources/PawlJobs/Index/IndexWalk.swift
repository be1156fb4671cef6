package import PawlCore

/// The pages of a server to read for the links beneath a URL, and the links found: a value that receives what was read.
package struct IndexWalk: Sendable {
    package enum Step: Hashable, Sendable {
        /// The server's robots.txt.
        case robots(HTTPURL)
        case page(HTTPURL)
    }

    /// The reason why nothing is listed.
    package enum Refusal: Hashable, Sendable {
        /// The server's robots.txt forbids the first page.
        case robots
        /// The first page is on another host.
        case otherHost(HTTPURL)
    }

    /// The product token that rules of servers name.
    package static let agent = "pawl"
    package static let maximumPageBytes = 16 << 20
    /// The longest robots.txt that is read. RFC 9309 §2.5 asks for 500 KiB at least.
    package static let maximumRulesBytes = 512 << 10

    /// The limits at which a walk ends, whatever the server has.
    package struct Limits: Sendable {
        package var pages = 10_000
        /// The number of bytes of all pages.
        package var readBytes = 512 << 20
        /// The number of bytes of all URLs that were found.
        package var foundBytes = 128 << 20
        /// Comparisons of a byte with a rule of robots.txt.
        package var comparisons = 100_000_000

        package init() {}
    }

    /// Links to files in the order of the pages, each once.
    package private(set) var files: [HTTPURL] = []
    /// The number of directories that are too deep.
    package private(set) var unfollowed = 0
    /// The number of links that robots.txt keeps out.
    package private(set) var forbidden = 0
    /// The server has more than was read.
    package private(set) var isCutShort = false
    package private(set) var refusal: Refusal?
    /// The number of pages that were read.
    package private(set) var readPages = 0
    /// The number of known pages that are still to be read.
    package var remainingPages: Int { queue.count - nextPage }

    private let maximumDepth: Int
    private let limits: Limits
    /// The address of the first page, after redirects on its host.
    package private(set) var start: HTTPURL
    private var hasMoved = false
    /// The addresses that redirected to that of the next page.
    private var visited: [HTTPURL] = []
    private var rules: RobotsRules?
    private var queue: [(url: HTTPURL, depth: Int)]
    private var nextPage = 0
    private var known: Set<HTTPURL> = []
    private var (readBytes, foundBytes) = (0, 0)
    /// The number of comparisons with rules of robots.txt that are left.
    private var comparisons: Int

    package init(beneath url: HTTPURL, maximumDepth: Int, limits: Limits = Limits()) {
        start = url
        self.maximumDepth = maximumDepth
        self.limits = limits
        comparisons = limits.comparisons
        queue = [(url, 0)]
    }

    /// The next document to read; nil once all was read.
    package var next: Step? {
        guard refusal == nil else { return nil }
        guard rules != nil else { return (try? start.resolving("/robots.txt")).map { .robots($0) } }
        return nextPage < queue.count ? .page(queue[nextPage].url) : nil
    }

    package mutating func take(_ rules: RobotsRules) {
        self.rules = rules
        if !rules.allows(start, &comparisons) { refusal = .robots }
    }

    /// Takes the links of the next page.
    package mutating func takePage(_ bytes: [UInt8]) {
        guard nextPage < queue.count else { return }
        let (url, depth) = queue[nextPage]
        skipPage()
        readPages += 1
        readBytes += bytes.count
        // Its own links may lead back to the first page.
        known.insert(url)
        take(IndexPage(parsing: bytes, at: url), depth: depth)
    }

    /// A page that could not be read has no links.
    package mutating func skipPage() {
        nextPage += 1
        visited = []
    }

    /// Puts the target of the next page's redirect in its place, if the target may be read; otherwise the page has no
    /// links.
    ///
    /// - Throws: an error after too many redirects.
    package mutating func takeRedirect(to target: HTTPURL) throws(DownloadError) {
        guard nextPage < queue.count else { return }
        let asked = queue[nextPage].url
        // Back where the chain was may be right, with a cookie that has been set since.
        var target = try RedirectPolicy(allowsInsecure: true)
            .target(of: target.serialized, from: asked, visited: visited, isKnownBetter: true)
        target.userinfo = asked.userinfo
        visited.append(asked)
        if nextPage == 0 { return move(to: target) }
        if visited.contains(target) { return queue[nextPage].url = target }
        guard IndexPage.isBeneath(target, start) else {
            // The links of that directory are missing.
            isCutShort = true
            return skipPage()
        }
        if isNew(target) { queue[nextPage].url = target } else { skipPage() }
    }

    /// Begins again where the first page redirects to: another origin has other rules.
    private mutating func move(to url: HTTPURL) {
        guard url.host.isExactly(start.host), url.origin == start.origin || !hasMoved else {
            return refusal = .otherHost(url)
        }
        if url.origin != start.origin { (hasMoved, rules) = (true, nil) }
        start = url
        queue = [(url, 0)]
        if let rules, !rules.allows(start, &comparisons) { refusal = .robots }
    }

    private mutating func take(_ page: IndexPage, depth: Int) {
        isCutShort = isCutShort || page.isTruncated
        for file in page.files where isNew(file) { files.append(file) }
        for directory in page.directories where isNew(directory) {
            if depth < maximumDepth { enqueue(directory, depth: depth + 1, at: queue.count) } else { unfollowed += 1 }
        }
        guard let next = page.next else { return }
        // A list that leads back to a page of its own has no end.
        if isNew(next) { enqueue(next, depth: depth, at: nextPage) } else { isCutShort = true }
    }

    private mutating func enqueue(_ url: HTTPURL, depth: Int, at index: Int) {
        guard queue.count < limits.pages, readBytes < limits.readBytes else { return isCutShort = true }
        queue.insert((url, depth), at: index)
    }

    private mutating func isNew(_ url: HTTPURL) -> Bool {
        guard foundBytes < limits.foundBytes, comparisons > 0 else {
            isCutShort = true
            return false
        }
        guard known.insert(url).inserted else { return false }
        foundBytes += url.path.utf8.count + (url.query?.utf8.count ?? 0) + 64
        guard rules?.allows(url, &comparisons) ?? true else {
            if comparisons > 0 { forbidden += 1 } else { isCutShort = true }
            return false
        }
        return true
    }
}
