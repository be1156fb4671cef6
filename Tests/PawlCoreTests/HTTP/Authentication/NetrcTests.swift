import PawlCore
import Testing

@Suite struct NetrcTests {
    private static func found(
        _ text: String, _ host: String = "a.example", login: String? = nil, default allowsDefault: Bool = true
    ) throws -> Credentials? {
        try Netrc(parsing: text).credentials(for: host, login: login, allowsDefault: allowsDefault)
    }

    @Test(arguments: [
        "machine a.example login me password secret", "machine a.example\n\tlogin me\n\tpassword secret\n",
        "machine A.Example password secret login me",
        "machine b.example login x password y\nmachine a.example login me account z password secret",
        "# a comment\nmachine a.example # another one, with login in it\nlogin me password secret",
        "macdef init\nmachine a.example login wrong password wrong\nbye\n\nmachine a.example login me password secret",
        "machine a.example login \"me\" password \"secret\"", "\u{FEFF}machine a.example. login me password secret\r\n",
        "default login me password secret", "machine b.example login x password y default login me password secret",
        "MACHINE a.example LOGIN me PASSWORD secret",
        "machine b.example protocol https login x password y\nmachine a.example port 80 login me password secret",
    ])
    func `a netrc entry is found in every way of writing it`(_ text: String) throws {
        #expect(try Self.found(text) == Credentials(name: "me", password: "secret"))
    }

    @Test(arguments: [
        (#"machine a.example login me password "two words""#, "two words"),
        (#"machine a.example login me password "a\"b\\c""#, #"a"b\c"#),
        (#"machine a.example login me password a"b\c"#, #"a"b\c"#),
        (##"machine a.example login me password "#hash""##, "#hash"),
        ("machine a.example login me password #hash", "#hash"),
        ("machine a.example login me password machine", "machine"),
        (#"machine a.example login me password """#, ""), ("machine a.example login me", ""),
    ])
    func `a netrc password is read as written, quoted or not`(_ text: String, _ password: String) throws {
        #expect(try Self.found(text) == Credentials(name: "me", password: password))
    }

    @Test func `with a user name in the URL, that user's entry is chosen`() throws {
        let text =
            "machine a.example login one password 1 machine a.example login two password 2 machine b.example login one password 3"
        #expect(try Self.found(text, login: "two") == Credentials(name: "two", password: "2"))
        #expect(try Self.found(text) == Credentials(name: "one", password: "1"))
        #expect(try Self.found(text, login: "three") == nil)
        #expect(try Self.found(text, "b.example", login: "two") == nil)
    }

    @Test func `an entry for another host, and a disallowed default, are not used`() throws {
        #expect(try Self.found("machine a.example login me password p", "sub.a.example") == nil)
        #expect(try Self.found("default login me password p", default: false) == nil)
        #expect(
            try Self.found("machine a.example default login me password p") == nil,
            "an empty entry keeps the default away")
        #expect(try Self.found("") == nil)
    }

    @Test(arguments: [
        ("login me", 1), ("machine", 1), ("machine a.example login", 1), ("\n\n\"sesame never ends", 3),
    ])
    func `a netrc syntax error names its line and shows no content`(_ text: String, _ line: Int) throws {
        let error = #expect(throws: NetrcParseError.self) { try Netrc(parsing: text) }
        #expect(error?.line == line)
        #expect(error?.message.contains("sesame") == false)
    }

    @Test(arguments: [
        "machine", "machine b.example login", "machine b.example login x password \"never ends", "\"never ends",
        "machine \"never ends", "machine b.example account",
    ])
    func `N33 netrc entries before a place that cannot be read are used, and half an entry is not`(
        _ rest: String
    )
        throws
    {
        let netrc = try Netrc(parsing: "machine a.example login me password secret\n" + rest)
        #expect(
            netrc.credentials(for: "a.example", allowsDefault: true) == Credentials(name: "me", password: "secret"))
        #expect(netrc.credentials(for: "b.example", allowsDefault: true) == nil)
        #expect(netrc.fault?.line == 2 && netrc.fault?.message.contains("never ends\"") == false)
    }

    @Test func `N33 a netrc login before any machine is passed over`() throws {
        let netrc = try Netrc(parsing: "login x password y\nmachine a.example login me password secret")
        #expect(
            netrc.credentials(for: "a.example", allowsDefault: true) == Credentials(name: "me", password: "secret"))
        #expect(netrc.fault?.line == 1)
        #expect(try Netrc(parsing: "machine a.example login me").fault == nil)
    }

    @Test func `a netrc name with a line break is never sent`() throws {
        var settings = DownloadSettings(url: try HTTPURL(parsing: "http://a.example/"))
        settings.netrc = try Netrc(parsing: #"machine a.example login "me\nX-Evil: 1" password p"#)
        #expect(settings.secret(for: settings.url) == nil)
    }
}
