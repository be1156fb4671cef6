import PawlCore
package import PawlEngine
import Synchronization

/// Signs requests, sends them, and corrects what the store says is wrong with them.
package final class S3Client: Sendable {
    package struct Configuration: Sendable {
        package var place: S3Place
        package var endpoint: S3Endpoint
        package var region: String

        package init(_ place: S3Place, _ endpoint: S3Endpoint, region: String) {
            (self.place, self.endpoint, self.region) = (place, endpoint, region)
        }
    }

    private struct State {
        var region: String
        /// Added to our clock, in seconds.
        var clockOffset: Int64 = 0
    }

    private let configuration: Configuration
    private let ports: StoreExchange.Ports
    private let credentials: CredentialProvider
    private let digests: any DigestFactory
    private let state: Locked<State>

    package init(
        _ configuration: Configuration, _ credentials: CredentialProvider, _ ports: StoreExchange.Ports,
        _ digests: any DigestFactory
    ) {
        (self.configuration, self.credentials, self.ports, self.digests) = (configuration, credentials, ports, digests)
        state = Locked(State(region: configuration.region))
    }

    package typealias End = @Sendable (Result<S3Response, StoreError>) -> Void

    /// Sends a request; the response may have any status.
    package func send(_ request: S3Request, _ ended: @escaping End) {
        send(Call(request: request), ended)
    }

    private struct Call: Sendable {
        let request: S3Request
        /// The kinds of corrections that were made.
        var corrected: Set<Int> = []
        var server: HTTPURL?
        /// A connection kept from an earlier request has just lost this one.
        var needsFreshConnection = false
    }

    private func send(_ call: Call, _ ended: @escaping End) {
        credentials.get { [self] result in
            switch result {
            case .success(let credentials): send(call, with: credentials, ended)
            case .failure(let error): ended(.failure(error))
            }
        }
    }

    private func send(_ call: Call, with credentials: AWSCredentials, _ ended: @escaping End) {
        let (request, state) = (call.request, state.withLock { $0 })
        let (place, now) = (configuration.place, ports.runtime.secondsSinceEpoch)
        var url: HTTPURL
        do throws(HTTPURLError) {
            url = try configuration.endpoint.url(
                of: request.name, in: place.bucket, region: state.region, query: request.query)
        } catch {
            return ended(.failure(StoreError(.refused, "The endpoint of the store cannot be used: \(error.message)")))
        }
        if let server = call.server { (url.host, url.port) = (server.host, server.port) }
        let host = url.authority
        let fields = SignatureV4(credentials, region: state.region).sign(
            request.method.rawValue, url, request.fields, contentDigest: request.content?.digest ?? SHA256.hash([]),
            at: HTTPDate(secondsSinceEpoch: now + state.clockOffset))
        let content = request.content.map { CheckedContent($0, digests) }
        let sent = TransportRequest(
            method: request.method, url: url, fields: fields,
            content: content?.request(on: ports.runtime.diskExecutor), needsFreshConnection: call.needsFreshConnection)
        StoreExchange.start(sent, ports, patience: request.patience) { [self] result in
            switch result {
            case .failure(.transport(let error)) where error.reason == .stale && !call.needsFreshConnection:
                var call = call
                call.needsFreshConnection = true
                send(call, with: credentials, ended)
            case .failure(let failure):
                ended(.failure(content?.failure ?? StoreError(failure, host)))
            case .success(let response):
                let correction = S3Correction(response, region: state.region, now: now)
                guard let correction, !call.corrected.contains(correction.kind) else {
                    return ended(.success(response))
                }
                send(corrected(call, by: correction), ended)
            }
        }
    }

    private func corrected(_ call: Call, by correction: S3Correction) -> Call {
        var call = call
        call.corrected.insert(correction.kind)
        switch correction {
        case .region(let region): state.withLock { $0.region = region }
        case .clock(let offset): state.withLock { $0.clockOffset = offset }
        case .credentials: credentials.forget()
        case .server(let url): call.server = url
        }
        return call
    }
}
