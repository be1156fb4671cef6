/// Held bytes that another request began: nothing is added to them before an answer shows that the file is the same.
extension DownloadMachine {
    /// Samples may be compared with the server's, because the caller lets that count.
    func maySample(_ known: Representation) -> Bool {
        attempt.earlier.needsProof && settings.adoptsPartialFile && !settings.decidesByDigest && settings.ranges == nil
            && known.total != nil && attempt.earlier.samples.isEmpty && attempt.earlier.unproven?.evidence == nil
    }

    /// Compares samples of the held bytes, the first answer telling of which version.
    mutating func compareSamples() -> [DownloadAction] {
        (attempt.file.representation, sources[sources.lead].file.representation) = (nil, nil)
        return beginSamples(isLikely: false)
    }

    private mutating func beginSamples(isLikely: Bool) -> [DownloadAction] {
        attempt.earlier.compare(UnprovenBytes.samples(of: written, isLikely: isLikely))
        return segments.filter(\.isLive).flatMap { cancelSegment($0.id) }
    }

    /// Lets the first request fetch a sample where nothing else could show that the file is the same.
    mutating func sampleFirst() {
        guard let unproven = attempt.earlier.unproven,
            settings.ranges == nil, unproven.needsSamples(decidesByDigest: settings.decidesByDigest)
        else { return }
        attempt.earlier.compare(Array(UnprovenBytes.samples(of: written, isLikely: true).prefix(1)))
    }

    /// Goes on with the other samples behind the one that the first request fetches.
    private mutating func addSamples(behind first: ByteRange, isLikely: Bool) {
        let rest = UnprovenBytes.samples(of: written, isLikely: isLikely).compactMap { sample in
            sample.end <= first.end ? nil : ByteRange(max(sample.start, first.end)..<sample.end)
        }
        attempt.earlier.compare([first] + rest)
    }

    /// Judges the first answer beside bytes of another URL.
    ///
    /// - Returns: nil if its bytes may flow.
    mutating func weigh(_ found: Representation) -> [DownloadAction]? {
        guard let unproven = attempt.earlier.unproven, unproven.evidence == nil else { return nil }
        switch unproven.judge(found, heldCount: written.count, by: settings) {
        case .evident(let evidence):
            attempt.earlier.unproven?.evidence = evidence
            if evidence == .digest { restOnDigest() }
            return nil
        case .comparable(let isLikely):
            guard let first = attempt.earlier.samples.first else { return beginSamples(isLikely: isLikely) }
            if attempt.earlier.samples.count == 1 { addSamples(behind: first, isLikely: isLikely) }
            return nil
        case .doubtful(let doubt):
            // Samples of a version that its server does not identify prove nothing about the next answer.
            if let actions = notProven(doubt, mayCompare: found.isCombinable) { return actions }
            guard settings.onChange == .fail else { return startOverUnproven(.always) }
            return drain(for: .fail(.unproven(settings.askedURL, doubt)))
        }
    }

    /// Ends a download whose bytes the answer does not show to belong to it, or compares samples if the caller lets
    /// these count.
    ///
    /// - Returns: nil for bytes of this download, and for those of other secrets, which are set aside.
    mutating func notProven(_ doubt: UnprovenBytes.Doubt, mayCompare: Bool = true) -> [DownloadAction]? {
        guard let unproven = attempt.earlier.unproven else { return nil }
        if mayCompare, doubt.isComparable, maySample(unproven.journal) { return compareSamples() }
        if unproven.evidence == .digest, unproven.otherURL != nil, settings.onChange == .restart {
            // The digest would have decided, and cannot any more.
            attempt.earlier.unproven = nil
            return startOverUnproven(.always)
        }
        guard let error = settings.refusal(of: unproven, doubt, mayCompare: mayCompare) else { return nil }
        return settings.ifExists == .replace ? startOverUnproven(.always) : drain(for: .fail(error))
    }

    /// The held bytes are known to be of this file.
    mutating func confirmHeldBytes() -> [DownloadAction] {
        guard let unproven = attempt.earlier.unproven else { return [] }
        attempt.earlier.unproven = nil
        attempt.earlier.isForeign = unproven.evidence != .version
        if unproven.evidence == .samples { attempt.restsOnDigest = true }
        var reports: [DownloadAction] = []
        if attempt.earlier.resumedFrom == 0 {
            attempt.earlier.resumedFrom = attempt.checkpoints.durable.count
            reports.append(.report(.resumed(offset: attempt.earlier.resumedFrom)))
        }
        guard let url = unproven.otherURL else { return reports }
        // From now on the journal names this URL: the download of the other one must not take the file for its own.
        return reports + [.report(.tookOver(url, unproven.evidence ?? .samples))] + checkpoint()
    }
}

extension UnprovenBytes {
    /// Judges an answer as a download with these settings does.
    package func judge(_ found: Representation, heldCount: Int64, by settings: DownloadSettings) -> Judgement {
        judge(
            found, heldCount: heldCount, decidesByDigest: settings.decidesByDigest && settings.ranges == nil,
            consents: settings.adoptsPartialFile, mayCompare: settings.ranges == nil)
    }
}

extension DownloadSettings {
    /// Returns the reason why the bytes of another URL are left as they are; nil for those of other secrets.
    package func refusal(
        of unproven: UnprovenBytes, _ doubt: UnprovenBytes.Doubt = .unidentified, mayCompare: Bool = true
    ) -> DownloadError? {
        guard let url = unproven.otherURL else { return nil }
        let helps =
            mayCompare && doubt.isComparable && unproven.journal.total != nil && options.ranges == nil
            && !options.adoptsPartialFile
        return DownloadError(
            .journal,
            "The partial file was started from \(url.redacted). \(askedURL.redacted) may be another file: \(doubt.words). Nothing was changed.",
            remedies: (helps ? [.compareExisting] : []) + (options.ranges == nil ? [.addFormerURL] : [])
                + [.replacePartialFile, .chooseName],
            recovery: .giveUp)
    }
}

extension DownloadError {
    fileprivate static func unproven(_ url: HTTPURL, _ doubt: UnprovenBytes.Doubt) -> DownloadError {
        DownloadError(
            .changed, "\(url.redacted) may be another file: \(doubt.words). The partial file was left as it is.",
            remedies: [.restartOnChange], recovery: .restart)
    }
}
