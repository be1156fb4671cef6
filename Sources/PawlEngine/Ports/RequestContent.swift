package import PawlCore

/// The content of a request (RFC 9110 §6.4), read a piece at a time as it is sent. Equal to itself only.
package final class RequestContent: Sendable {
    /// The length in bytes.
    package let length: Int64
    /// Reads bytes from an offset on, in their order. Blocks; a failure ends the exchange.
    package let read: @Sendable (_ count: Int, _ offset: Int64) -> Result<[UInt8], StorageError>
    /// Runs the reads.
    package let executor: any WorkExecutor

    package init(
        length: Int64, on executor: any WorkExecutor,
        read: @escaping @Sendable (_ count: Int, _ offset: Int64) -> Result<[UInt8], StorageError>
    ) {
        (self.length, self.executor, self.read) = (length, executor, read)
    }

    /// Whether the server is asked first if it wants so much (`Expect: 100-continue`, RFC 9110 §10.1.1).
    package var expectsContinue: Bool { length > 1 << 20 }
}

extension RequestContent: Hashable {
    package static func == (left: RequestContent, right: RequestContent) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
