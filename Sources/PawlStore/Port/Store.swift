package import PawlCore
package import PawlEngine

/// The port to a place for objects that several machines share: a directory, or a bucket.
///
/// Calls return at once. Each tells its end exactly once, on any thread, perhaps before it has returned. An object that
/// was created or put is durable once that is told. Implementations are held to `StoreConformance` in PawlTestKit.
package protocol Store: Sendable {
    /// Creates an object, unless there is one of this key. Atomic: of several who create one key at once, one does.
    func create(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<StoreCreation>)

    /// Stores an object, in place of one that has the key. Whoever reads meanwhile gets one of the two, whole.
    func put(_ key: StoreKey, _ body: StoreBody, _ ended: @escaping StoreEnd<Void>)

    /// Reads an object; nil if there is none of this key.
    func get(_ key: StoreKey, _ ended: @escaping StoreEnd<StoreBody?>)

    /// Lists objects in the order of their keys. What was stored or deleted a moment ago may be missing or still there.
    ///
    /// - Parameters:
    ///   - folder: the first part of the keys.
    ///   - mark: ``StorePage/next`` of the page before; nil for the first.
    func list(_ folder: String, from mark: String?, _ ended: @escaping StoreEnd<StorePage>)

    /// Deletes an object. It is no error if there is none.
    func delete(_ key: StoreKey, _ ended: @escaping StoreEnd<Void>)
}

package typealias StoreEnd<Value> = @Sendable (Result<Value, StoreError>) -> Void

/// The answer to a conditional creation.
package enum StoreCreation: Hashable, Sendable {
    case created
    /// There is an object of this key. If an answer was lost, it may be this very one.
    case exists
}

/// The bytes of an object.
package struct StoreBody: Sendable {
    package let content: any FileContent
    package let length: Int64
    /// The SHA-256 of the bytes, with which they are compared on the way; nil: not known.
    package let digest: [UInt8]?

    package init(_ content: any FileContent, length: Int64, digest: [UInt8]? = nil) {
        (self.content, self.length, self.digest) = (content, length, digest)
    }

    package init(_ bytes: [UInt8], digest: [UInt8]? = nil) {
        let content = MemoryContent(maximumSize: bytes.count)
        // Cannot fail: it has room for them.
        try? content.write(bytes, at: 0)
        self.init(content, length: Int64(bytes.count), digest: digest)
    }

    /// Returns all bytes.
    ///
    /// - Throws: `.damaged` for more than `limit`.
    package func bytes(atMost limit: Int) throws(StoreError) -> [UInt8] {
        guard length <= limit else {
            throw StoreError(.damaged, "It has \(length) bytes, more than the \(limit) that it may have.")
        }
        do throws(StorageError) {
            return try content.read(Int(clamping: length), at: 0)
        } catch {
            throw StoreError(error)
        }
    }
}

/// Some of the objects in a folder.
package struct StorePage: Hashable, Sendable {
    package struct Object: Hashable, Sendable {
        package var key: StoreKey
        /// The length in bytes.
        package var length: Int64

        package init(_ key: StoreKey, length: Int64) { (self.key, self.length) = (key, length) }
    }

    package var objects: [Object]
    /// Where the next page begins; nil: this is the last.
    package var next: String?

    package init(_ objects: [Object], next: String? = nil) { (self.objects, self.next) = (objects, next) }
}

/// The failure of a call of a ``Store``.
package struct StoreError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The same call may succeed later: the store is not reached, is busy or full. Whether it was done is not
        /// known.
        case unavailable
        /// The store does not allow it: no such place, or no rights there. Nothing was done.
        case refused
        /// Bytes are not those that they should be. Nothing was stored.
        case damaged
    }

    package let kind: Kind
    /// A sentence.
    package let message: String

    package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    /// - Parameter directory: where the file is.
    package init(_ error: StorageError, in directory: String = "") {
        let cause = DownloadError.storage(error, directory: directory)
        guard error.reason != .permissionDenied else {
            let place = directory.isEmpty ? "“\(error.name)”" : "“\(error.name)” in “\(directory)”"
            self.init(.refused, "There are no rights to use \(place).")
            return
        }
        let isRefusal = cause.recovery == .giveUp || error.reason == .readOnly
        self.init(isRefusal ? .refused : .unavailable, cause.message)
    }
}
