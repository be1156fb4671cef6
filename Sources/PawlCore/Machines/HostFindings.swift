/// Facts that this run learned about the hosts it contacted, including those of redirects.
struct HostFindings: Sendable {
    /// Hosts (`host:port`) with as many connections as they may have, none of them free for this download.
    private var full: Set<String> = []
    /// Host observations already reported.
    private var published: [HTTPURL: Set<HostObservation>] = [:]

    /// A permit for the host was refused, or released to another download.
    mutating func noteFull(_ host: String) { full.insert(host) }

    /// A connection to the host is kept for this download.
    mutating func noteFree(_ host: String) { full.remove(host) }

    func isFull(_ host: String) -> Bool { full.contains(host) }

    /// Reports an observation once. Nil: it was reported before.
    mutating func publish(_ observation: HostObservation, of url: HTTPURL) -> DownloadAction? {
        published[url, default: []].insert(observation).inserted ? .learned(url, observation) : nil
    }
}
