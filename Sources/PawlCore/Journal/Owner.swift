/// The process that works on a partial file, as it names itself in the journal.
package struct Owner: Hashable, Sendable {
    package var processID: Int32
    /// Identifies the boot of the machine: page cache contents survive a killed process, not another boot.
    package var bootID: [UInt8]
    /// Start of the process, in seconds since 1970; a reused process id has another.
    package var startTime: Int64
    package var hostName: String

    package init(processID: Int32, bootID: [UInt8], startTime: Int64, hostName: String) {
        self.processID = processID
        self.bootID = bootID
        self.startTime = startTime
        self.hostName = hostName
    }
}
