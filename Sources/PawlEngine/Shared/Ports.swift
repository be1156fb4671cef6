/// All ports of the engine, wired in one place.
package struct Ports: Sendable {
    package var transport: any Transport
    package var storage: any Storage
    package var runtime: any Runtime
    package var digests: any DigestFactory
    /// Shared by all downloads.
    package var buffers = BufferMemory()
    package var journals = JournalIndex()
    package var finished = FinishedFiles()
    package var receipts = Receipts()
    /// Files up to this size, in bytes, are held in memory until they are whole, or until something has to be kept of
    /// them.
    package var largestHeldFile: Int64 = 0
    /// Whether small files may go the short way, see ``SmallRun``.
    package var runsSmall = false
    let finishing: FinishingGroup
    let desk: DirectoryDesk
    /// The longest time that a file may stay on the short way.
    let smallRunPatience: Patience
    /// Connections per host, over all that is done through these ports.
    package var gate: HostGate
    package var cookies = SharedCookies()
    /// A digest of the certificate that servers are shown. Nil: none is.
    package var clientCertificate: [UInt8]?

    package init(
        transport: any Transport, storage: any Storage, runtime: any Runtime, digests: any DigestFactory,
        gate: HostGate = HostGate()
    ) {
        self.transport = transport
        self.storage = storage
        self.runtime = runtime
        self.digests = digests
        self.gate = gate
        finishing = FinishingGroup(runtime)
        desk = DirectoryDesk(runtime, journals)
        smallRunPatience = Patience(.seconds(1), runtime)
    }
}
