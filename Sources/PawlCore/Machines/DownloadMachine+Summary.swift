extension DownloadMachine {
    /// What a run has come to.
    package struct Summary: Sendable {
        package var phase: Phase
        /// What the file was said to be by a source that gave bytes of it.
        package var representation: Representation?
        /// How long the result is.
        package var total: Int64?
        /// Where the bytes came from last.
        package var finalURL: HTTPURL
        /// Those that bytes came from in this run.
        package var sources: [HTTPURL] = []
        package var stored: Int64 = 0
        package var resumedFrom: Int64 = 0
        package var storageHasFailed = false

        package init(phase: Phase, representation: Representation?, total: Int64?, finalURL: HTTPURL) {
            self.phase = phase
            self.representation = representation
            self.total = total
            self.finalURL = finalURL
        }
    }

    package var summary: Summary {
        let total = settings.ranges == nil ? described?.total : layout?.resultLength
        var summary = Summary(phase: phase, representation: described, total: total, finalURL: currentURL)
        summary.sources = givers
        summary.stored = written.count
        summary.resumedFrom = attempt.earlier.resumedFrom
        summary.storageHasFailed = storageHasFailed
        return summary
    }
}
