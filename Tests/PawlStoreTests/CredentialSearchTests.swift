import Pawl
import PawlCore
import PawlEngine
import PawlStore
import PawlTestKit
import Synchronization
import Testing

/// The sources of credentials, as small servers.
@Suite struct CredentialSearchTests {
    private static let answer = """
        {"Code":"Success","AccessKeyId":"id","SecretAccessKey":"secret","Token":"t","Expiration":"2030-01-01T00:00:00Z"}
        """
    private static let expected = AWSCredentials(
        accessKeyID: "id", secretAccessKey: "secret", sessionToken: "t",
        expiration: HTTPDate(rfc3339: "2030-01-01T00:00:00Z"))

    private func find(
        _ environment: [String: String], files: [String: String] = [:],
        run: @escaping @Sendable (String) -> CredentialSearch.Output = { _ in .success([]) }
    ) async throws -> Result<AWSCredentials, StoreError> {
        let runtime = try LiveRuntime()
        var configuration = TransportConfiguration()
        configuration.connectTimeout = .seconds(2)
        let transport = try HTTPTransport(configuration: configuration, group: runtime.eventLoopGroup)
        let ports = StoreExchange.Ports(transport: transport, runtime: runtime) { () throws(StorageError) in
            throw StorageError(operation: "create", name: "f", reason: .inputOutput)
        }
        let read: @Sendable (String) -> [UInt8]? = { path in files[path].map { Array($0.utf8) } }
        let search = CredentialSearch(
            { Result { () throws(StoreError) in try AWSSettings({ environment[$0] }, read: read) } },
            region: "us-east-1",
            CredentialSearch.Ports(network: ports, machine: ports, read: read) { command, ended in ended(run(command)) }
        )
        let result = await withCheckedContinuation { continuation in
            search.find { continuation.resume(returning: $0) }
        }
        try await transport.shutdown()
        await runtime.shutdown()
        return result
    }

    private static func send(_ text: String, status: Int = 200, _ connection: ServerConnection) throws {
        try connection.send("HTTP/1.1 \(status) So\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    @Test
    func `STS gives the credentials of a role for a token`() async throws {
        let form = Locked("")
        let server = try ScriptedServer { request, connection in
            let length = request.fields.first("content-length").flatMap { Int($0) } ?? 0
            let body = try connection.body(count: length)
            form.withLock { $0 = String(decoding: body, as: UTF8.self) }
            try Self.send(
                """
                <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
                <AssumeRoleWithWebIdentityResult><AssumedRoleUser><Arn>x</Arn></AssumedRoleUser>
                <Credentials><AccessKeyId>id</AccessKeyId><SecretAccessKey>secret</SecretAccessKey>
                <SessionToken>t</SessionToken><Expiration>2030-01-01T00:00:00Z</Expiration></Credentials>
                </AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
                """, connection)
        }
        defer { server.stop() }
        let environment = [
            "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "arn:aws:iam::1:role/a",
            "AWS_ENDPOINT_URL_STS": server.url(""),
        ]
        let found = try await find(environment, files: ["/token": "a+b.c\n"])
        #expect(found == .success(Self.expected))
        #expect(
            form.withLock { $0 }
                == "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fa&RoleSessionName=pawl&WebIdentityToken=a%2Bb.c"
        )
    }

    @Test
    func `STS may refuse, and a token may be missing`() async throws {
        let server = try ScriptedServer { request, connection in
            _ = try connection.body(count: request.fields.first("content-length").flatMap { Int($0) } ?? 0)
            try Self.send(
                "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>No.</Message></Error></ErrorResponse>",
                status: 400, connection)
        }
        defer { server.stop() }
        let environment = [
            "AWS_WEB_IDENTITY_TOKEN_FILE": "/token", "AWS_ROLE_ARN": "a", "AWS_ENDPOINT_URL_STS": server.url(""),
        ]
        for files in [["/token": "t"], [:]] {
            guard case .failure(let error) = try await find(environment, files: files) else {
                Issue.record("there are credentials")
                continue
            }
            #expect(error.kind == .refused)
        }
    }

    @Test
    func `a container's server is asked with its token`() async throws {
        let server = try ScriptedServer { request, connection in
            let isRight = request.fields.first("authorization") == "secret token"
            try Self.send(isRight ? Self.answer : "no", status: isRight ? 200 : 403, connection)
        }
        defer { server.stop() }
        let url = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": server.url("/keys?x=1")]
        let file = ["AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/token"].merging(url) { $1 }
        #expect(try await find(file, files: ["/token": "secret token\n"]) == .success(Self.expected))
        let text = ["AWS_CONTAINER_AUTHORIZATION_TOKEN": "secret token"].merging(url) { $1 }
        #expect(try await find(text) == .success(Self.expected))
        guard case .failure(let error) = try await find(url) else {
            Issue.record("there are credentials")
            return
        }
        #expect(error.kind == .refused && !error.message.contains("secret"))
        #expect(server.requests.last?.target == "/keys?x=1")
    }

    @Test
    func `the metadata service is asked for a token first, then for the role and its keys`() async throws {
        let server = try ScriptedServer { request, connection in
            let isRight = request.fields.first("x-aws-ec2-metadata-token") == "m"
            switch (request.method, request.target) {
            case ("PUT", "/latest/api/token"):
                let isAsked = request.fields.first("x-aws-ec2-metadata-token-ttl-seconds") == "21600"
                try Self.send(isAsked ? "m" : "", status: isAsked ? 200 : 400, connection)
            case ("GET", "/latest/meta-data/iam/security-credentials/") where isRight:
                try Self.send("my role\n", connection)
            case ("GET", "/latest/meta-data/iam/security-credentials/my%20role") where isRight:
                try Self.send(Self.answer, connection)
            default: try Self.send("", status: 401, connection)
            }
        }
        defer { server.stop() }
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": server.url("")]
        #expect(try await find(environment) == .success(Self.expected))
    }

    @Test
    func `without a metadata service, the user is told what to set`() async throws {
        let environment = ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:9/"]
        #expect(try await find(environment) == .failure(AWSSettings.none))
    }

    @Test
    func `a command prints the credentials`() async throws {
        let files = ["/config": "[default]\ncredential_process = keys --for me\n"]
        let printed =
            #"{"Version":1,"AccessKeyId":"id","SecretAccessKey":"secret","SessionToken":"t","Expiration":"2030-01-01T01:00:00+01:00"}"#
        let found = try await find(["AWS_CONFIG_FILE": "/config"], files: files) { command in
            command == "keys --for me" ? .success(Array(printed.utf8)) : .success([])
        }
        #expect(found == .success(Self.expected))
        for output in ["", "[]", "{}", #"{"AccessKeyId":"id"}"#] {
            let found = try await find(["AWS_CONFIG_FILE": "/config"], files: files) { _ in .success(Array(output.utf8))
            }
            #expect((try? found.get()) == nil)
        }
    }
}

@Suite struct CredentialProviderTests {
    private let runtime = SimulatedRuntime(seed: 3, now: .zero)

    private func keys(_ id: String, for seconds: Int64?) -> AWSCredentials {
        let end = seconds.map { HTTPDate(secondsSinceEpoch: runtime.secondsSinceEpoch + $0) }
        return AWSCredentials(accessKeyID: id, secretAccessKey: "s", expiration: end)
    }

    private func pass(_ time: Duration) {
        runtime.after(time) {}
        _ = runtime.run(limit: time + .seconds(1)) { false }
    }

    @Test
    func `others are asked for five minutes before the end, and those that hold serve while there are none`() {
        let asked = Box<Int>(0)
        let answers: [Result<AWSCredentials, StoreError>] = [
            .success(keys("a", for: 1000)), .failure(StoreError(.unavailable, "no")), .success(keys("b", for: nil)),
        ]
        let provider = CredentialProvider(runtime) { ended in
            ended(answers[asked.value])
            asked.value += 1
        }
        func id() -> String? {
            let found = Box<String?>(nil)
            provider.get { found.value = (try? $0.get())?.accessKeyID }
            return found.value
        }
        #expect(id() == "a" && id() == "a" && asked.value == 1)
        pass(.seconds(600))
        #expect(id() == "a" && asked.value == 1)
        pass(.seconds(200))
        #expect(id() == "a" && id() == "a" && asked.value == 2)
        pass(.seconds(60))
        #expect(id() == "b" && asked.value == 3)
        pass(.seconds(1_000_000))
        #expect(id() == "b" && asked.value == 3)
    }

    @Test
    func `those who ask at the same time wait for one answer`() {
        let waiting = Box<CredentialProvider.End?>(nil)
        let count = Box(0)
        let provider = CredentialProvider(runtime) { ended in
            #expect(waiting.value == nil)
            waiting.value = ended
        }
        for _ in 0..<3 { provider.get { _ in count.value += 1 } }
        #expect(count.value == 0)
        waiting.value?(.success(keys("a", for: nil)))
        #expect(count.value == 3)
    }

    private final class Box<Value: Sendable>: Sendable {
        private let held: Locked<Value>

        init(_ value: Value) { held = Locked(value) }

        var value: Value {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }
}
