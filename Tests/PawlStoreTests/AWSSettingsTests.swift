import PawlCore
import PawlStore
import Testing

@Suite struct AWSSettingsTests {
    private func settings(
        _ environment: [String: String], config: String = "", credentials: String = ""
    ) throws -> AWSSettings {
        let files = ["/home/.aws/config": config, "/home/.aws/credentials": credentials, "/other": config]
        let all = ["HOME": "/home"].merging(environment) { $1 }
        return try AWSSettings({ all[$0] }, read: { path in files[path].map { Array($0.utf8) } })
    }

    private static let keys = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret"]

    private static let config = """
        # A comment.
        [default]
        region = eu-west-1
        [profile  birds]
        region=eu-west-2
        endpoint_url = https://all.example
        services = local
        s3 =
            addressing_style = path
            max_concurrent_requests = 20
        output = json
        [services local]
        s3 =
          endpoint_url = https://s3.example
        [profile keyless]
        credential_process = /bin/keys "a b"
        [profile role]
        role_arn = arn:aws:iam::1:role/a
        source_profile = default
        [profile web]
        role_arn = arn:aws:iam::1:role/a
        web_identity_token_file = /token
        role_session_name = me
        """

    @Test
    func `the region and the server come from the environment, else from the profile`() throws {
        #expect(try settings([:]).region == nil)
        #expect(try settings([:], config: Self.config).region == "eu-west-1")
        let birds = try settings(["AWS_PROFILE": "birds"], config: Self.config)
        #expect(birds.region == "eu-west-2")
        #expect(try birds.addressing() == .path)
        #expect(try birds.endpoint("S3")?.serialized == "https://s3.example/")
        #expect(try birds.endpoint("STS")?.serialized == "https://all.example/")
        let both = ["AWS_PROFILE": "birds", "AWS_REGION": "r", "AWS_ENDPOINT_URL": "http://a.example"]
        #expect(try settings(both, config: Self.config).region == "r")
        #expect(try settings(both, config: Self.config).endpoint("S3")?.serialized == "http://a.example/")
        let own = both.merging(["AWS_ENDPOINT_URL_S3": "http://b.example"]) { $1 }
        #expect(try settings(own, config: Self.config).endpoint("S3")?.serialized == "http://b.example/")
        let ignored = own.merging(["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"]) { $1 }
        #expect(try settings(ignored, config: Self.config).endpoint("S3") == nil)
    }

    @Test(arguments: ["nothing", "ftp://a.example", "http://user@a.example", "http://a.example/?x=1"])
    func `what is no server is refused`(_ text: String) throws {
        let settings = try settings(["AWS_ENDPOINT_URL_S3": text])
        #expect(throws: StoreError.self) { try settings.endpoint("S3") }
    }

    @Test
    func `credentials come from the first source that is set`() throws {
        let id = AWSCredentials(accessKeyID: "id", secretAccessKey: "secret")
        let shared = "[default]\naws_access_key_id = shared\naws_secret_access_key = s=1\naws_session_token = t\n"
        #expect(try settings(Self.keys, credentials: shared).source() == .keys(id))
        let web = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "arn"]
        #expect(
            try settings(web, credentials: shared).source()
                == .webIdentity(tokenFile: "/t", role: "arn", session: "pawl"))
        let keys = AWSCredentials(accessKeyID: "shared", secretAccessKey: "s=1", sessionToken: "t")
        #expect(try settings([:], credentials: shared).source() == .keys(keys))
        #expect(
            try settings(["AWS_PROFILE": "web"], config: Self.config).source()
                == .webIdentity(tokenFile: "/token", role: "arn:aws:iam::1:role/a", session: "me"))
        #expect(
            try settings(["AWS_PROFILE": "keyless"], config: Self.config).source() == .process("/bin/keys \"a b\""))
        let path = ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"]
        #expect(
            try settings(path).source()
                == .container(try HTTPURL(parsing: "http://169.254.170.2/v2/x"), authorization: nil))
        let full = [
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:99/x",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "/t", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "u",
        ]
        #expect(
            try settings(full).source()
                == .container(try HTTPURL(parsing: "http://127.0.0.1:99/x"), authorization: .file("/t")))
        #expect(try settings([:]).source() == .instance(try HTTPURL(parsing: "http://169.254.169.254/")))
    }

    @Test(arguments: [
        ["AWS_ACCESS_KEY_ID": "id"], ["AWS_SECRET_ACCESS_KEY": "secret"], ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t"],
        ["AWS_PROFILE": "role"], ["AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://evil.example/"],
        ["AWS_EC2_METADATA_DISABLED": "true"],
    ])
    func `half a source is an error that names what is missing`(_ environment: [String: String]) throws {
        let settings = try settings(environment, config: Self.config)
        let error = #expect(throws: StoreError.self) { try settings.source() }
        #expect(error?.kind == .refused)
        #expect(error?.message.contains("secret") == false)
    }

    @Test
    func `a profile that is not there is an error`() {
        #expect(throws: StoreError.self) { try settings(["AWS_PROFILE": "none"], config: Self.config) }
    }

    @Test
    func `settings that name nothing are errors`() throws {
        let empty = "[profile empty]\n[profile lost]\nservices = none\n[profile odd]\ns3 =\n addressing_style = foo\n"
        #expect(try settings(["AWS_PROFILE": "empty"], config: empty).region == nil)
        #expect(throws: StoreError.self) { try settings(["AWS_PROFILE": "lost"], config: empty) }
        let odd = try settings(["AWS_PROFILE": "odd"], config: empty)
        #expect(throws: StoreError.self) { try odd.addressing() }
    }

    @Test
    func `files have other places`() throws {
        #expect(try settings(["AWS_CONFIG_FILE": "/other"], config: Self.config).region == "eu-west-1")
    }
}
