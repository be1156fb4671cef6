import PawlCore
import PawlStore
import Testing

@Suite struct SignatureV4Tests {
    private static let credentials = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    private struct Example: Sendable {
        var method = "GET"
        var target: String
        var fields: [HTTPField] = []
        var content = ""
        var signature: String
    }

    /// The examples of the Amazon S3 API Reference, “Signature calculations for the Authorization header”.
    private static let examples = [
        Example(
            target: "/test.txt", fields: [HTTPField("Range", "bytes=0-9")],
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
        Example(
            method: "PUT", target: "/test%24file.text",
            fields: [
                HTTPField("Date", "Fri, 24 May 2013 00:00:00 GMT"),
                HTTPField("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], content: "Welcome to Amazon S3.",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
        Example(
            target: "/?lifecycle=", signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
        Example(
            target: "/?max-keys=2&prefix=J",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    ]

    @Test(arguments: 0..<4)
    func `signatures are those that AWS has published`(_ number: Int) throws {
        let example = Self.examples[number]
        let url = try HTTPURL(parsing: "https://examplebucket.s3.amazonaws.com" + example.target)
        let fields = SignatureV4(Self.credentials, region: "us-east-1").sign(
            example.method, url, example.fields, contentDigest: SHA256.hash(Array(example.content.utf8)),
            at: try #require(HTTPDate(rfc3339: "2013-05-24T00:00:00Z")))
        let authorization = try #require(fields.first("authorization"))
        #expect(authorization.hasSuffix("Signature=" + example.signature))
        #expect(
            authorization.hasPrefix(
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders="))
    }

    @Test
    func `a session token is sent and signed`() throws {
        let keys = AWSCredentials(accessKeyID: "a", secretAccessKey: "b", sessionToken: "c")
        let fields = SignatureV4(keys, region: "r").sign(
            "GET", try HTTPURL(parsing: "https://h.example/"), [], contentDigest: SHA256.hash([]),
            at: HTTPDate(secondsSinceEpoch: 0))
        #expect(fields.first("x-amz-security-token") == "c")
        #expect(fields.first("authorization")?.contains("x-amz-security-token") == true)
        #expect(fields.first("x-amz-date") == "19700101T000000Z")
    }

    @Test
    func `credentials are not shown`() {
        #expect(!"\(Self.credentials)".contains("wJal"))
    }
}
