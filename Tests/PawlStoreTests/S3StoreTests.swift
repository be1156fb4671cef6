import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlSystem
import PawlTestKit
import Synchronization
import Testing

@Suite struct S3StoreTests {
    /// Asks a bucket through the transport of downloads.
    private final class World: Sendable {
        let runtime: LiveRuntime
        let transport: HTTPTransport
        let directory: TemporaryDirectory
        let asked = Locked(0)

        init() throws {
            runtime = try LiveRuntime()
            transport = try HTTPTransport(configuration: TransportConfiguration(), group: runtime.eventLoopGroup)
            directory = try TemporaryDirectory()
        }

        func store(
            at url: String, prefix: String = "batch", region: String = "us-east-1",
            credentials: [AWSCredentials] = [ScriptedS3.credentials]
        ) throws -> S3Store {
            let place = try S3Place(parsing: "s3://\(ScriptedS3.bucket)/\(prefix)")
            let endpoint = S3Endpoint(url: try HTTPURL(parsing: url))
            let ports = StoreExchange.Ports(transport: transport, runtime: runtime) {
                [directory, runtime] () throws(StorageError) in
                let directory = try POSIXStorage().openDirectory(directory.path)
                let (file, name) = try directory.createTemporary(for: "object", runtime.random())
                try directory.remove(name, ifStill: file.status().identity)
                return file
            }
            let provider = CredentialProvider(runtime) { [self] ended in
                let number = asked.withLock { asked in
                    defer { asked += 1 }
                    return asked
                }
                ended(.success(credentials[min(number, credentials.count - 1)]))
            }
            let client = S3Client(
                S3Client.Configuration(place, endpoint, region: region), provider, ports, SystemDigests())
            return S3Store(place, client, runtime: runtime, digests: SystemDigests())
        }

        func end() async throws {
            try await transport.shutdown()
            await runtime.shutdown()
        }
    }

    private static func withWorld(_ server: ScriptedS3, _ body: (World) async throws -> Void) async throws {
        defer { server.stop() }
        let world = try World()
        try await body(world)
        try await world.end()
    }

    private static func body(_ bytes: [UInt8]) -> StoreBody { StoreBody(bytes, digest: SHA256.hash(bytes)) }

    private static func key(_ text: String) throws -> StoreKey { try #require(StoreKey(text)) }

    @Test(arguments: StoreConformance.Check.allCases)
    func `a bucket is a store`(_ check: StoreConformance.Check) async throws {
        let server = try ScriptedS3()
        try await Self.withWorld(server) { world in
            let stores = try (0..<3).map { _ in try world.store(at: server.url) }
            try StoreConformance(stores, digests: SystemDigests()) { isDone in
                while !isDone() { usleep(200) }
            }.run(check)
        }
    }

    /// A bucket of a real server, which scripts/fleet starts.
    @Test(
        .enabled(if: Environment.value("PAWL_S3_SERVER") != nil), arguments: StoreConformance.Check.allCases)
    func `a bucket of a real server is a store`(_ check: StoreConformance.Check) async throws {
        let world = try World()
        let server = try #require(Environment.value("PAWL_S3_SERVER"))
        let keys = AWSCredentials(
            accessKeyID: try #require(Environment.value("AWS_ACCESS_KEY_ID")),
            secretAccessKey: try #require(Environment.value("AWS_SECRET_ACCESS_KEY")))
        let stores = try (0..<3).map { _ in try world.store(at: server, prefix: "check-\(check)", credentials: [keys]) }
        try StoreConformance(stores, digests: SystemDigests()) { isDone in
            while !isDone() { usleep(200) }
        }.run(check)
        try await world.end()
    }

    @Test
    func `a large object is stored in parts`() async throws {
        let server = try ScriptedS3()
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let bytes = FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1000)
            try await store.put(Self.key("data/one"), Self.body(bytes))
            #expect(server.requests.filter { $0.query?.contains("partNumber") == true }.count == 5)
            #expect(try await store.get(Self.key("data/one"))?.bytes(atMost: bytes.count) == bytes)
        }
    }

    @Test
    func `an upload in parts that fails is aborted`() async throws {
        let server = try ScriptedS3 { request in
            request.query?.contains("partNumber=3") == true ? .refused(500, "InternalError") : nil
        }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let bytes = FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1)
            let error = await #expect(throws: StoreError.self) {
                try await store.put(Self.key("data/one"), Self.body(bytes))
            }
            #expect(error?.kind == .unavailable)
            #expect(server.requests.last?.method == "DELETE")
            #expect(try await store.get(Self.key("data/one")) == nil)
        }
    }

    @Test
    func `a large object with other bytes is not stored`() async throws {
        let server = try ScriptedS3()
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let bytes = FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1)
            let error = await #expect(throws: StoreError.self) {
                try await store.put(Self.key("data/one"), StoreBody(bytes, digest: SHA256.hash([1])))
            }
            #expect(error?.kind == .damaged)
            #expect(server.requests.isEmpty)
        }
    }

    @Test
    func `bytes that are not those of their digest are not sent whole`() async throws {
        let server = try ScriptedS3()
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let bytes = FileBehaviour.pattern(count: 3 << 20)
            let error = await #expect(throws: StoreError.self) {
                try await store.put(Self.key("data/one"), StoreBody(bytes, digest: SHA256.hash([1])))
            }
            #expect(error?.kind == .damaged)
            #expect(try await store.get(Self.key("data/one")) == nil)
        }
    }

    @Test
    func `the store of another region is asked there`() async throws {
        let server = try ScriptedS3(region: "eu-central-1")
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            #expect(try await store.create(Self.key("a"), Self.body([1])) == .created)
            #expect(server.requests.count == 2)
            #expect(try await store.create(Self.key("a"), Self.body([1])) == .exists)
            #expect(server.requests.count == 3)
        }
    }

    @Test
    func `a clock that is wrong is corrected by that of the store`() async throws {
        let date = "Tue, 03 Nov 2020 08:00:00 GMT"
        let server = try ScriptedS3 { request in
            request.fields.first("x-amz-date")?.begins(with: "20201103T08") == true
                ? nil : .refused(403, "RequestTimeTooSkewed", [HTTPField("Date", date)])
        }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            #expect(try await store.create(Self.key("a"), Self.body([1])) == .created)
            #expect(try await store.get(Self.key("a"))?.bytes(atMost: 10) == [1])
            #expect(server.requests.count == 3)
        }
    }

    @Test
    func `credentials that have ended are asked for again, once`() async throws {
        let server = try ScriptedS3 { request in
            request.fields.first("x-amz-security-token") == "old" ? .refused(400, "ExpiredToken") : nil
        }
        let old = AWSCredentials(accessKeyID: "key", secretAccessKey: "secret", sessionToken: "old")
        let new = AWSCredentials(accessKeyID: "key", secretAccessKey: "secret", sessionToken: "new")
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url, credentials: [old, new])
            #expect(try await store.create(Self.key("a"), Self.body([1])) == .created)
            let other = try world.store(at: server.url, credentials: [old])
            let error = await #expect(throws: StoreError.self) { try await other.get(Self.key("a")) }
            #expect(error?.kind == .refused)
        }
    }

    /// The answer, and whether it may be better next time.
    @Test(arguments: [
        (500, "InternalError", StoreError.Kind.unavailable), (503, "SlowDown", .unavailable),
        (409, "ConditionalRequestConflict", .unavailable), (400, "RequestTimeout", .unavailable),
        (429, "", .unavailable),
        (403, "AccessDenied", .refused), (404, "NoSuchBucket", .refused), (501, "NotImplemented", .refused),
        (400, "InvalidRequest", .refused), (403, "SignatureDoesNotMatch", .refused), (400, "BadDigest", .unavailable),
        (307, "TemporaryRedirect", .unavailable),
        (301, "", .refused),
    ])
    func `a refusal says whether another try may help`(
        _ status: Int, _ code: String, _ kind: StoreError.Kind
    ) async throws {
        let server = try ScriptedS3 { _ in .refused(status, code) }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            for size in [3, 2 << 20] {
                let error = await #expect(throws: StoreError.self) {
                    try await store.create(Self.key("a"), Self.body([UInt8](repeating: 1, count: size)))
                }
                #expect(error?.kind == kind)
                #expect(error?.message.contains("Signature=") == false)
            }
        }
    }

    @Test
    func `an answer that is lost leaves open what was done`() async throws {
        let isFirst = Locked(true)
        let server = try ScriptedS3 { request in
            guard request.method == "PUT", isFirst.withLock({ $0 }) else { return nil }
            isFirst.withLock { $0 = false }
            return .closed(isDone: true)
        }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let error = await #expect(throws: StoreError.self) {
                try await store.create(Self.key("a"), Self.body([1]))
            }
            #expect(error?.kind == .unavailable)
            #expect(try await store.create(Self.key("a"), Self.body([2])) == .exists)
            #expect(try await store.get(Self.key("a"))?.bytes(atMost: 10) == [1])
        }
    }

    @Test(arguments: [100, 9 << 20])
    func `an object that is damaged on its way is not taken for whole`(_ count: Int) async throws {
        let isDamaged = Locked(false)
        let server = try ScriptedS3 { request in
            request.method == "GET" && isDamaged.withLock { $0 } ? .damaged : nil
        }
        try await Self.withWorld(server) { world in
            let (store, bytes) = (try world.store(at: server.url), FileBehaviour.pattern(count: count))
            try await store.put(Self.key("a"), Self.body(bytes))
            isDamaged.withLock { $0 = true }
            let error = await #expect(throws: StoreError.self) { try await store.get(Self.key("a")) }
            #expect(error?.kind == .damaged)
            isDamaged.withLock { $0 = false }
            #expect(try await store.get(Self.key("a"))?.bytes(atMost: count) == bytes)
        }
    }

    @Test(arguments: [
        "<Error><Code>InternalError</Code><Message>No.</Message></Error>", "", "<html>",
        "<CompleteMultipartUploadResult>",
    ])
    func `an upload whose end is told as a success and is none may succeed later`(_ text: String) async throws {
        let server = try ScriptedS3 { request in
            request.method == "POST" && request.query?.contains("uploadId") == true ? .other(status: 200, text) : nil
        }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let bytes = FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1)
            let error = await #expect(throws: StoreError.self) {
                try await store.put(Self.key("data/one"), Self.body(bytes))
            }
            #expect(error?.kind == .unavailable)
        }
    }

    @Test
    func `blanks may come before the end of an upload is told`() async throws {
        let server = try ScriptedS3 { request in
            request.method == "POST" && request.query?.contains("uploadId") == true
                ? .other(status: 200, "  \n <?xml version=\"1.0\"?><CompleteMultipartUploadResult/>") : nil
        }
        try await Self.withWorld(server) { world in
            let bytes = FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1)
            try await world.store(at: server.url).put(Self.key("data/one"), Self.body(bytes))
        }
    }

    @Test
    func `a store that knows no digests of parts gets none`() async throws {
        let server = try ScriptedS3 { request in
            request.fields.first("x-amz-checksum-algorithm") == nil ? nil : .refused(501, "NotImplemented")
        }
        try await Self.withWorld(server) { world in
            let (store, bytes) = (
                try world.store(at: server.url), FileBehaviour.pattern(count: Int(S3Parts.largestWhole) + 1)
            )
            try await store.put(Self.key("data/one"), Self.body(bytes))
            #expect(try await store.get(Self.key("data/one"))?.bytes(atMost: bytes.count) == bytes)
            let parts = server.requests.filter { $0.query?.contains("partNumber") == true }
            #expect(parts.count == 5 && parts.allSatisfy { $0.fields.first("x-amz-checksum-sha256") == nil })
        }
    }

    @Test
    func `answers that no store gives are not taken for a missing object, or for the end of a list`() async throws {
        let server = try ScriptedS3 { request in
            request.query == nil
                ? .other(status: 404, "<html>Not found</html>")
                : .other(status: 200, "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>")
        }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let missing = await #expect(throws: StoreError.self) { try await store.get(Self.key("a")) }
            #expect(missing?.kind == .refused)
            let list = await #expect(throws: StoreError.self) { try await store.list("a") }
            #expect(list?.kind == .unavailable)
        }
    }

    @Test
    func `a success that no store tells is none`() async throws {
        let server = try ScriptedS3 { _ in .other(status: 200, "<html>Log in</html>") }
        try await Self.withWorld(server) { world in
            let store = try world.store(at: server.url)
            let (key, body) = (try Self.key("a"), Self.body([1]))
            let errors = [
                await #expect(throws: StoreError.self) { try await store.create(key, body) },
                await #expect(throws: StoreError.self) { try await store.put(key, body) },
                await #expect(throws: StoreError.self) { try await store.get(key) },
                await #expect(throws: StoreError.self) { try await store.list("a") },
            ]
            #expect(errors.allSatisfy { $0?.kind == .unavailable })
        }
    }
}
