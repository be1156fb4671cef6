package import PawlCore

/// The port to another place for completed files than a directory: an archive that grows, for example.
///
/// It takes files that are whole in memory. All others are completed in the directory of their plan, as without a
/// receiver, and whoever wants them elsewhere moves them.
package protocol FileReceiver: Sendable {
    /// Takes a file whose digest, if one was given, has been found to match. Blocks, and comes before the end of the
    /// download is told.
    ///
    /// - Throws: the download fails with it.
    func receive(_ bytes: [UInt8], _ facts: FinishedFacts) throws(StorageError)
}
