package import PawlCore
import PawlEngine
package import PawlStore
import Synchronization

/// A bucket of S3 in memory, on the loopback interface, with the faults that a test asks for. ``stop()`` must be
/// called.
package final class ScriptedS3: Sendable {
    /// A mishap of a request.
    package enum Fault: Sendable {
        /// Refused with a status, a code, and other fields.
        case refused(Int, String, [HTTPField] = [])
        /// Another server's answer.
        case other(status: Int, String)
        /// The connection is closed before it is done, or after it was.
        case closed(isDone: Bool)
        /// The bytes of an object are changed on their way to the reader.
        case damaged
    }

    package static let bucket = "birds"
    package static let credentials = AWSCredentials(accessKeyID: "key", secretAccessKey: "secret")

    fileprivate struct Upload {
        var name: String
        var parts: [Int: [UInt8]] = [:]
    }

    fileprivate struct State {
        var objects: [ExactText: [UInt8]] = [:]
        var uploads: [String: Upload] = [:]
        var number = 0
    }

    fileprivate struct Answer: Error {
        var status: Int
        var code = ""
        var fields: [HTTPField] = []
        var body: [UInt8] = []

        static func xml(_ text: String) -> Answer { Answer(status: 200, body: Array(text.utf8)) }
    }

    private let server: ScriptedServer

    /// - Parameters:
    ///   - region: that of the bucket.
    ///   - pageLength: objects in a page of a list.
    ///   - fault: what happens to a request; nil: nothing.
    package init(
        region: String = "us-east-1", pageLength: Int = 10,
        fault: @escaping @Sendable (RecordedRequest) -> Fault? = { _ in nil }
    ) throws {
        let state = Locked(State())
        server = try ScriptedServer { request, connection in
            let length = request.fields.first("content-length").flatMap { Int($0) } ?? 0
            let fault = fault(request)
            if request.fields.first("expect") != nil {
                if case .refused? = fault {} else { try connection.send("HTTP/1.1 100 Continue\r\n\r\n") }
            }
            if case .closed(isDone: false)? = fault { return connection.close() }
            if case .other(let status, let text)? = fault {
                _ = try connection.body(count: length)
                return try connection.send(
                    "HTTP/1.1 \(status) So\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
            }
            let isAsked = request.fields.first("expect") != nil
            if case .refused(let status, let code, let fields)? = fault {
                if !isAsked { _ = try connection.body(count: length) }
                try Self.send(Answer(status: status, code: code, fields: fields), request, connection)
                return isAsked ? connection.close() : ()
            }
            let body = try connection.body(count: length)
            var answer: Answer
            do {
                try Self.check(request, body, region)
                answer = try state.withLock { try $0.answer(request, body, pageLength) }
            } catch let error as Answer {
                answer = error
            }
            switch fault {
            case .closed?: return connection.close()
            case .damaged?: if !answer.body.isEmpty { answer.body[0] ^= 1 }
            case .refused?, .other?, nil: break
            }
            try Self.send(answer, request, connection)
        }
    }

    package var url: String { server.url("") }

    /// The variables by which the AWS tools find it.
    package var environment: [String: String] {
        [
            "AWS_ENDPOINT_URL_S3": url, "AWS_ACCESS_KEY_ID": Self.credentials.accessKeyID,
            "AWS_SECRET_ACCESS_KEY": Self.credentials.secretAccessKey,
        ]
    }

    package var requests: [RecordedRequest] { server.requests }

    package func stop() { server.stop() }

    private static func send(_ answer: Answer, _ request: RecordedRequest, _ connection: ServerConnection) throws {
        var body = answer.body
        if answer.status >= 300 {
            // As AWS repeats what was signed.
            let signed = request.fields.first("authorization") ?? ""
            body = Array(
                "<Error><Code>\(answer.code)</Code><Message>It&#39;s so.</Message><StringToSign>\(signed)</StringToSign></Error>"
                    .utf8)
        }
        let fields = answer.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let date = answer.fields.first("date") == nil ? "Date: Tue, 03 Nov 2020 08:00:00 GMT\r\n" : ""
        try connection.send("HTTP/1.1 \(answer.status) So\r\n\(date)\(fields)Content-Length: \(body.count)\r\n\r\n")
        try connection.send(body)
    }

    /// Compares signature, digest and checksum.
    private static func check(_ request: RecordedRequest, _ body: [UInt8], _ region: String) throws {
        guard let authorization = request.fields.first("authorization"), let time = request.fields.first("x-amz-date"),
            let names = authorization.split(separator: ", ").first(where: { $0.hasPrefix("SignedHeaders=") }),
            let host = request.fields.first("host")
        else { throw Answer(status: 403, code: "AccessDenied") }
        let asked = authorization.split(separator: "/").dropFirst(2).first.map(String.init) ?? ""
        guard asked == region else {
            throw Answer(
                status: 400, code: "AuthorizationHeaderMalformed", fields: [HTTPField("x-amz-bucket-region", region)])
        }
        let digest = SHA256.hash(body)
        let own: Set = ["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"]
        let signed = names.dropFirst("SignedHeaders=".count).split(separator: ";").map(String.init)
        let fields = signed.filter { !own.contains($0) }.map { HTTPField($0, request.fields.first($0) ?? "") }
        let url = try HTTPURL(parsing: "http://\(host)\(request.target)")
        let credentials = AWSCredentials(
            accessKeyID: credentials.accessKeyID, secretAccessKey: credentials.secretAccessKey,
            sessionToken: request.fields.first("x-amz-security-token"))
        // The time of a request in the basic format, as that of RFC 3339.
        var text = Array(time.utf8)
        for (index, byte) in [(4, "-"), (7, "-"), (13, ":"), (16, ":")] where text.count > index {
            text.insert(contentsOf: byte.utf8, at: index)
        }
        guard let date = HTTPDate(rfc3339: String(decoding: text, as: UTF8.self)) else {
            throw Answer(status: 403, code: "AccessDenied")
        }
        let expected = SignatureV4(credentials, region: region).sign(
            request.method, url, fields, contentDigest: digest, at: date)
        guard expected.first("authorization") == authorization else {
            throw Answer(status: 403, code: "SignatureDoesNotMatch")
        }
        if let checksum = request.fields.first("x-amz-checksum-sha256"), checksum != Base64.encode(digest) {
            throw Answer(status: 400, code: "BadDigest")
        }
    }
}

extension ScriptedS3.State {
    fileprivate mutating func answer(
        _ request: RecordedRequest, _ body: [UInt8], _ pageLength: Int
    ) throws -> ScriptedS3.Answer {
        let parts = request.path.dropFirst().split(separator: "/", maxSplits: 1).map {
            String(decoding: PercentCoding.decode($0.utf8), as: UTF8.self)
        }
        guard parts.first == ScriptedS3.bucket else { throw ScriptedS3.Answer(status: 404, code: "NoSuchBucket") }
        let name = parts.count > 1 ? parts[1] : ""
        var query: [String: String] = [:]
        for item in (request.query ?? "").split(separator: "&") {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                String(decoding: PercentCoding.decode($0.utf8), as: UTF8.self)
            }
            query[pair[0]] = pair.count > 1 ? pair[1] : ""
        }
        switch (request.method, query["uploadId"]) {
        case ("GET", _) where name.isEmpty: return list(query, pageLength)
        case ("GET", _):
            guard let bytes = objects[ExactText(name)] else { throw ScriptedS3.Answer(status: 404, code: "NoSuchKey") }
            let checksum = HTTPField("x-amz-checksum-sha256", Base64.encode(SHA256.hash(bytes)))
            return ScriptedS3.Answer(status: 200, fields: [checksum, HTTPField("ETag", "\"1\"")], body: bytes)
        case ("PUT", nil):
            if request.fields.first("if-none-match") == "*", objects[ExactText(name)] != nil {
                throw ScriptedS3.Answer(status: 412, code: "PreconditionFailed")
            }
            objects[ExactText(name)] = body
            return ScriptedS3.Answer(status: 200, fields: [HTTPField("ETag", "\"1\"")])
        case ("PUT", let id?):
            guard let number = query["partNumber"].flatMap({ Int($0) }), uploads[id] != nil else {
                throw ScriptedS3.Answer(status: 404, code: "NoSuchUpload")
            }
            uploads[id]?.parts[number] = body
            return ScriptedS3.Answer(status: 200, fields: [HTTPField("ETag", "\"part-\(number)\"")])
        case ("POST", nil):
            number += 1
            uploads["u\(number)"] = ScriptedS3.Upload(name: name)
            return .xml(
                "<InitiateMultipartUploadResult><UploadId>u\(number)</UploadId></InitiateMultipartUploadResult>")
        case ("POST", let id?): return try complete(id, body)
        case ("DELETE", let id?):
            uploads[id] = nil
            return ScriptedS3.Answer(status: 204)
        case ("DELETE", nil):
            objects[ExactText(name)] = nil
            return ScriptedS3.Answer(status: 204)
        default: throw ScriptedS3.Answer(status: 405, code: "MethodNotAllowed")
        }
    }

    private mutating func complete(_ id: String, _ body: [UInt8]) throws -> ScriptedS3.Answer {
        guard let upload = uploads[id] else { throw ScriptedS3.Answer(status: 404, code: "NoSuchUpload") }
        let numbers = upload.parts.keys.sorted()
        let tags = S3Document(parsing: body)?.elements.filter { $0.path == "Part/ETag" }.map(\.text)
        guard tags == numbers.map({ "\"part-\($0)\"" }), numbers == Array(1...max(1, numbers.count)) else {
            throw ScriptedS3.Answer(status: 400, code: "InvalidPart")
        }
        uploads[id] = nil
        objects[ExactText(upload.name)] = numbers.flatMap { upload.parts[$0] ?? [] }
        return .xml("<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>")
    }

    private func list(_ query: [String: String], _ pageLength: Int) -> ScriptedS3.Answer {
        let prefix = query["prefix"] ?? ""
        let start = query["continuation-token"].map { ExactText($0) }
        let names = objects.keys.filter { name in
            name.text.begins(with: prefix) && (start.map { $0 < name } ?? true)
        }
        .sorted()
        let page = names.prefix(pageLength)
        let contents = page.map {
            "<Contents><Key>\($0.text)</Key><Size>\(objects[$0]?.count ?? 0)</Size></Contents>"
        }
        let isCut = page.count < names.count
        let next = isCut ? "<NextContinuationToken>\(page.last?.text ?? "")</NextContinuationToken>" : ""
        return .xml(
            "<ListBucketResult><IsTruncated>\(isCut)</IsTruncated>\(contents.joined())\(next)</ListBucketResult>")
    }
}
