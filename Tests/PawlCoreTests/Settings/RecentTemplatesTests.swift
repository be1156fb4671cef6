import Testing

@testable import PawlCore

@Suite("Templates that requests share")
struct RecentTemplatesTests {
    private static func request(
        _ path: String, limit: Int64? = nil, agent: String = "a"
    ) throws -> DownloadSettings.Request {
        var template = DownloadSettings.Template()
        template.options.maximumBytesPerSecond = limit
        template.userAgent = agent
        return DownloadSettings.Request(url: try HTTPURL(parsing: "http://a.example/" + path), Boxed(template))
    }

    @Test func `requests that ask for the same share a template, also in turns`() throws {
        var recent = RecentTemplates()
        let first = recent.shared(try Self.request("1"))
        let slow = recent.shared(try Self.request("2", limit: 5))
        for number in 3..<9 {
            let next = recent.shared(try Self.request("\(number)", limit: number % 2 == 0 ? 5 : nil))
            #expect(next.template.isShared(with: number % 2 == 0 ? slow.template : first.template))
            #expect(next.url.path == "/\(number)")
        }
    }

    @Test func `texts that are equal and have other bytes are two templates`() throws {
        var recent = RecentTemplates()
        let composed = recent.shared(try Self.request("1", agent: "\u{E9}"))
        let decomposed = recent.shared(try Self.request("2", agent: "e\u{301}"))
        #expect(composed.template == decomposed.template)
        #expect(!composed.template.isShared(with: decomposed.template))
    }

    @Test func `a change of a shared template changes one request`() throws {
        var recent = RecentTemplates()
        let first = recent.shared(try Self.request("1"))
        var second = recent.shared(try Self.request("2"))
        second.template.value.options.maximumBytesPerSecond = 7
        #expect(first.template.value.options.maximumBytesPerSecond == nil)
    }
}
