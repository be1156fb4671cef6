/// The authentication that origins require, as far as a download knows it; shared by all its connections.
package struct Authenticator: Sendable {
    /// The credentials that a request carried.
    package enum Proof: Hashable, Sendable {
        case none
        case basic
        case bearer
        case digest(nonce: String)
    }

    /// The meaning of a 401 for the request that received it.
    package enum Verdict: Hashable, Sendable {
        /// Repeating the request with the answer should succeed.
        case askAgain
        case denied(Denial)
    }

    package enum Denial: Hashable, Sendable {
        /// The request has no credentials for any of the schemes that the server accepts.
        case nothingGiven(schemes: [String])
        case wrongPassword
        case wrongToken
        /// The credentials fit none of the schemes that the server accepts.
        case noCommonScheme(schemes: [String])
        /// The server accepts only Digest, with functions that this system cannot compute.
        case noDigestFunction
    }

    private struct Origin: Sendable {
        /// The state of Digest authentication; nil until the origin asks for it.
        var digest: DigestAuth?
        /// An answer with this nonce was not refused.
        var hasWorked = false
        /// Challenges answered since a request was last accepted.
        var attempts = 0
    }

    /// Limits retries with a server whose nonces are stale before they can be used.
    static let maximumAttempts = 4
    /// Redirects may lead through many origins; only a few matter.
    private static let maximumOrigins = 64

    private var origins: [HTTPURL.Origin: Origin] = [:]
    private let hash: DigestAuth.Hash?
    private let allowsOnlyDigest: Bool

    /// - Parameters:
    ///   - hash: nil where Digest challenges cannot be answered.
    ///   - allowsOnlyDigest: a password is never sent itself.
    package init(hash: DigestAuth.Hash? = nil, allowsOnlyDigest: Bool = false) {
        self.hash = hash
        self.allowsOnlyDigest = allowsOnlyDigest
    }

    func canCompute(_ algorithm: DigestAlgorithm) -> Bool { hash.map { $0(algorithm, []) != nil } ?? true }

    /// The `Authorization` field for the next request, and the proof it carries.
    package mutating func authorization(
        for url: HTTPURL, method: String = "GET", with secret: OriginCredentials?
    ) -> (field: HTTPField?, proof: Proof) {
        switch secret {
        case nil: return (nil, .none)
        case .bearer(let token): return (HTTPField("Authorization", "Bearer " + token.text), .bearer)
        case .password(let credentials):
            if let hash, origins[url.origin]?.digest != nil {
                let answer = origins[url.origin]?.digest?.answer(
                    credentials, method: method, target: url.requestTarget, hash: hash)
                let nonce = origins[url.origin]?.digest?.nonce ?? ""
                return (answer.map { HTTPField("Authorization", $0) }, .digest(nonce: nonce))
            }
            if allowsOnlyDigest { return (nil, .none) }
            return (HTTPField("Authorization", credentials.basic), .basic)
        }
    }

    /// - Parameter clientNonce: fresh and hard to guess.
    package mutating func challenged(
        by head: ResponseHead, at url: HTTPURL, after proof: Proof, with secret: OriginCredentials?, clientNonce: String
    ) -> Verdict {
        let challenges = AuthChallenge.parse(head.fields.values("www-authenticate"))
        let schemes = Self.names(of: challenges)
        guard let secret else { return .denied(.nothingGiven(schemes: schemes)) }
        guard case .password = secret else { return .denied(.wrongToken) }
        var origin = origins[url.origin] ?? Origin()
        let isFresh: Bool
        switch proof {
        case .digest(let nonce):
            // Another connection has been given a newer nonce meanwhile.
            if let current = origin.digest, !current.nonce.isExactly(nonce) { return .askAgain }
            isFresh = false
        case .basic:
            // Another connection has learned meanwhile that Digest is wanted.
            if origin.digest != nil { return .askAgain }
            isFresh = true
        case .none, .bearer: isFresh = true
        }
        guard let hash, let found = DigestAuth.strongest(of: challenges, clientNonce: clientNonce, hash: hash) else {
            if case .digest = proof { return .denied(.wrongPassword) }
            if case .basic = proof, challenges.contains(where: { $0.scheme == "basic" }) {
                return .denied(.wrongPassword)
            }
            if challenges.isEmpty, !allowsOnlyDigest { return .denied(.wrongPassword) }
            let isKnown = hash != nil && challenges.contains { DigestAuth($0, clientNonce: clientNonce) != nil }
            return .denied(isKnown ? .noDigestFunction : .noCommonScheme(schemes: schemes))
        }
        // RFC 7616 §3.3: stale means that the name and password were right. Some only give another nonce where that of
        // a session that has worked is too old.
        let isStale = challenges.contains { $0.scheme == "digest" && $0.parameters["stale"]?.lowercased() == "true" }
        let isReplaced = origin.hasWorked && found.nonce != origin.digest?.nonce
        guard isFresh || isStale || isReplaced, origin.attempts < Self.maximumAttempts else {
            return .denied(.wrongPassword)
        }
        origin.digest = found
        origin.hasWorked = false
        origin.attempts += 1
        remember(origin, at: url.origin)
        return .askAgain
    }

    /// An answer other than 401: the credentials were accepted, and the answer may carry the next nonce.
    package mutating func accepted(_ head: ResponseHead, at url: HTTPURL, after proof: Proof, clientNonce: String) {
        guard case .digest(let nonce) = proof, var origin = origins[url.origin] else { return }
        origin.hasWorked = true
        origin.attempts = 0
        // The first connection to learn of it renews it for all.
        if origin.digest?.nonce == nonce, let next = Self.nextNonce(head) {
            origin.digest?.renew(nonce: next, clientNonce: clientNonce)
        }
        origins[url.origin] = origin
    }

    private mutating func remember(_ origin: Origin, at key: HTTPURL.Origin) {
        if origins.count >= Self.maximumOrigins, origins[key] == nil { origins.removeAll() }
        origins[key] = origin
    }

    /// `Authentication-Info` is a list of parameters without a scheme (RFC 7616 §3.5).
    private static func nextNonce(_ head: ResponseHead) -> String? {
        guard let info = head.fields.first("authentication-info") else { return nil }
        return AuthChallenge.parse(["digest " + info]).first?.parameters["nextnonce"]
    }

    /// Returns the names of the schemes for a message: each once, in the server's order, and no more than a line of
    /// them.
    private static func names(of challenges: [AuthChallenge]) -> [String] {
        var names: [String] = []
        for challenge in challenges where names.count < 6 && challenge.scheme.utf8.count <= 24 {
            var name = challenge.scheme.prefix(1).uppercased() + challenge.scheme.dropFirst()
            // Name the algorithm if that is why Digest is not answered: SHA-512-256, or a later one.
            if challenge.scheme == "digest", let algorithm = challenge.parameters["algorithm"],
                !DigestAuth.knows(algorithm),
                algorithm.utf8.count <= 24, algorithm.utf8.allSatisfy(ASCII.isTokenByte)
            {
                name += " with " + algorithm
            }
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}
