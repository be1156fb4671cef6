import PawlCore
import PawlEngine
import PawlStore
import Testing

@Suite struct S3RequestTests {
    @Test(arguments: [
        ("s3://birds", "birds", "", "a/b"), ("s3://birds/", "birds", "", "a/b"),
        ("s3://birds/x", "birds", "x", "x/a/b"),
        ("s3://my.birds/x/y//", "my.birds", "x/y", "x/y/a/b"),
    ])
    func `places name a bucket and what is in front of names`(
        _ text: String, _ bucket: String, _ prefix: String, _ name: String
    ) throws {
        let place = try S3Place(parsing: text)
        let key = try #require(StoreKey("a/b"))
        #expect(place.bucket == bucket)
        #expect(place.prefix?.text ?? "" == prefix)
        #expect(place.name(of: key) == name)
        #expect(place.key(of: name) == key)
    }

    @Test(arguments: [
        "s3:/birds", "s3://b", "s3://", "s3://bir ds/x", "s3://birds//x", "s3://birds/.x", "s3://birds/a/../b",
    ])
    func `what is no place is refused`(_ text: String) {
        #expect(throws: StoreError.self) { try S3Place(parsing: text) }
    }

    @Test
    func `names of other prefixes have no key`() throws {
        let place = try S3Place(parsing: "s3://birds/x")
        for name in ["x", "xa", "y/a", "x/", "x/.a"] { #expect(place.key(of: name) == nil) }
    }

    @Test(
        arguments: [
            (nil, nil, "birds", "us-east-1", "https://birds.s3.us-east-1.amazonaws.com/a%20b/%C3%A9"),
            (nil, nil, "my.birds", "eu-west-1", "https://s3.eu-west-1.amazonaws.com/my.birds/a%20b/%C3%A9"),
            (nil, nil, "birds", "cn-north-1", "https://birds.s3.cn-north-1.amazonaws.com.cn/a%20b/%C3%A9"),
            ("http://127.0.0.1:9000", nil, "birds", "r", "http://127.0.0.1:9000/birds/a%20b/%C3%A9"),
            ("http://[::1]:9000/", nil, "birds", "r", "http://[::1]:9000/birds/a%20b/%C3%A9"),
            ("https://minio.example/s3/", nil, "birds", "r", "https://minio.example/s3/birds/a%20b/%C3%A9"),
            ("https://oss.example", .virtual, "birds", "r", "https://birds.oss.example/a%20b/%C3%A9"),
            (
                "https://s3.us-east-1.amazonaws.com", nil, "birds", "r",
                "https://birds.s3.us-east-1.amazonaws.com/a%20b/%C3%A9"
            ),
            (nil, .path, "birds", "us-east-1", "https://s3.us-east-1.amazonaws.com/birds/a%20b/%C3%A9"),
        ] as [(String?, S3Endpoint.Addressing?, String, String, String)])
    func `a bucket is named in the host or in the path`(
        _ url: String?, _ addressing: S3Endpoint.Addressing?, _ bucket: String, _ region: String, _ expected: String
    ) throws {
        let endpoint = S3Endpoint(url: try url.map { try HTTPURL(parsing: $0) }, addressing: addressing)
        #expect(try endpoint.url(of: "a b/é", in: bucket, region: region).serialized == expected)
    }

    @Test
    func `queries are in the order of their names`() throws {
        let endpoint = S3Endpoint(url: try HTTPURL(parsing: "http://h.example"))
        let query = [("uploadId", "a+b/c="), ("partNumber", "1"), ("prefix", "x y")]
        let url = try endpoint.url(of: "", in: "birds", region: "r", query: query)
        #expect(url.requestTarget == "/birds/?partNumber=1&prefix=x%20y&uploadId=a%2Bb%2Fc%3D")
    }

    @Test(
        arguments: [
            (1, 1, 1), (64 << 20, 4, 16 << 20), ((64 << 20) + 1, 5, 1), (160_000 << 20, 10_000, 16 << 20),
            ((160_000 << 20) + 1, 10_000, (16 << 20) - 9999 + 1), (5 << 40, 9_999 + 1, 0),
        ] as [(Int64, Int, Int64)])
    func `parts cover an object, and are not too many`(_ length: Int64, _ count: Int, _ last: Int64) {
        let ranges = S3Parts.ranges(of: length)
        #expect(ranges.count == count)
        #expect(ranges.first?.start == 0 && ranges.last?.end == length)
        #expect(zip(ranges, ranges.dropFirst()).allSatisfy { $0.end == $1.start })
        #expect(ranges.dropLast().allSatisfy { $0.count >= S3Parts.smallest })
        if last > 0 { #expect(ranges.last?.count == last) }
    }

    @Test
    func `a list is read, with names as they are`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>birds</Name><Prefix>a/</Prefix>
              <Contents><Key>a/1 &amp; &#34;é</Key><ETag>&quot;x&quot;</ETag><Size>12</Size><Owner><ID>z</ID></Owner></Contents>
              <Contents><Size>7</Size><Key>a/2</Key></Contents>
              <IsTruncated>true</IsTruncated><NextContinuationToken>a+b=</NextContinuationToken>
            </ListBucketResult>
            """
        let document = try #require(S3Document(parsing: Array(text.utf8)))
        #expect(document.listed.map(\.name) == ["a/1 & \"é", "a/2"])
        #expect(document.listed.map(\.length) == [12, 7])
        #expect(document.nextMark == "a+b=")
    }

    @Test(arguments: ["", "<a>", "<!DOCTYPE a [<!ENTITY b SYSTEM \"/etc/passwd\">]><a>&b;</a>", "{}", "<a/><b/>"])
    func `what is no document is refused`(_ text: String) {
        #expect(S3Document(parsing: Array(text.utf8)) == nil)
    }

    private func correction(_ status: Int, _ code: String, _ fields: [HTTPField]) -> S3Correction? {
        let body = Array("<Error><Code>\(code)</Code></Error>".utf8)
        return S3Correction(
            S3Response(ResponseHead(status: status, fields: fields), StoreBody(body)), region: "us-east-1", now: 1_000)
    }

    @Test
    func `a refusal may say what to correct`() throws {
        let region = HTTPField("x-amz-bucket-region", "eu-west-1")
        #expect(correction(301, "PermanentRedirect", [region]) == .region("eu-west-1"))
        #expect(correction(200, "", [region]) == nil)
        #expect(correction(301, "", [HTTPField("x-amz-bucket-region", "evil.example/")]) == nil)
        let date = HTTPField("Date", "Thu, 01 Jan 1970 01:00:00 GMT")
        #expect(correction(403, "RequestTimeTooSkewed", [date]) == .clock(2600))
        #expect(correction(400, "ExpiredToken", []) == .credentials)
        let there = "https://birds.s3-us-west-2.amazonaws.com/a"
        #expect(correction(307, "", [HTTPField("Location", there)]) == .server(try HTTPURL(parsing: there)))
        #expect(correction(307, "", [HTTPField("Location", "https://evil.example/")]) == nil)
        #expect(correction(403, "AccessDenied", []) == nil)
    }
}
