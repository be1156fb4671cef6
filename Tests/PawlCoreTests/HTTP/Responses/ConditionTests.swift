import PawlCore
import Testing

@Suite struct ConditionTests {
    @Test(
        arguments: [
            (nil, "Wed, 01 Jan 2020 00:00:00 GMT", true), (nil, "Tue, 31 Dec 2019 23:59:59 GMT", true),
            (nil, "Wed, 01 Jan 2020 00:00:01 GMT", false),
            (nil, nil, false), (nil, "soon", false), ("\"v1\"", "Wed, 01 Jan 2025 00:00:00 GMT", true),
            ("W/\"v1\"", nil, true),
            ("\"v2\"", "Tue, 01 Jan 2019 00:00:00 GMT", false),
        ] as [(String?, String?, Bool)])
    func `an answer is current if its tag matches, or without a tag if its date is no later`(
        _ tag: String?, _ modified: String?, _ isCurrent: Bool
    ) {
        let version = TargetVersion(modified: 1_577_836_800, entityTag: EntityTag(parsing: "\"v1\""))
        let found = Representation(total: 5, entityTag: tag.flatMap(EntityTag.init(parsing:)), lastModified: modified)
        #expect(version.isCurrent(with: found) == isCurrent)
    }

    @Test func `the first request of a conditional get asks for anything newer`() {
        #expect(
            TargetVersion(modified: 1_577_836_800, entityTag: EntityTag(parsing: "\"v1\"")).fields == [
                HTTPField("If-Modified-Since", "Wed, 01 Jan 2020 00:00:00 GMT"), HTTPField("If-None-Match", "\"v1\""),
            ])
        #expect(TargetVersion(modified: -5).fields == [HTTPField("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")])
    }

    @Test(
        arguments: [
            ("Wed, 01 Jan 2020 00:00:00 GMT", 1_577_836_800, false), ("Thu, 01 Jan 1970 00:00:00 GMT", nil, true),
            ("yesterday", nil, true),
            ("Fri, 01 Jan 2100 00:00:00 GMT", nil, true), (nil, nil, false),
        ] as [(String?, Int64?, Bool)])
    func `an impossible modification time is not kept`(
        _ modified: String?, _ seconds: Int64?, _ isImpossible: Bool
    ) throws {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "https://u:p@a.example/f?x=1"))
        settings.keepsRemoteTime = true
        let facts = FileFacts(
            settings, Representation(total: 1, lastModified: modified), matched: [], wallClock: 1_800_000_000)
        #expect(facts.modified == seconds && facts.hasImpossibleTime == isImpossible && facts.attributes.isEmpty)
    }

    @Test func `file attributes name the origin and the matched digest, and no secret`() throws {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "https://u:p@a.example/f?x=1&signature=sesame"))
        settings.recordsOrigin = true
        settings.referer = try HTTPURL(parsing: "https://u:sesame@b.example/page")
        let digest = try Digest(parsing: "md5:d41d8cd98f00b204e9800998ecf8427e")
        let facts = FileFacts(
            settings, Representation(total: 1, entityTag: EntityTag(parsing: "\"v\"")), matched: [digest], wallClock: 0)
        #expect(
            facts.attributes.map { "\($0.name)=\($0.value)" } == [
                "user.xdg.origin.url=https://a.example/f?x=1", "user.xdg.referrer.url=https://b.example/page",
                "user.xdg.checksum.md5=d41d8cd98f00b204e9800998ecf8427e", "user.pawl.etag=\"v\"",
            ])
        #expect(facts.modified == nil && !facts.hasImpossibleTime)
    }
}
