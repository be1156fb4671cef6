import PawlCore
import Testing

@Suite struct ErrorExplanationTests {
    private func text(_ body: String, _ type: String? = nil, status: Int = 403) -> String? {
        ErrorExplanation.text(Array(body.utf8), contentType: type, status: status)
    }

    @Test(arguments: [
        (#"{"message":"Not authorised to see this"}"#, "Not authorised to see this"),
        (#" {"error":{"code":7,"message":"Quota exceeded"}}"#, "Quota exceeded"),
        (#"{"title":"Forbidden","detail":"Your plan ends at 5 GB"}"#, "Your plan ends at 5 GB"),
        (#"{"error":"invalid_token","error_description":"The token has expired"}"#, "The token has expired"),
        (#"{"errors":[{"message":"one"},{"message":"two"}]}"#, "one"),
        (
            "\u{FEFF}<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
            "Request has expired"
        ),
        ("<html><head><title>\n  Access  &lt;denied&gt;\n </title></head>", "Access <denied>"),
        ("<HTML><TITLE lang=en>Sign <b>in</b> first</TITLE>", "Sign in first"),
    ])
    func `JSON, XML and pages explain in their own way`(_ body: String, _ expected: String) {
        #expect(text(body) == expected)
    }

    @Test func `plain text explains only where it says that it is that`() {
        #expect(
            text("  You are blocked\r\nfor an hour\n", "Text/Plain; charset=utf-8") == "You are blocked for an hour")
        #expect(text("You are blocked", "application/octet-stream") == nil)
        #expect(text("You are blocked") == nil)
    }

    @Test(arguments: [
        "", "   ", "{", #"{"message":7}"#, #"{"message":""}"#, "<title></title>", "<title>unclosed",
        "<title>403 Forbidden</title>", "<title>Error 403</title>", "<titles>no</titles>", "<title", "<title/><title>",
    ])
    func `what says nothing is left out`(_ body: String) {
        #expect(text(body) == nil)
    }

    @Test func `a line is short and steers no terminal`() throws {
        let long = try #require(text(#"{"message":"\#(String(repeating: "word ", count: 200))"}"#))
        #expect(long.count <= 200 && long.hasSuffix("…"))
        #expect(text(#"{"message":"a\u001b[2Jb\u202ec\u0000"}"#) == "a [2Jb c")
    }

    @Test func `what is confidential is removed before the text is cut`() {
        let body = String(repeating: "word ", count: 39) + "confidential"
        let text = ErrorExplanation.text(Array(body.utf8), contentType: "text/plain", status: 403) {
            $0.replacing("confidential", with: "…")
        }
        #expect(text?.hasSuffix("word …") == true)
    }
}
