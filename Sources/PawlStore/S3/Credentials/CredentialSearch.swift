import PawlCore
import PawlEngine

/// Asks the source of the credentials.
package struct CredentialSearch: Sendable {
    package typealias Output = Result<[UInt8], StoreError>

    package struct Ports: Sendable {
        /// To servers of the network.
        package var network: StoreExchange.Ports
        /// To servers of this machine: by no proxy, and with little patience.
        package var machine: StoreExchange.Ports
        /// Returns the bytes of a file; nil for one that cannot be read.
        package var read: @Sendable (_ path: String) -> [UInt8]?
        /// Runs a command of the shell and tells what it prints.
        package var run: @Sendable (_ command: String, _ ended: @escaping @Sendable (Output) -> Void) -> Void

        package init(
            network: StoreExchange.Ports, machine: StoreExchange.Ports,
            read: @escaping @Sendable (_ path: String) -> [UInt8]?,
            run: @escaping @Sendable (_ command: String, _ ended: @escaping @Sendable (Output) -> Void) -> Void
        ) {
            (self.network, self.machine, self.read, self.run) = (network, machine, read, run)
        }
    }

    private let settings: @Sendable () -> Result<AWSSettings, StoreError>
    private let region: String
    private let ports: Ports

    /// - Parameter settings: reads them, each time credentials are asked for: others may be there by then.
    package init(
        _ settings: @escaping @Sendable () -> Result<AWSSettings, StoreError>, region: String, _ ports: Ports
    ) {
        (self.settings, self.region, self.ports) = (settings, region, ports)
    }

    package func find(_ ended: @escaping CredentialProvider.End) {
        do throws(StoreError) {
            let settings = try settings().get()
            switch try settings.source() {
            case .keys(let keys): ended(.success(keys))
            case .webIdentity(let file, let role, let session):
                try askSTS(settings, token: secret(.file(file)), role, session, ended)
            case .process(let command):
                ports.run(command) { output in
                    ended(
                        output.flatMap { Self.credentials(json: $0, token: "SessionToken", of: "credential_process") })
                }
            case .container(let url, let authorization):
                let fields = try authorization.map { (value) throws(StoreError) in
                    [HTTPField("Authorization", try secret(value))]
                }
                ask(TransportRequest(url: url, fields: fields ?? []), ports.machine, "the container's server", ended) {
                    ended(Self.credentials(json: $0, token: "Token", of: "the container's server"))
                }
            case .instance(let server): askInstance(server, ended)
            }
        } catch {
            ended(.failure(error))
        }
    }

    private func secret(_ secret: AWSSettings.Source.Secret) throws(StoreError) -> String {
        switch secret {
        case .text(let text): return text
        case .file(let path):
            guard let bytes = ports.read(path) else {
                throw StoreError(.refused, "“\(path)”, which has the token for the credentials, cannot be read.")
            }
            return String(decoding: ASCII.trimmingBlanks(bytes.filter { $0 != 0x0A && $0 != 0x0D }[...]), as: UTF8.self)
        }
    }

    // MARK: STS

    private func askSTS(
        _ settings: AWSSettings, token: String, _ role: String, _ session: String,
        _ ended: @escaping CredentialProvider.End
    ) throws(StoreError) {
        let server = try settings.endpoint("STS")
        let url: HTTPURL
        do throws(HTTPURLError) {
            let end = region.begins(with: "cn-") ? ".cn" : ""
            url = try HTTPURL(parsing: server?.serialized ?? "https://sts.\(region).amazonaws.com\(end)/")
        } catch {
            throw StoreError(.refused, "There is no STS for the region “\(region)”: \(error.message)")
        }
        let items = [
            ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
            ("RoleSessionName", session), ("WebIdentityToken", token),
        ]
        let form = Array(items.map { "\($0)=\(S3Endpoint.encoded($1))" }.joined(separator: "&").utf8)
        let content = RequestContent(length: Int64(form.count), on: ports.network.runtime.diskExecutor) {
            count, offset in
            .success(Array(form.dropFirst(Int(clamping: offset)).prefix(count)))
        }
        let request = TransportRequest(
            method: .post, url: url, fields: [HTTPField("Content-Type", "application/x-www-form-urlencoded")],
            content: content)
        ask(request, ports.network, "STS", ended) { bytes in
            let document = S3Document(parsing: bytes)
            let text = { (name: String) in
                document?.text("AssumeRoleWithWebIdentityResult/Credentials/\(name)")
            }
            guard let key = text("AccessKeyId"), let secret = text("SecretAccessKey"), let token = text("SessionToken")
            else { return ended(.failure(Self.unusable("STS"))) }
            let end = text("Expiration").flatMap { HTTPDate(rfc3339: $0) }
            ended(
                .success(
                    AWSCredentials(accessKeyID: key, secretAccessKey: secret, sessionToken: token, expiration: end)))
        }
    }

    // MARK: The metadata service

    /// Version 2: a token comes first, which no forged request of another program can have.
    private func askInstance(_ server: HTTPURL, _ ended: @escaping CredentialProvider.End) {
        let name = "the metadata service"
        var request = TransportRequest(
            method: .put, url: server,
            fields: [HTTPField("X-aws-ec2-metadata-token-ttl-seconds", "21600")],
            content: RequestContent(length: 0, on: ports.machine.runtime.diskExecutor) { _, _ in .success([]) })
        request.url.path = "/latest/api/token"
        StoreExchange.start(request, ports.machine, patience: Self.patience) { [self] result in
            // On most machines there is no such service, and the user has to be told what to set.
            if case .failure(.transport(let error)) = result, error.reason == .connect {
                return ended(.failure(AWSSettings.none))
            }
            if case .failure(.silent) = result {
                let message =
                    "The metadata service does not answer. In a container, its hop limit (HttpPutResponseHopLimit) has to be 2."
                return ended(.failure(StoreError(.unavailable, message)))
            }
            guard let token = take(result, server, name, ended) else { return }
            let fields = [HTTPField("X-aws-ec2-metadata-token", String(decoding: token, as: UTF8.self))]
            var request = TransportRequest(url: server, fields: fields)
            let folder = "/latest/meta-data/iam/security-credentials/"
            request.url.path = folder
            ask(request, ports.machine, name, ended) { [request] role in
                var request = request
                request.url.path = folder + S3Endpoint.encoded(Self.firstLine(role))
                ask(request, ports.machine, name, ended) { ended(Self.credentials(json: $0, token: "Token", of: name)) }
            }
        }
    }

    private static func firstLine(_ bytes: [UInt8]) -> String {
        String(decoding: bytes.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }

    // MARK: Answers

    private static let patience = Duration.seconds(10)
    private static let largestAnswer = 1 << 20

    private func ask(
        _ request: TransportRequest, _ ports: StoreExchange.Ports, _ name: String,
        _ ended: @escaping CredentialProvider.End, _ next: @escaping @Sendable ([UInt8]) -> Void
    ) {
        StoreExchange.start(request, ports, patience: Self.patience) { [self] result in
            if let bytes = take(result, request.url, name, ended) { next(bytes) }
        }
    }

    /// Returns the bytes of an answer; nil for a failure, which ends the search.
    private func take(
        _ result: Result<S3Response, StoreExchange.Failure>, _ url: HTTPURL, _ name: String,
        _ ended: CredentialProvider.End
    ) -> [UInt8]? {
        switch result {
        case .failure(let failure):
            let error = StoreError(failure, url.authority)
            ended(.failure(StoreError(.unavailable, "No credentials from \(name). \(error.message)")))
        case .success(let response):
            let (status, document) = (response.head.status, response.document)
            if status == 200, let bytes = try? response.body.bytes(atMost: Self.largestAnswer) { return bytes }
            // STS has not reached those who gave the token.
            let isPassing = document.text("Error/Code")?.isExactly("IDPCommunicationError") ?? false
            let said = document.text("Error/Message").map { ": \($0)" } ?? ""
            let message = "No credentials from \(name) (status \(status)\(said))."
            let mayPass = status >= 500 || status == 429 || isPassing
            ended(.failure(StoreError(mayPass ? .unavailable : .refused, message)))
        }
        return nil
    }

    private static func credentials(
        json bytes: [UInt8], token: String, of name: String
    ) -> Result<AWSCredentials, StoreError> {
        guard case .object(let members)? = try? JSONValue(parsing: bytes) else { return .failure(unusable(name)) }
        func text(_ key: String) -> String? {
            guard case .string(let text)? = members.first(where: { $0.key.isExactly(key) })?.value else { return nil }
            return text
        }
        guard let key = text("AccessKeyId"), let secret = text("SecretAccessKey") else {
            return .failure(unusable(name))
        }
        let end = text("Expiration").flatMap { HTTPDate(rfc3339: $0) }
        return .success(
            AWSCredentials(accessKeyID: key, secretAccessKey: secret, sessionToken: text(token), expiration: end))
    }

    private static func unusable(_ name: String) -> StoreError {
        StoreError(.refused, "What \(name) answers is no credentials.")
    }
}
