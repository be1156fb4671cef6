package import PawlCore

/// Told what becomes of a running download, by its ``DownloadDriver`` or its ``SmallRun``: in order, on any thread. The
/// calls return at once.
package protocol RunListener: AnyObject, Sendable {
    func progressed(_ progress: DownloadProgress)

    func reported(_ report: DownloadReport)

    /// A fact was learned about a host.
    func learned(_ url: HTTPURL, _ observation: HostObservation)

    /// The name that the file will have is fixed.
    func named(_ name: String)

    /// The name is taken: nobody behind has to wait for it. Which one it is comes with ``named(_:)``.
    func claimed()

    /// Whether a name that the server chose is no other download's; if so, it is this one's from now on. Called before
    /// the name is taken.
    func mayTake(_ name: String) -> Bool

    /// Calls back once a name that the server chose may be taken: downloads in front of this one have theirs.
    func inTurn(_ proceed: @escaping @Sendable () -> Void)

    /// Comes once, and last.
    func ended(_ ending: DownloadDriver.Ending)
}

extension RunListener {
    package func progressed(_ progress: DownloadProgress) {}
    package func reported(_ report: DownloadReport) {}
    package func learned(_ url: HTTPURL, _ observation: HostObservation) {}
    package func named(_ name: String) {}
    package func claimed() {}
    package func mayTake(_ name: String) -> Bool { true }
    package func inTurn(_ proceed: @escaping @Sendable () -> Void) { proceed() }
}
