import Testing

@testable import PawlCore

@Suite("What a run learns about hosts")
struct HostFindingsTests {
    @Test func `a host is full from the refusal of a permit until a permit is reserved for this download`() {
        var hosts = HostFindings()
        #expect(!hosts.isFull("a:80"))
        hosts.noteFull("a:80")
        #expect(hosts.isFull("a:80") && !hosts.isFull("a:443"))
        hosts.noteFree("a:80")
        #expect(!hosts.isFull("a:80"))
    }

    @Test func `an observation is published once per URL, however often it is made`() throws {
        let (one, other) = (try HTTPURL(parsing: "http://a.example/x"), try HTTPURL(parsing: "http://b.example/x"))
        var hosts = HostFindings()
        let published = [
            hosts.publish(.rangesHonoured, of: one), hosts.publish(.rangesHonoured, of: one),
            hosts.publish(.rangesWrong, of: one), hosts.publish(.rangesHonoured, of: other),
        ]
        #expect(
            published == [
                .learned(one, .rangesHonoured), nil, .learned(one, .rangesWrong), .learned(other, .rangesHonoured),
            ])
    }
}
