import PawlCore
import Testing

@Suite struct LinkFieldTests {
    /// The parts of a link that the tests compare: the target and `rel`.
    private static func shown(_ values: [String]) -> [String] {
        LinkField.parse(values).map { "\($0.target) \($0["rel"] ?? "-")" }
    }

    @Test(
        arguments: [
            ([], []), ([""], []), (["<a>"], ["a -"]), (["<a>; rel=x"], ["a x"]), (["<a> ; rel = x"], ["a x"]),
            (["<a>;rel=\"x y\""], ["a x y"]), (["<a>;REL=x"], ["a x"]),
            // The first of two equal parameters counts (RFC 8288 §3.3).
            (["<a>;rel=x;rel=y"], ["a x"]),
            (["<a>; rel=x, <b>; rel=y"], ["a x", "b y"]), (["<a>; rel=x", "<b>; rel=y"], ["a x", "b y"]),
            ([", ,<a>;rel=x,,\t<b>;rel=y,"], ["a x", "b y"]),
            // Characters that would otherwise end a link, within quotes and within the target.
            (["<a,b;c>; title=\"x, <y>; rel=z\\\"\"; rel=r"], ["a,b;c r"]),
            (["<a>; rel=x; type=application/metalink4+xml, <b>; rel=y"], ["a x", "b y"]),
            (["<a>;;rel=x;"], ["a x"]), (["<>; rel=x"], [" x"]), (["<a>; pref; rel=x"], ["a x"]),
            (["<a>; title*=UTF-8''%e2%82%ac; rel=x"], ["a x"]),
            // A broken link hides the rest of its line.
            (["<a; rel=x"], []), (["a; rel=x, <b>; rel=y"], []), (["<a>; rel=\"x, <b>; rel=y"], []),
            (["<a>; rel=x y, <b>; rel=y"], []), (["<a>; rel=x, b, <c>; rel=z"], ["a x"]),
            (["b", "<c>; rel=z"], ["c z"]),
        ] as [([String], [String])]
    )
    func `links are parsed as far as a line is well formed`(_ values: [String], _ expected: [String]) {
        #expect(Self.shown(values) == expected)
    }

    @Test(
        arguments: [
            ("duplicate", true), ("DUPLICATE", true), ("\"describedby duplicate\"", true), ("\"a  duplicate\"", true),
            ("duplicates", false), ("\"a,duplicate\"", false), ("\"\"", false),
        ])
    func `a relation is found among several, in any case`(_ rel: String, _ expected: Bool) throws {
        let link = try #require(LinkField.parse(["<a>; rel=\(rel)"]).first)
        #expect(link.hasRelation("duplicate") == expected)
    }

    @Test func `the number of links is limited`() {
        let line = Array(repeating: "<a>; rel=duplicate", count: 1000).joined(separator: ",")
        #expect(LinkField.parse([line, line]).count == LinkField.countLimit)
    }
}

@Suite struct MirrorLinksTests {
    static let origin = "https://www.example.com/pub/example.ext?x=1"

    private static func links(_ values: String...) throws -> MirrorLinks {
        MirrorLinks(fieldValues: values, from: try HTTPURL(parsing: origin))
    }

    @Test func `the example of RFC 6249 is parsed`() throws {
        let links = try Self.links(
            "<http://www2.example.com/example.ext>; rel=duplicate; pri=1; pref",
            "<ftp://ftp.example.com/example.ext>; rel=duplicate; pri=2",
            "<http://example.com/example.ext.torrent>; rel=describedby; type=\"application/x-bittorrent\"",
            "<http://example.com/example.ext.meta4>; rel=describedby; type=\"application/metalink4+xml\"",
            "<http://example.com/example.ext.asc>; rel=describedby; type=\"application/pgp-signature\"")
        #expect(links.mirrors.map(\.url.serialized) == ["http://www2.example.com/example.ext"])
        #expect(links.mirrors.map(\.priority) == [1])
        #expect(links.mirrors.map(\.isPreferred) == [true])
        #expect(links.metalinks.map(\.serialized) == ["http://example.com/example.ext.meta4"])
    }

    @Test func `mirrors are sorted by priority, and by the server's order where it is equal`() throws {
        let links = try Self.links(
            "<//c.example/x>; rel=duplicate, <//b.example/x>; rel=duplicate; pri=20; geo=DE; depth=3, <//d.example/x>; rel=duplicate",
            "<//a.example/x>; rel=\"duplicate\"; pri=\"3\"; geo=gb")
        #expect(links.mirrors.map(\.url.host) == ["a.example", "b.example", "c.example", "d.example"])
        #expect(links.mirrors.map(\.priority) == [3, 20, 999_999, 999_999])
        #expect(links.mirrors.map(\.location) == ["gb", "de", nil, nil])
        #expect(links.mirrors.map(\.depth) == [0, 3, 0, 0])
        #expect(links.mirrors.allSatisfy { !$0.isPreferred && $0.url.scheme == .https })
    }

    @Test(arguments: [
        "<ftp://a.example/x>; rel=duplicate", "<http://a.example/x>; rel=alternate", "<http://a.example/x>",
        "<http://a.example/x>; rel=duplicate; anchor=\"/other\"", "<\(origin)>; rel=duplicate", "<?x=1>; rel=duplicate",
        "<http://[/x>; rel=duplicate", "<http://a.example/x>; rel=describedby", "<mailto:a@b>; rel=duplicate",
        "<http://a.example/x>; rel=describedby; type=text/html",
    ])
    func `a link that names no mirror or document of this file is ignored`(_ line: String) throws {
        #expect(try Self.links(line) == Self.links())
    }

    @Test(arguments: ["0", "1000000", "-1", "1.5", "x", "", "99999999999999999999999"])
    func `a mirror priority out of range is ignored`(_ priority: String) throws {
        #expect(
            try Self.links("<http://a.example/x>; rel=duplicate; pri=\"\(priority)\"; geo=europe; depth=-1").mirrors
                .first?.priority == 999_999)
    }

    @Test func `no mirror is listed twice, and none keeps credentials from the link`() throws {
        let links = try Self.links(
            "<http://u:p@a.example/x>; rel=duplicate, <http://a.example/x>; rel=duplicate; pri=1",
            "<http://u@b.example/x.meta4>; rel=describedby; type=\"Application/Metalink4+XML;charset=utf-8\"")
        #expect(links.mirrors.map(\.url.serialized) == ["http://a.example/x"])
        #expect((links.mirrors.map(\.url) + links.metalinks).allSatisfy { $0.userinfo == nil })
        #expect(links.metalinks.count == 1)
    }

    @Test func `a link to the request's own URL without its credentials is not a mirror`() throws {
        let own = try HTTPURL(parsing: "http://u:p@a.example/x")
        #expect(MirrorLinks(fieldValues: ["<http://a.example/x>; rel=duplicate"], from: own).mirrors.isEmpty)
    }
}
