extension DownloadMachine {
    static func sources(of settings: DownloadSettings) -> [SourceState] {
        [SourceState(Source(url: settings.url), mostConnections: settings.maximumConnections)]
    }

    // MARK: Facts

    /// Where the bytes come from, or came from last.
    package var currentURL: HTTPURL { sources[lead].currentURL }

    /// No exchange is begun before this.
    package var nextStart: Instant? { sources[lead].nextStart }

    func liveCount(of source: Int) -> Int { segments.count { $0.source == source && $0.isLive } }

    func flowingCount(of source: Int) -> Int { segments.count { $0.source == source && $0.isFlowing } }

    /// What answers of a source are compared with.
    func known(of source: Int) -> Representation? { sources[source].representation ?? representation }

    // MARK: What sources said

    /// Adds to what a source said of the file, and to what is known of the file itself.
    mutating func amend(_ source: Int, _ change: (inout Representation) -> Void) {
        if var own = sources[source].representation {
            change(&own)
            sources[source].representation = own
        }
        if var common = representation {
            change(&common)
            representation = common
        }
    }

    // MARK: Choosing one

    /// Those whose wait is over may be asked again.
    mutating func endRests(at now: Instant) {
        for index in sources.indices {
            if let until = sources[index].nextStart, now >= until { sources[index].nextStart = nil }
        }
    }

    /// Who is asked for one more range beside those that are being fetched.
    func nextSource(at now: Instant) -> Int? { mayTakeMore(lead, at: now) ? lead : nil }

    private func mayTakeMore(_ index: Int, at now: Instant) -> Bool {
        let source = sources[index]
        guard source.nextStart == nil, source.noMoreBefore.map({ now >= $0 }) ?? true else { return false }
        guard source.rangesProven, !source.rangesIgnored else { return false }
        // Where all that run still wait for an answer, another is begun only by a server that was there a moment ago: one that takes
        // connections and lets them hang (FAULTS N01) must not hold up the end.
        guard flowingCount(of: index) > 0 || source.lastExchangeDelivered else { return false }
        return liveCount(of: index) < source.budget.desired && !fullHosts.contains(source.currentURL.hostKey)
    }

    // MARK: Losing one

    /// A source that cannot be used any more.
    mutating func giveUp(_ source: Int, because error: DownloadError, at now: Instant) -> [DownloadAction] {
        drain(for: .fail(error))
    }
}
