#if !canImport(Darwin)
import Pawl
import PawlCore
import Testing

@Suite("The ASCII form of hosts")
struct HostConversionTests {
    @Test(arguments: [
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("x。ü.example", "x.xn--tda.example"),
        // Non-transitional: these letters are kept.
        ("faß.de", "xn--fa-hia.de"), ("ς.example", "xn--3xa.example"), ("１２７.0.0.1", "127.0.0.1"),
        ("ü_.example.", "xn--_-dha.example."),
    ])
    func `a host is written as UTS 46 says`(host: String, ascii: String) throws {
        #expect(try HTTPURL.writingHostInASCII("https://\(host)/ü") == "https://\(ascii)/ü")
        let request = DownloadRequest("https://\(host)/ü")
        #expect(request.url == "https://\(ascii)/ü")
        #expect(throws: Never.self) { try request.check() }
    }

    @Test(arguments: [
        "☕.example", "evil／x.example", "a℀b.example", "ü＠b", "ü：80", "ü？b", "ü＃b", "-ü.example", "ü\u{202E}.example",
        "\u{200D}ü.example", "אa.example", "ü..example", "ü%41", "xn--bücher.example",
        String(repeating: "ü", count: 60), String(repeating: "ü.", count: 600),
    ])
    func `a host that is no name is refused with a reason`(host: String) {
        #expect(throws: HTTPURLError.self) { try HTTPURL.writingHostInASCII("https://\(host)/") }
        let request = DownloadRequest("https://\(host)/")
        let error = #expect(throws: DownloadError.self) { try request.check() }
        #expect(error?.code == .invalidURL && error?.message.contains("IDNA 2008") == true, "\(error?.message ?? "")")
    }

    @Test func `a mirror is written like the URL of a request`() {
        #expect(Mirror("https://bücher.example/").url == "https://xn--bcher-kva.example/")
    }
}
#endif
