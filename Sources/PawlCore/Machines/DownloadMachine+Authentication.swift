/// Authentication: names, passwords, tokens and cookies.
extension DownloadMachine {
    mutating func authorization(for segment: SegmentMachine) -> HTTPField? {
        let (field, proof) = authenticator.authorization(for: segment.url, with: settings.secret(for: segment.url))
        if let index = index(of: segment.id) { segments[index].proof = proof }
        return field
    }

    /// Answers a 401 if there are credentials for it, else reports it. Nil: the answer is no 401, or carries no
    /// challenge.
    mutating func answerChallenge(_ id: ExchangeID, _ head: ResponseHead, at now: Instant) -> [DownloadAction]? {
        guard let index = index(of: id) else { return nil }
        let segment = segments[index]
        switch authenticator.judge(head, at: segment.url, after: segment.proof, with: settings.secret(for: segment.url))
        {
        case nil: return nil
        case .askAgain: return replace(segment, at: segment.url, visited: segment.visited, now)
        case .denied(let denial):
            // A URL that has worked may have expired; with other connections running, this may be one too many.
            guard sources[segment.source].file.representation == nil, !settings.canRefresh, !isOwnField(at: segment.url)
            else { return nil }
            // RFC 9110 §15.5.2: a 401 carries a challenge. Without one, and without credentials in the request, it is a
            // plain refusal.
            guard segment.proof != .none || head.fields.first("www-authenticate") != nil else { return nil }
            let mayConcernRange = Refusal.unauthorized(status: 401).mayConcernRange(of: segment.proof)
            if repeatsWithoutRange(segment, if: mayConcernRange, mayPass: false) { return askAgain(id, at: now) }
            return cancelSegment(id) + giveUp(segment.source, because: .denied(denial, at: segment.url), at: now)
        }
    }

    /// The caller's own field is not for us to judge.
    private func isOwnField(at url: HTTPURL) -> Bool {
        url.origin == settings.askedURL.origin && settings.callerFields.first("authorization") != nil
    }

    // MARK: Cookies

    /// Whether the cookies to send have changed, and the action that tells the other downloads.
    mutating func storeCookies(of head: ResponseHead, from url: HTTPURL, at now: Instant) -> (Bool, [DownloadAction]) {
        let lines = authenticator.storeCookies(of: head, from: url, wallClock: wallClock(of: now))
        return (lines != nil, lines.map { [.keepCookies($0, from: url)] } ?? [])
    }

    mutating func take(_ jar: CookieJar) -> [DownloadAction] {
        authenticator.replaceCookies(by: jar)
        return []
    }

    mutating func take(_ list: PublicSuffixList) -> [DownloadAction] {
        authenticator.use(list)
        return []
    }
}

extension DownloadError {
    static func denied(_ denial: Authenticator.Denial, at url: HTTPURL) -> DownloadError {
        let place = url.redacted
        func wanted(_ schemes: [String]) -> String { schemes.isEmpty ? "" : ", " + schemes.joined(separator: " or ") }
        let text =
            switch denial {
            case .nothingGiven(let schemes): "\(place) requires a login (401\(wanted(schemes)))."
            case .wrongPassword: "\(place) rejected the user name or password (401)."
            case .wrongToken: "\(place) does not accept the token (401), which may have expired."
            case .noDigestFunction:
                "\(place) requires a Digest login (401), which this system cannot compute: OpenSSL's libcrypto is missing (\(libcryptoPackages)) or refuses the hash function."
            case .noCommonScheme(let schemes):
                "\(place) requires a login (401\(wanted(schemes))) that a user name and password cannot satisfy. Ask its operator for a token or a link."
            }
        let remedies: [DownloadError.Remedy] =
            switch denial {
            case .nothingGiven: [.giveCredentials]
            case .wrongPassword, .wrongToken: [.checkCredentials]
            case .noCommonScheme, .noDigestFunction: []
            }
        return DownloadError(
            .unauthorized, text, remedies: remedies, recovery: .reconnect, facts: .init(status: 401, host: url.host))
    }
}
