package import NIOCore
package import PawlCore
internal import PawlEngine
internal import PawlSystem
internal import Synchronization

/// Connections for callers who speak HTTP by themselves, made as those of downloads are: names, TLS and its checks, and
/// no proxies. They share one event loop, which lives as long as the process.
package enum Dialer {
    private static let loops = Locked<EventLoops?>(nil)
    private static let threads = ThreadExecutor(threads: 2)
    /// The TLS contexts, by the file with the authorities.
    private static let contexts = Locked<[ExactText: SecureContext]>([:])

    /// - Throws: ``ThreadShortage``, or the system's error where too many files are open. Both may pass.
    package static func loop() throws -> any EventLoop {
        try loops.withLock { loops in
            if let loops { return loops.first }
            guard ProcessFacts.canOpen(EventLoops.descriptorsOfLoop) else {
                throw IOError(errnoCode: EMFILE, reason: "epoll_create")
            }
            let made = try EventLoops(limit: 1)
            loops = made
            return made.first
        }
    }

    /// - Parameters:
    ///   - url: names the server.
    ///   - prepare: puts handlers into the channel, on its event loop, before anything is read.
    package static func connect(
        to url: HTTPURL, _ configuration: TransportConfiguration,
        prepare: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let loop = try loop()
        let settings = try settings(configuration)
        let result = await withCheckedContinuation { continuation in
            loop.execute {
                let attempt = ConnectAttempt(Route(to: url, by: nil), settings, pace: nil, on: loop)
                attempt.begin { result in
                    continuation.resume(
                        returning: result.flatMap { channel in
                            do {
                                try prepare(channel)
                                return .success(channel)
                            } catch {
                                channel.close(promise: nil)
                                return .failure(TransportError(error, isRequestSent: false, isCancelled: false))
                            }
                        })
                }
            }
        }
        return try result.get()
    }

    private static func settings(_ configuration: TransportConfiguration) throws(TransportError) -> ConnectionSettings {
        ConnectionSettings(
            connectTimeout: TimeAmount(configuration.connectTimeout), family: .any, deniesPrivate: false,
            localAddress: nil, knownAddresses: [:], verifiesCertificates: true,
            secureContext: try context(configuration), threads: threads)
    }

    /// Made once: it takes as long as reading all certificates of the system.
    private static func context(_ configuration: TransportConfiguration) throws(TransportError) -> SecureContext {
        let key = ExactText(configuration.certificateAuthorityFile ?? "")
        if let known = contexts.withLock({ $0[key] }) { return known }
        let made = try SecureContext(configuration)
        return contexts.withLock { contexts in
            let kept = contexts[key] ?? made
            contexts[key] = kept
            return kept
        }
    }
}
