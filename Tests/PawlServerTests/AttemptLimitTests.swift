import Testing

@testable import PawlServer

@Suite struct `Wrong tokens` {
    @Test func `S24 ten a minute are free, for each address`() {
        let limit = AttemptLimit()
        for second in 0..<10 { #expect(limit.fail("192.0.2.1", at: Int64(1000 + second)) == nil) }
        #expect(limit.fail("192.0.2.1", at: 1010) == 50)
        #expect(limit.fail("192.0.2.2", at: 1010) == nil)
        #expect(limit.fail("192.0.2.1", at: 1059) == 1)
        #expect(limit.fail("192.0.2.1", at: 1060) == nil)
    }

    @Test func `S24 all addresses of an IPv6 network of 64 bits are one client`() {
        let limit = AttemptLimit()
        for host in 1...10 { #expect(limit.fail("2001:db8:0:7::\(host)", at: 1000) == nil) }
        #expect(limit.fail("2001:db8::7:ffff:ffff:ffff:ffff", at: 1000) != nil)
        #expect(limit.fail("2001:db8:0:8::1", at: 1000) == nil)
        // Its first eight bytes are no IPv4 address.
        #expect(limit.fail("32.1.13.184", at: 1000) == nil)
    }

    @Test func `S24 however many addresses there are, few are remembered, and whoever goes on is not forgotten`() {
        let limit = AttemptLimit()
        for _ in 0..<10 { _ = limit.fail("192.0.2.1", at: 1000) }
        for network in 0..<60_000 {
            let text = String(network, radix: 16)
            #expect(limit.fail("2001:db8:0:\(text)::1", at: 1000) == nil)
            if network.isMultiple(of: 1000) { #expect(limit.fail("192.0.2.1", at: 1000) != nil) }
            #expect(limit.count <= 10_000)
        }
        _ = limit.fail("192.0.2.2", at: 1060)
        _ = limit.fail("192.0.2.2", at: 1120)
        #expect(limit.count == 1)
    }

    @Test func `a clock that is set back locks nobody out`() {
        let limit = AttemptLimit()
        for _ in 0..<11 { _ = limit.fail("192.0.2.1", at: 1_000_000) }
        #expect(limit.fail("192.0.2.1", at: 1000) == nil)
    }
}
