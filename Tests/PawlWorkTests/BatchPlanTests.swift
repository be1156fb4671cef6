import PawlCore
import Testing

@testable import PawlWork

@Suite struct BatchPlanTests {
    private static let batch = "0123456789abcdef0123456789abcdef"

    private func plan(_ members: String) throws -> BatchPlan { try BatchPlan(parsing: Array("{\(members)}".utf8)) }

    private func problem(_ members: String) -> String? {
        do throws(WorkError) {
            _ = try BatchPlan(parsing: Array("{\(members)}".utf8))
            return nil
        } catch {
            return error.kind == .batch ? error.message : nil
        }
    }

    @Test
    func `a plan of the documentation is read`() throws {
        let plan = try plan(
            """
            "version":1,"batch":"\(Self.batch)","shards":200,"items":997412008,"sliceItems":10000,"as":"tar",
            "hostRate":0.5,"hostConnections":4,"maximumFailed":0.25,"connectTimeout":7,"created":"2026-11-27T09:12:44Z",
            "options":{"retries":5,"maxFilesize":1000}
            """)
        #expect((plan.batch, plan.shards, plan.items, plan.sliceItems) == (Self.batch, 200, 997_412_008, 10_000))
        #expect(plan.hostRate == RequestRate(1, per: .seconds(2)))
        #expect((plan.hostConnections, plan.maximumFailed, plan.connectTimeout) == (4, 0.25, .seconds(7)))
        #expect((plan.options.maximumRetries, plan.options.maximumFileSize) == (5, 1000))
        // What the plan does not say is as in every batch.
        #expect(plan.options.responseTimeout == BatchPlan.usualOptions.responseTimeout)
    }

    @Test
    func `what a plan does not say is the same in every version`() throws {
        let plan = try plan("\"batch\":\"\(Self.batch)\",\"shards\":1")
        #expect(plan == BatchPlan(batch: Self.batch, shards: 1))
        #expect((plan.sliceItems, plan.hostConnections, plan.maximumFailed) == (10_000, 4, 0.5))
    }

    @Test
    func `a plan that is written is read as it was`() throws {
        var plan = BatchPlan(batch: Self.batch, shards: 7)
        (plan.items, plan.sliceItems, plan.hostConnections, plan.maximumFailed) = (12, 3, 1, 0.125)
        plan.hostRate = RequestRate(40, per: .seconds(1))
        plan.options.maximumRetries = 0
        plan.options.allowsWebPage = true
        plan.context.headers = [HTTPField("Accept", "image/*"), HTTPField("From", "ann@example.org")]
        plan.context.userAgent = ""
        // As in every job, which is not said there.
        (plan.options.stallTimeout, plan.options.responseTimeout) = (.seconds(30), .seconds(60))
        #expect(try BatchPlan(parsing: Array(plan.json(created: "2026-11-27T09:12:44Z").utf8)) == plan)
    }

    @Test(arguments: [
        ("\"version\":2", "version 2"), ("\"batch\":\"xyz\",\"shards\":1", "32 hexadecimal digits"),
        ("\"batch\":\"\(batch)\"", "“shards” is missing"), ("\"batch\":\"\(batch)\",\"shards\":0", "shards"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"as\":\"zip\"", "“as” is “zip”"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"hostRate\":0", "hostRate"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"maximumFailed\":1.5", "from 0 to 1"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"sliceitems\":3", "“sliceitems” is not a field"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"options\":{\"retires\":3}", "retires"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"headers\":[[\"Cookie\",\"a=b\"]]", "“Cookie” may prove who asks"),
        (
            "\"batch\":\"\(batch)\",\"shards\":1,\"headers\":[[\"Range\",\"bytes=0-9\"]]",
            "sets the Range header itself"
        ),
        (
            "\"batch\":\"\(batch)\",\"shards\":1,\"headers\":[[\"Accept\",\"a\\r\\nX: y\"]]",
            "control characters"
        ),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"userAgent\":\"a\\nb\"", "control characters"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"headers\":{\"a\":\"b\"}", "headers"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"referer\":\"http://h/\"", "“referer” is not a field"),
        ("\"batch\":\"\(batch)\",\"shards\":1,\"userAgent\":\"wren/1\"", nil),
        ("\"batch\":\"\(batch)\",\"shards\":1", nil),
    ])
    func `a plan that cannot be used says why`(_ members: String, _ word: String?) throws {
        let message = problem(members)
        guard let word else { return #expect(message == nil) }
        #expect(try #require(message).contains(word))
    }

    @Test
    func `what is no JSON is no plan`() {
        #expect(throws: WorkError.self) { try BatchPlan(parsing: Array("{\"version\":1".utf8)) }
        #expect(throws: WorkError.self) { try BatchPlan(parsing: []) }
    }
}
