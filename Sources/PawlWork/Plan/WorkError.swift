package import PawlStore

/// The reason why work on a batch ends before its end.
package struct WorkError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The plan or a shard is missing, cannot be read, or is written in a newer version: no other try will help.
        case batch
        /// The store refuses: no other try will help.
        case store
        /// Another try may help, and goes on where this one ended.
        case again
    }

    package let kind: Kind
    /// A sentence, or several.
    package let message: String

    package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    package init(_ error: StoreError) {
        self.init(error.kind == .refused ? .store : .again, error.message)
    }
}
