/// Evidence of whether a process holds a partial file, on a file system without locks (FAULTS D15).
package struct LockHolderEvidence: Hashable, Sendable {
    /// Whether the process that the journal names runs. Nil without a journal, and where it cannot be seen from here,
    /// as on another machine.
    package var isRunning: Bool?
    /// The time when the file was modified or its journal written, whichever is later, in seconds since 1970.
    package var last: Int64

    package init(isRunning: Bool?, last: Int64) {
        self.isRunning = isRunning
        self.last = last
    }

    /// The longest silence of a running process in seconds: twice the longest time between two checkpoints.
    private static let longestSilence: Int64 = 120

    package func showHolder(at now: Int64) -> Bool {
        // Clocks of two machines differ in either direction.
        isRunning ?? (now - Self.longestSilence..<now + Self.longestSilence).contains(last)
    }
}
