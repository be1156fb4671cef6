import Pawl
package import PawlCore

extension LiveDocuments {
    /// Reads the pages of a walk, one after the other.
    ///
    /// - Parameters:
    ///   - job: whose credentials and fields its own origin may have.
    ///   - advanced: called after each page.
    ///   - skipped: called with each page beneath the first that cannot be read.
    /// - Throws: why the first page cannot be read; `CancellationError`.
    package func links(
        _ walk: IndexWalk, for job: JobSpec, advanced: (IndexWalk) -> Void, skipped: (String, DownloadError) -> Void
    ) async throws -> IndexWalk {
        var walk = walk
        while let step = walk.next {
            try Task.checkCancellation()
            switch step {
            case .robots(let url): walk.take(try await rules(url, for: job))
            case .page(let url):
                let isFirst = url == walk.start
                do {
                    try await read(url, of: &walk, for: job, maximumTries: isFirst ? nil : Self.triesBeneath)
                } catch let error as DownloadError {
                    guard !isFirst else { throw error }
                    skipped(url.redacted, error)
                    walk.skipPage()
                }
                advanced(walk)
            }
        }
        return walk
    }

    /// A server that sends a byte now and then is not waited for much longer.
    private static let timeForPage = Duration.seconds(600)
    private static let triesBeneath = 3

    /// Asks for one page. A redirect is not followed here: the walk decides whether its target may be asked for.
    private func read(_ url: HTTPURL, of walk: inout IndexWalk, for job: JobSpec, maximumTries: Int?) async throws {
        do {
            let page = try await document(
                url.serialized, for: job, atMost: IndexWalk.maximumPageBytes, within: Self.timeForPage,
                maximumTries: maximumTries, followsRedirects: false)
            walk.takePage(page.bytes)
        } catch let error as DownloadError {
            guard let target = error.facts.redirectTarget else { throw error }
            try walk.takeRedirect(to: target)
        }
    }

    /// Reads the rules of a server (RFC 9309 §2.3.1): one without rules allows everything; one that cannot say what it
    /// allows, nothing.
    private func rules(_ url: HTTPURL, for job: JobSpec) async throws -> RobotsRules {
        do {
            let text = try await document(
                url.serialized, for: job, atMost: IndexWalk.maximumRulesBytes, within: Self.timeForPage,
                maximumTries: Self.triesBeneath)
            return RobotsRules(parsing: text.bytes, for: IndexWalk.agent)
        } catch let error as DownloadError {
            if case .retryAfter = error.recovery { throw Self.unknown(error) }
            guard [.notFound, .unauthorized, .refused].contains(error.code) else { throw Self.unknown(error) }
            return .everything
        }
    }

    private static func unknown(_ error: DownloadError) -> DownloadError {
        DownloadError(
            error.code, "The robots.txt of the server cannot be read: \(error.message)", remedies: error.remedies,
            recovery: error.recovery, underlying: error.underlying, facts: error.facts)
    }
}
