/// Authentication as sent to servers: proofs of a name and password, tokens, and cookies.
struct RequestAuthenticator: Sendable {
    /// The cookies for all servers; the jar knows to which domains each may go.
    private(set) var cookies = CookieJar()
    private var publicSuffixes: PublicSuffixList?
    private var authenticator: Authenticator
    /// Apart from the chance that spreads retries, so that a server that asks for a password changes no wait.
    private var random: SplitMix64

    /// - Parameter hash: the digest functions, for challenges of servers.
    init(of settings: DownloadSettings, hash: DigestAuth.Hash?) {
        authenticator = Authenticator(hash: hash, allowsOnlyDigest: settings.allowsOnlyDigest)
        random = SplitMix64(seed: settings.seed ^ 0x6E6F_6E63_6500_0000)
    }

    /// Whether this system can compute a digest, so that a result can be compared with what a server says.
    func canCompute(_ algorithm: DigestAlgorithm) -> Bool { authenticator.canCompute(algorithm) }

    // MARK: Names and passwords

    mutating func authorization(
        for url: HTTPURL, method: String = "GET", with secret: OriginCredentials?
    ) -> (field: HTTPField?, proof: Authenticator.Proof) {
        authenticator.authorization(for: url, method: method, with: secret)
    }

    /// Returns the meaning of a 401 for the request that received it; nil if the response has another status.
    ///
    /// - Parameter proof: what the request said of who asks.
    mutating func judge(
        _ head: ResponseHead, at url: HTTPURL, after proof: Authenticator.Proof,
        with secret: @autoclosure () -> OriginCredentials?
    ) -> Authenticator.Verdict? {
        let clientNonce = makeClientNonce()
        guard head.status == 401 else {
            authenticator.accepted(head, at: url, after: proof, clientNonce: clientNonce)
            return nil
        }
        return authenticator.challenged(by: head, at: url, after: proof, with: secret(), clientNonce: clientNonce)
    }

    /// 128 bits.
    private mutating func makeClientNonce() -> String {
        let bytes = (0..<2).flatMap { _ in
            let word = random.next()
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
        return bytes.hexadecimal
    }

    // MARK: Cookies

    /// The `Set-Cookie` lines of an answer, for the other downloads to remember. Nil: what is sent back stays as it
    /// was.
    mutating func storeCookies(of head: ResponseHead, from url: HTTPURL, wallClock: Int64) -> [String]? {
        let lines = head.fields.values("set-cookie")
        return cookies.store(lines, from: url, wallClock: wallClock, suffixes: publicSuffixes) ? lines : nil
    }

    /// The shared cookie jar replaces the copy of this download.
    mutating func replaceCookies(by jar: CookieJar) { cookies = jar }

    mutating func use(_ list: PublicSuffixList) { publicSuffixes = list }
}
