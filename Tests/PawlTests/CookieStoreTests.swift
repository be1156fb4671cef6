import Foundation
import Pawl
import PawlCore
import PawlEngine
import PawlSystem
import PawlTestKit
import Testing

/// Cookies, netrc files and secrets, from disk and back.
@Suite struct CookieStoreTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("cookies") }

    @Test func `cookies are saved with private permissions, replace the former file, and are read back`() throws {
        let path = directory.file("cookies.txt")
        try Files.write("old".utf8, to: path)
        let source = directory.file("source.txt")
        try Files.write(
            "a.example\tFALSE\t/\tTRUE\t4000000000\tn\tv\nno cookie\n#HttpOnly_a.example\tFALSE\t/\tFALSE\t0\ts\t\n"
                .utf8, to: source)
        let store = CookieStore(publicSuffixList: nil)
        #expect(try store.load(fromFile: source) == 1, "a line that could not be read")
        #expect(store.count == 2)
        try store.save(to: path)
        #expect(try Files.status(path).mode & 0o777 == 0o600)
        #expect(try Files.names(directory.path).sorted() == ["cookies.txt", "source.txt"])
        let again = CookieStore(publicSuffixList: nil)
        #expect(try again.load(fromFile: path) == 0)
        #expect(again.count == 2)
        again.removeAll()
        #expect(again.count == 0)
    }

    /// In a container, the program is always process 1, so a run finds the temporary file of an earlier one under its
    /// own process ID.
    @Test func `P05 the leftover of a killed run with the same process number does not prevent saving`() throws {
        let left = directory.file(".cookies.txt.\(ProcessInfo.processInfo.processIdentifier).new")
        try Files.write("half".utf8, to: left)
        let store = CookieStore(publicSuffixList: nil)
        try store.save(to: directory.file("cookies.txt"))
        #expect(try Files.text(directory.file("cookies.txt")).hasPrefix("# Netscape"))
        #expect(try Files.text(left) == "half")
        #expect(try Files.names(directory.path).count == 2)
    }

    @Test func `a file that is not a cookies.txt is an error, and a cookie for a public suffix is dropped`() throws {
        let path = directory.file("x")
        try Files.write("{\"cookies\": []}".utf8, to: path)
        let error = #expect(throws: DownloadError.self) { try CookieStore().load(fromFile: path) }
        #expect(error?.code == .invalidArgument && error?.message.contains("cookies.txt") == true)
        #expect(throws: DownloadError.self) { try CookieStore().load(fromFile: directory.file("none")) }
        try Files.write("com\n".utf8, to: directory.file("list"))
        try Files.write(".com\tTRUE\t/\tFALSE\t0\ta\tb\n.a.com\tTRUE\t/\tFALSE\t0\ta\tb\n".utf8, to: path)
        let store = CookieStore(publicSuffixList: directory.file("list"))
        try store.load(fromFile: path)
        #expect(store.count == 1)
        try Files.write("".utf8, to: path)
        #expect(try store.load(fromFile: path) == 0)
    }

    @Test func `H17 a line for a public suffix with a trailing dot is dropped, too`() throws {
        try Files.write("com\n".utf8, to: directory.file("list"))
        try Files.write(
            ".com.\tTRUE\t/\tFALSE\t0\ta\tb\n.a.com.\tTRUE\t/\tFALSE\t0\ta\tb\n".utf8, to: directory.file("x"))
        let store = CookieStore(publicSuffixList: directory.file("list"))
        try store.load(fromFile: directory.file("x"))
        #expect(store.count == 1)
    }

    @Test(arguments: [(0o600, false), (0o400, false), (0o640, true), (0o604, true)])
    func `a netrc file that others can read is noticed`(_ mode: Int, _ isReadable: Bool) throws {
        let path = directory.file("netrc")
        try Files.write("machine a login b password c".utf8, to: path)
        try POSIXStorage().openDirectory(directory.path).open("netrc", writable: true).setPermissions(UInt16(mode))
        #expect(try Netrc.read(path).isReadableByOthers == isReadable)
    }

    @Test func `a netrc error does not show the file's content`() throws {
        let path = directory.file("netrc")
        try Files.write("\n\"sesame".utf8, to: path)
        let error = #expect(throws: DownloadError.self) { try Netrc.read(path) }
        #expect(error?.message.contains("line 2") == true && error?.message.contains("sesame") == false)
        #expect(throws: DownloadError.self) { try Netrc.read(directory.path) }
    }

    @Test(arguments: ["", "; Domain=localhost"])
    func `H11 a cookie set by one download is sent by the next of the same downloader, and by no other`(
        _ domain: String
    ) async throws {
        let server = try ScriptedServer { request, connection in
            let isIn = request.fields.first("Cookie") == "pass=1"
            if request.path == "/b", !isIn {
                return try connection.send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
            }
            try connection.send("HTTP/1.1 200 OK\r\nSet-Cookie: pass=1; Path=/\(domain)\r\nContent-Length: 2\r\n\r\nhi")
        }
        defer { server.stop() }
        try Files.write("org\n".utf8, to: directory.file("list"))
        var configuration = Downloader.Configuration()
        configuration.cookies = CookieStore(publicSuffixList: directory.file("list"))
        let downloader = try Downloader(configuration: configuration)
        let base = "http://localhost:\(server.port)"
        _ = try await downloader.download("\(base)/a", to: directory.file("a"))
        _ = try await downloader.download("\(base)/b", to: directory.file("b"))
        await downloader.shutdown()
        #expect(configuration.cookies?.count == 1)
        let other = try Downloader()
        await #expect(throws: DownloadError.self) { _ = try await other.download("\(base)/b", to: directory.file("c")) }
        await other.shutdown()
    }

    @Test(
        arguments: [
            ("token\n", "token"), ("token", "token"), ("token\r\n\n", "token"), ("a\nb\n", nil), ("", nil), ("\n", nil),
        ] as [(String, String?)])
    func `a secret is the only line of its file`(_ text: String, _ secret: String?) throws {
        let path = directory.file("secret")
        try Files.write(text.utf8, to: path)
        #expect((try? Secrets.firstLine(ofFile: path)) == secret)
    }

    @Test func `a request names the file or the variable that its secret is in`() throws {
        let path = directory.file("password")
        let url = try HTTPURL(parsing: "http://a.example/")
        var request = DownloadRequest("http://a.example/", to: "x")
        request.authentication = .password(name: "ann", .file(path))
        let missing = #expect(throws: DownloadError.self) { try request.template(of: url, SecretReader()) }
        #expect(missing?.code == .invalidArgument && missing?.message.contains(path) == true)
        try Files.write("s3cret\n".utf8, to: path)
        let named = try request.template(of: url, SecretReader()).value
        #expect(named.credentials == Credentials(name: "ann", password: "s3cret"))
        request.authentication = .bearer(.environment("PATH"))
        let token = try request.template(of: url, SecretReader()).value.bearerToken?.text
        #expect(token != nil && token == Environment.value("PATH"))
        request.authentication = .bearer(.environment("PAWL_UNSET"))
        #expect(throws: DownloadError.self) { try request.template(of: url, SecretReader()) }
    }

    @Test func `printing a secret shows where it is, and never itself`() {
        let texts = [Secret.value("s3cret"), .file("/run/token"), .environment("TOKEN")].flatMap { secret in
            ["\(secret)", String(reflecting: secret), "\(Authentication.bearer(secret))"]
                + [String(reflecting: Authentication.password(name: "ann", secret))]
        }
        #expect(texts.allSatisfy { !$0.contains("s3cret") })
        #expect(texts[3].contains("ann") && texts[4].contains("/run/token") && texts[8].contains("TOKEN"))
    }
}
