import PawlCore
import Testing

@testable import PawlJobs

@Suite("The links of directory pages")
struct IndexPageTests {
    private static func page(_ text: String, at url: String = "https://h/pub/") throws -> IndexPage {
        IndexPage(parsing: Array(text.utf8), at: try HTTPURL(parsing: url))
    }

    private static let apache = """
        <table><tr><th><a href="?C=N;O=D">Name</a></th></tr>
        <tr><td><a href="/">Parent Directory</a></td></tr>
        <tr><td><a href="a%20b.iso">a b.iso</a></td></tr><tr><td><A HREF='sub/'>sub/</A></td></tr></table>
        """
    private static let nginx = """
        <h1>Index of /pub/</h1><hr><pre><a href="../">../</a>
        <a href="a%20b.iso">a b.iso</a>   01-Jan-2026 00:00   5
        <a href="sub/">sub/</a></pre>
        """
    private static let caddy = """
        <tr class="file"><td></td><td><a href="./a%20b.iso"><span class="name">a b.iso</span></a></td></tr>
        <tr class="file"><td></td><td><a href="./sub/"><span>sub</span></a></td></tr><a href="./?sort=name&order=asc">Name</a>
        """
    private static let iis = """
        <pre><A HREF="/">[To Parent Directory]</A><br><br> 1/1/2026 12:00 AM 5 <A HREF="/pub/a%20b.iso">a b.iso</A><br>
        <A HREF="/pub/sub/">sub</A><br></pre>
        """

    @Test(arguments: [apache, nginx, caddy, iis])
    func `of each server's page the files and directories beneath it are found`(text: String) throws {
        let page = try Self.page(text)
        #expect(page.files.map(\.serialized) == ["https://h/pub/a%20b.iso"])
        #expect(page.directories.map(\.serialized) == ["https://h/pub/sub/"])
    }

    @Test func `links to other places, repetitions and what only looks like a link are left out`() throws {
        let page = try Self.page(
            """
            <!-- <a href="commented">x</a> --><a title="a > b" href = a?x=1&amp;y=2 >a</a><a href="a?x=1&#38;y=2#top">a</a>
            <a href="http://h/pub/b">b</a><a href="https://other/pub/c">c</a><a href="/public/d">d</a><a href="mailto:x@h">e</a>
            <a name="f">f</a><abbr href="g">g</abbr><a href="https://h:443/pub/i">i</a><a href="sub/?C=N;O=D">j</a>
            <script>write('<a href="k">k</a>')</script><STYLE><a href="l"></style ><a href="https://me:pw@h/pub/i">m</a><a href
            """)
        #expect(page.files.map(\.serialized) == ["https://h/pub/a?x=1&y=2", "https://h/pub/i"])
        #expect(page.files.allSatisfy { $0.userinfo == nil } && page.directories.isEmpty)
    }

    @Test(
        arguments: [
            "../x", "/x", "..%2Fx", "%2e%2E/x", "a/%2e%2e/%2e%2e/x", "a%5C..%5C..%5Cx", "//other/pub/x", "\\\\other\\x",
            "javascript:x", "data:,x", "x&#10;y", "x&#0;y", "https://h/pub\\..\\x", "./", "", "#x", "?x", "http:x",
        ])
    func `no link leads out of the directory or writes a second line`(link: String) throws {
        let page = try Self.page("<a href=\"\(link)\">x</a>")
        #expect((page.files + page.directories).allSatisfy { $0.path.contains("%5C%5Cother") }, "\(page)")
    }

    @Test func `braces and brackets, which are patterns in a list, are escaped`() throws {
        let page = try Self.page("<a href='{a,b}[1-9]?[1-3]{c,d}\tx'></a><a href='{a,b}[1-9]?[1-3]{c,d}'></a>")
        #expect(page.files.map(\.serialized) == ["https://h/pub/%7Ba,b%7D%5B1-9%5D?%5B1-3%5D%7Bc,d%7D"])
        let list = try DownloadList(parsing: Array(page.files[0].serialized.utf8))
        #expect(list.entries.count == 1)
        #expect(try URLPattern(parsing: list.entries[0].urls[0]).count == 1)
    }

    @Test func `links start from the base that the page names`() throws {
        let page = try Self.page("<BASE href='/pub/sub/'><a href='x'></a><a href='../../y'></a>")
        #expect(page.files.map(\.serialized) == ["https://h/pub/sub/x"])
    }

    @Test func `a page of one long text is read in one pass`() throws {
        let text = String(repeating: "a", count: 1 << 20)
        let page = try Self.page("<a href='\(text)&amp'></a><a href='x'></a>\(String(repeating: "<", count: 1 << 20))")
        #expect(page.files.map(\.path) == ["/pub/x"])
    }

    @Test func `objects of S3 are beneath the bucket, and directories among them are none`() throws {
        let text = """
            <?xml version="1.0"?><ListBucketResult xmlns="x"><IsTruncated>false</IsTruncated><Prefix>d/</Prefix>
            <Contents><Key>d/100% &amp; ä.iso</Key></Contents><Contents><Key>d/sub/</Key></Contents>
            <Contents><Key>../x</Key></Contents></ListBucketResult>
            """
        for url in ["https://h/bucket?list-type=2&prefix=d/", "https://h/bucket/"] {
            let page = try Self.page(text, at: url)
            #expect(page.files.map(\.serialized) == ["https://h/bucket/d/100%25%20%26%20%C3%A4.iso"])
            #expect(page.directories.isEmpty && page.next == nil && !page.isTruncated)
        }
    }

    @Test func `a list of S3 goes on where its token or its marker says`() throws {
        func next(_ contents: String, at url: String) throws -> IndexPage {
            try Self.page(
                "<ListBucketResult><IsTruncated>true</IsTruncated>\(contents)</ListBucketResult>", at: url)
        }
        let second = "https://h/b?list-type=2&continuation-token=old&prefix=d/"
        #expect(
            try next("<NextContinuationToken>a+/=</NextContinuationToken><Key>d/x</Key>", at: second).next?.serialized
                == "https://h/b?list-type=2&prefix=d/&continuation-token=a%2B%2F%3D")
        #expect(try next("<Key>d/x</Key>", at: second).isTruncated)
        #expect(
            try next("<Key>x y</Key><Key>z%</Key>", at: "https://h/b").next?.serialized == "https://h/b?marker=z%25")
        let encoded = try next(
            "<EncodingType>url</EncodingType><Key>x+y</Key><NextMarker>x+y%2B</NextMarker>", at: "https://h/b?marker=a")
        #expect(encoded.next?.serialized == "https://h/b?marker=x%20y%2B")
        #expect(encoded.files.map(\.path) == ["/b/x%20y"])
        let directories = try next(
            "<Prefix>p</Prefix><CommonPrefixes><Prefix>p&amp;/</Prefix></CommonPrefixes>",
            at: "https://h/b?prefix=p&delimiter=/")
        #expect(directories.directories.map(\.serialized) == ["https://h/b?delimiter=/&prefix=p%26%2F"])
        #expect(directories.next?.serialized == "https://h/b?prefix=p&delimiter=/&marker=p%26%2F")
    }
}

@Suite("The walk over directory pages")
struct IndexWalkTests {
    private static func walk(
        _ url: String = "https://h/pub/", depth: Int = 1, rules: String = ""
    ) throws -> IndexWalk {
        var limits = IndexWalk.Limits()
        (limits.pages, limits.comparisons) = (500, 1_000_000)
        var walk = IndexWalk(beneath: try HTTPURL(parsing: url), maximumDepth: depth, limits: limits)
        walk.take(RobotsRules(parsing: Array(rules.utf8), for: "pawl"))
        return walk
    }

    private static func page(_ url: String) throws -> IndexWalk.Step { .page(try HTTPURL(parsing: url)) }

    /// Answers every page with what it should have, and returns how many there were.
    private static func answer(_ walk: inout IndexWalk, _ text: (HTTPURL) -> String) -> Int {
        var count = 0
        while case .page(let url) = walk.next {
            walk.takePage(Array(text(url).utf8))
            count += 1
        }
        return count
    }

    @Test func `deeper pages are read as far as they may be, each once`() throws {
        var walk = IndexWalk(beneath: try HTTPURL(parsing: "https://h/pub/"), maximumDepth: 1)
        #expect(walk.next == .robots(try HTTPURL(parsing: "https://h/robots.txt")))
        walk.take(RobotsRules(parsing: Array("User-agent: *\nDisallow: /pub/secret".utf8), for: "pawl"))
        #expect(try walk.next == Self.page("https://h/pub/"))
        let links = #"<a href="a">a</a><a href="sub/">b</a><a href="secret">c</a>"#
        walk.takePage(Array(links.utf8))
        #expect(try walk.next == Self.page("https://h/pub/sub/"))
        walk.takePage(Array(links.utf8))
        #expect(walk.readPages == 2 && walk.remainingPages == 0)
        #expect(walk.next == nil)
        #expect(walk.files.map(\.path) == ["/pub/a", "/pub/sub/a", "/pub/sub/secret"])
        #expect(walk.unfollowed == 1 && walk.forbidden == 1 && !walk.isCutShort)
    }

    @Test func `pages without end come to one`() throws {
        var deep = try Self.walk(depth: 100)
        #expect(Self.answer(&deep) { _ in "<a href='./'></a><a href='/pub/'></a><a href='x/'></a>" } == 101)
        #expect(deep.unfollowed == 1)
        var wide = try Self.walk(depth: 100)
        let count = Self.answer(&wide) { _ in (0..<50).map { "<a href='\($0)/'></a>" }.joined() }
        #expect(count == 500 && wide.isCutShort)
        var endless = try Self.walk("https://h/b?list-type=2")
        let object = "<ListBucketResult><Key>x</Key><IsTruncated>true</IsTruncated><NextContinuationToken>"
        var token = 0
        let pages = Self.answer(&endless) { _ in
            token += 1
            return object + "\(token)</NextContinuationToken>"
        }
        #expect(pages == 500 && endless.isCutShort && endless.files.count == 1)
        var circle = try Self.walk("https://h/b?list-type=2")
        #expect(Self.answer(&circle) { _ in object + "1</NextContinuationToken>" } == 2)
        #expect(circle.isCutShort)
    }

    @Test func `the first page may move on its host, where other rules are read, and nowhere else`() throws {
        let link = Array("<a href='a'></a>".utf8)
        var walk = try Self.walk("http://h/pub")
        try walk.takeRedirect(to: HTTPURL(parsing: "http://h/pub/"))
        #expect(try walk.next == Self.page("http://h/pub/"))
        walk.takePage(link)
        #expect(walk.next == nil && walk.files.map(\.serialized) == ["http://h/pub/a"])

        walk = try Self.walk("http://h/pub")
        try walk.takeRedirect(to: HTTPURL(parsing: "https://h/pub/"))
        #expect(walk.next == .robots(try HTTPURL(parsing: "https://h/robots.txt")))
        walk.take(.everything)
        #expect(try walk.next == Self.page("https://h/pub/"))
        walk.takePage(link)
        #expect(walk.next == nil && walk.files.map(\.serialized) == ["https://h/pub/a"])

        walk = try Self.walk("http://h/pub/")
        try walk.takeRedirect(to: HTTPURL(parsing: "http://other/pub/"))
        #expect(walk.next == nil && walk.files.isEmpty)
        #expect(walk.refusal == .otherHost(try HTTPURL(parsing: "http://other/pub/")))

        walk = try Self.walk("http://h/pub/", rules: "User-agent: *\nDisallow: /private")
        try walk.takeRedirect(to: HTTPURL(parsing: "http://h/private/"))
        #expect(walk.next == nil && walk.refusal == .robots && walk.files.isEmpty)
    }

    @Test(
        arguments: [
            // Where the page beneath redirects to; what is asked for then; whether links are missing; forbidden links.
            ("https://h/pub/y/", "https://h/pub/y/", false, 0), ("https://h/pub/x/", "https://h/pub/x/", false, 0),
            ("https://h/pub/", nil, false, 0), ("https://h/pub/known/", "https://h/pub/known/", false, 0),
            ("https://h/other/", nil, true, 0), ("https://other/pub/y/", nil, true, 0),
            ("http://h/pub/y/", nil, true, 0), ("https://h:8443/pub/y/", nil, true, 0),
            ("https://h/pub/..%2Fy/", nil, true, 0), ("https://h/pub/secret/", nil, false, 1),
        ] as [(String, String?, Bool, Int)])
    func `a page beneath may move where links may lead`(
        target: String, next: String?, isCutShort: Bool, forbidden: Int
    ) throws {
        var walk = try Self.walk(rules: "User-agent: *\nDisallow: /pub/secret")
        walk.takePage(Array("<a href='x/'></a><a href='known/'></a>".utf8))
        #expect(try walk.next == Self.page("https://h/pub/x/"))
        try walk.takeRedirect(to: HTTPURL(parsing: target))
        #expect(try walk.next == Self.page(next ?? "https://h/pub/known/"))
        #expect(walk.isCutShort == isCutShort && walk.forbidden == forbidden)
    }

    @Test func `redirects without end come to one`() throws {
        for url in ["https://h/pub/", "https://h/pub/x/"] {
            var walk = try Self.walk()
            if !url.isExactly("https://h/pub/") { walk.takePage(Array("<a href='x/'></a>".utf8)) }
            let targets = try [HTTPURL(parsing: "https://h/pub/x/y/"), HTTPURL(parsing: url)]
            for index in 0..<RedirectPolicy.maximumRedirects { try walk.takeRedirect(to: targets[index % 2]) }
            #expect(walk.next == .page(targets[1]))
            #expect(throws: DownloadError.self) { try walk.takeRedirect(to: targets[0]) }
        }
    }

    @Test func `rules that take too long to compare are not compared on`() throws {
        let rule = "Disallow: /*" + String(repeating: "a", count: 2000) + "b"
        let rules = "User-agent: *\n" + [String](repeating: rule, count: 100).joined(separator: "\n")
        var walk = try Self.walk(rules: rules)
        let name = String(repeating: "a", count: 8000)
        _ = Self.answer(&walk) { _ in (0..<20).map { "<a href='\($0)\(name)'></a>" }.joined() }
        #expect(walk.isCutShort && walk.files.count < 20)
    }
}

@Suite("robots.txt")
struct RobotsRulesTests {
    private static func allows(_ text: String, _ target: String) throws -> Bool {
        var comparisons = 1_000_000
        let rules = RobotsRules(parsing: Array(text.utf8), for: "pawl")
        return rules.allows(try HTTPURL(parsing: "https://h" + target), &comparisons)
    }

    @Test(
        arguments: [
            ("", "/x", true), ("User-agent: *\nDisallow: /", "/x", false), ("User-agent: *\nDisallow:", "/x", true),
            ("User-agent: other\nDisallow: /", "/x", true),
            // The group of this program replaces that of all.
            ("User-agent: *\nDisallow: /\n\nuser-agent: Pawl\nDisallow: /y # not there", "/x", true),
            ("User-agent: *\nDisallow: /\n\nuser-agent: Pawl\nDisallow: /y # not there", "/y", false),
            ("User-agent: a\nUser-agent: pawl/1.0\nDisallow: /x\nUser-agent: b\nDisallow: /", "/y", true),
            // RFC 9309 §2.2.2: the longest match decides, and of two as long, the one that allows.
            ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true),
            ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", false),
            ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", true),
            ("User-agent: *\r\nDisallow: /*.iso$", "/d/x.iso", false),
            ("User-agent: *\nDisallow: /*.iso$", "/d/x.iso?y", true), ("User-agent: *\nDisallow: /*?", "/x?y", false),
            ("User-agent: *\nDisallow: /a*b*c", "/axbxc", false), ("User-agent: *\nDisallow: /a*b*c", "/acb", true),
            ("User-agent: *\nDisallow: /a$", "/ab", true), ("User-agent: *\nDisallow: /a$", "/a", false),
        ] as [(String, String, Bool)])
    func `rules are read as RFC 9309 has them`(text: String, target: String, isAllowed: Bool) throws {
        #expect(try Self.allows(text, target) == isAllowed)
    }
}
