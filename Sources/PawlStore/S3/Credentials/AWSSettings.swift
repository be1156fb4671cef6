package import PawlCore

/// The settings that the environment and the files of the AWS tools have, by their names there.
package struct AWSSettings: Sendable {
    package typealias Environment = @Sendable (String) -> String?

    private let environment: Environment
    /// The settings of the profile, of both files.
    private let profile: [ExactText: String]
    /// The settings of the services that the profile names.
    private let services: [ExactText: String]

    /// Reads the files.
    ///
    /// - Parameter read: returns the bytes of a file; nil for one that is not there.
    /// - Throws: if there is no profile of the name that is asked for.
    package init(_ environment: @escaping Environment, read: (_ path: String) -> [UInt8]?) throws(StoreError) {
        let environment: Environment = { name in environment(name).flatMap { $0.isEmpty ? nil : $0 } }
        func file(_ variable: String, _ name: String) -> AWSConfigFile {
            let path = environment(variable) ?? "~/.aws/\(name)"
            return AWSConfigFile(parsing: read(Self.expanded(path, environment)) ?? [])
        }
        let (config, shared) = (file("AWS_CONFIG_FILE", "config"), file("AWS_SHARED_CREDENTIALS_FILE", "credentials"))
        let named = environment("AWS_PROFILE") ?? environment("AWS_DEFAULT_PROFILE")
        let name = named ?? "default"
        let both = [
            config.sections[ExactText(name.isExactly("default") ? "default" : "profile \(name)")]
                ?? config.sections[ExactText("profile \(name)")],
            shared.sections[ExactText(name)],
        ].compactMap(\.self)
        if let named, both.isEmpty {
            throw StoreError(
                .refused, "There is no profile “\(named)” in the files of the AWS tools, which $AWS_PROFILE names.")
        }
        // The credentials file takes precedence. A token belongs to the keys beside it.
        let (key, token) = (ExactText("aws_access_key_id"), ExactText("aws_session_token"))
        profile = both.reduce(into: [:]) { profile, other in
            if other[key] != nil { profile[token] = nil }
            profile.merge(other) { $1 }
        }
        self.environment = environment
        if let name = profile[ExactText("services")], !name.isEmpty {
            guard let found = config.sections[ExactText("services \(name)")] else {
                throw StoreError(.refused, "There is no section “services \(name)”, which the profile names.")
            }
            services = found
        } else {
            services = [:]
        }
    }

    /// The path with the home directory in place of a tilde, which no shell has replaced in a file.
    private static func expanded(_ path: String, _ environment: Environment) -> String {
        guard path.begins(with: "~/"), let home = environment("HOME") else { return path }
        return home + String(decoding: path.utf8.dropFirst(), as: UTF8.self)
    }

    /// Returns a setting of the profile; nil for one that is missing or empty.
    private func setting(_ name: String) -> String? {
        profile[ExactText(name)].flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: The store

    package var region: String? { environment("AWS_REGION") ?? environment("AWS_DEFAULT_REGION") ?? setting("region") }

    /// The server that a service is at, if one is named.
    ///
    /// - Parameter service: `S3` or `STS`.
    /// - Throws: for what is no URL.
    package func endpoint(_ service: String) throws(StoreError) -> HTTPURL? {
        let variable = "AWS_ENDPOINT_URL_\(service)"
        let isIgnored = environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS")?.lowercased().isExactly("true") ?? false
        guard !isIgnored else { return nil }
        let places = [
            ("$" + variable, environment(variable)), ("$AWS_ENDPOINT_URL", environment("AWS_ENDPOINT_URL")),
            ("“endpoint_url” of the services", services[ExactText("\(service.lowercased()).endpoint_url")]),
            ("“endpoint_url” of the profile", setting("endpoint_url")),
        ]
        guard case (let name, let text?)? = places.first(where: { $0.1 != nil }) else { return nil }
        do throws(HTTPURLError) {
            let url = try HTTPURL(parsing: text)
            if url.query == nil, url.userinfo == nil { return url }
        } catch {
            throw StoreError(.refused, "\(name) is no URL of a server, as https://host: \(error.message)")
        }
        throw StoreError(.refused, "\(name) must be a URL without a query and a name of a user.")
    }

    /// - Throws: for a word that means no place.
    package func addressing() throws(StoreError) -> S3Endpoint.Addressing? {
        guard let text = setting("s3.addressing_style"), !text.isExactly("auto") else { return nil }
        guard let addressing = S3Endpoint.Addressing(rawValue: text) else {
            throw StoreError(.refused, "“addressing_style” of the profile must be auto, path or virtual.")
        }
        return addressing
    }

    // MARK: Credentials

    /// Where the credentials come from: the first that is set, in the order of the AWS tools.
    package enum Source: Hashable, Sendable {
        case keys(AWSCredentials)
        /// Credentials of a role, which STS gives for a token in a file.
        case webIdentity(tokenFile: String, role: String, session: String)
        /// A command of the shell prints them.
        case process(String)
        /// A server beside the container has them.
        ///
        /// - Parameter authorization: for the request.
        case container(HTTPURL, authorization: Secret?)
        /// The metadata service of EC2.
        case instance(HTTPURL)

        package enum Secret: Hashable, Sendable {
            case text(String)
            case file(String)
        }
    }

    /// - Throws: where there is none, or a setting of it is missing or of a kind that is not supported.
    package func source() throws(StoreError) -> Source {
        if let keys = try keys(environment, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN") {
            return .keys(keys)
        }
        let session = environment("AWS_ROLE_SESSION_NAME") ?? setting("role_session_name") ?? "pawl"
        if let file = environment("AWS_WEB_IDENTITY_TOKEN_FILE") {
            guard let role = environment("AWS_ROLE_ARN") else { throw Self.missing("$AWS_ROLE_ARN") }
            return .webIdentity(tokenFile: file, role: role, session: session)
        }
        if let file = setting("web_identity_token_file") {
            guard let role = setting("role_arn") else { throw Self.missing("“role_arn” of the profile") }
            return .webIdentity(tokenFile: Self.expanded(file, environment), role: role, session: session)
        }
        if let setting = ["role_arn", "sso_session", "sso_start_url"].first(where: { setting($0) != nil }) {
            throw StoreError(
                .refused,
                "“\(setting)” of the profile is not supported. Set the credentials that “aws configure export-credentials --format env” prints, or have a credential_process that prints them."
            )
        }
        if let keys = try keys(setting, "aws_access_key_id", "aws_secret_access_key", "aws_session_token") {
            return .keys(keys)
        }
        if let command = setting("credential_process") { return .process(command) }
        if let container = try container { return container }
        guard environment("AWS_EC2_METADATA_DISABLED")?.lowercased().isExactly("true") != true else { throw Self.none }
        let server = environment("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
        return .instance(try Self.url(server, "$AWS_EC2_METADATA_SERVICE_ENDPOINT"))
    }

    private func keys(
        _ value: (String) -> String?, _ id: String, _ secret: String, _ token: String
    ) throws(StoreError) -> AWSCredentials? {
        switch (value(id), value(secret)) {
        case (nil, nil): return nil
        case (let key?, let other?):
            for (name, text) in [(id, key), (secret, other), (token, value(token) ?? "")] {
                guard text.allBytes({ $0 > 0x20 && $0 != 0x7F }) else {
                    throw StoreError(.refused, "\(name) has a blank or a line break in it.")
                }
            }
            return AWSCredentials(accessKeyID: key, secretAccessKey: other, sessionToken: value(token))
        case (nil, _?): throw Self.missing(id)
        case (_?, nil): throw Self.missing(secret)
        }
    }

    private var container: Source? {
        get throws(StoreError) {
            let secret =
                environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE").map(Source.Secret.file)
                ?? environment("AWS_CONTAINER_AUTHORIZATION_TOKEN").map(Source.Secret.text)
            if let path = environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") {
                let url = try Self.url("http://169.254.170.2" + path, "$AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
                return .container(url, authorization: secret)
            }
            let variable = "AWS_CONTAINER_CREDENTIALS_FULL_URI"
            guard let text = environment(variable) else { return nil }
            let url = try Self.url(text, "$" + variable)
            guard url.scheme == .https || Self.isLocal(url.host) else {
                throw StoreError(.refused, "$\(variable) must begin with https, or name this machine.")
            }
            return .container(url, authorization: secret)
        }
    }

    /// As the AWS tools allow: loopback, and the servers of ECS and EKS.
    private static func isLocal(_ host: String) -> Bool {
        ["localhost", "169.254.170.2", "169.254.170.23", "fd00:ec2::23", "::1"].containsExactly(host)
            || (IPAddress(host) != nil && host.begins(with: "127."))
    }

    private static func url(_ text: String, _ name: String) throws(StoreError) -> HTTPURL {
        do throws(HTTPURLError) {
            return try HTTPURL(parsing: text)
        } catch {
            throw StoreError(.refused, "\(name) names no server: \(error.message)")
        }
    }

    private static func missing(_ name: String) -> StoreError {
        StoreError(.refused, "\(name) is missing for the credentials of the store.")
    }

    package static let none = StoreError(
        .refused,
        "There are no credentials for the store. Set $AWS_ACCESS_KEY_ID and $AWS_SECRET_ACCESS_KEY, or $AWS_PROFILE to a profile in ~/.aws."
    )
}
