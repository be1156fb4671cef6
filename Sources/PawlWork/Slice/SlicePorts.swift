package import PawlCore

/// The port that fetches items of slices.
package protocol ItemFetchPort: Sendable {
    /// Fetches items. Of each the end is told exactly once, unless the slice is stopped first, on any thread.
    func fetch(_ items: [ItemToFetch], _ listener: any ItemListener)

    /// Ends the fetches of a listener soon. Received bytes of large files are kept.
    func stop(_ listener: any ItemListener)
}

/// An item that is fetched.
package struct ItemToFetch: Sendable {
    package let item: ShardItem
    /// The name of the file where it is too large for memory, in the spool's directory.
    package let fileName: String

    package init(_ item: ShardItem, fileName: String) { (self.item, self.fileName) = (item, fileName) }
}

/// Told of the ends of items. Calls block.
package protocol ItemListener: AnyObject, Sendable {
    /// Takes the bytes of a completed file.
    ///
    /// - Throws: they were not taken, because the spool's disk fails or the slice was stopped.
    func received(_ item: Int, _ bytes: [UInt8], _ facts: FinishedFacts) throws(StorageError)

    /// Takes a completed file from the spool's directory, where it has its name.
    func completed(_ item: Int, _ facts: FinishedFacts)

    func failed(_ item: Int, _ error: DownloadError)
}
