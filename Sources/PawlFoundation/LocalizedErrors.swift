public import PawlCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Foundation's `localizedDescription` knows nothing of an error's own message. With `import PawlFoundation` it is that
// message.

extension DownloadError: LocalizedError {
    /// The message that says what failed, and on what: `message`.
    public var errorDescription: String? { message }
    /// The cause as the layer below reported it: `underlying`.
    public var failureReason: String? { underlying }
}

extension DigestParseError: LocalizedError {
    public var errorDescription: String? { message }
}

extension DigestListError: LocalizedError {
    public var errorDescription: String? { message }
}

extension PieceHashesError: LocalizedError {
    public var errorDescription: String? { message }
}

extension NetrcParseError: LocalizedError {
    public var errorDescription: String? { "Line \(line): \(message)" }
}

extension ProxyParseError: LocalizedError {
    public var errorDescription: String? { message }
}

extension RangeSelection.Problem: LocalizedError {
    public var errorDescription: String? { message }
}

extension SpeedSchedule.ParseError: LocalizedError {
    public var errorDescription: String? { message }
}

extension ByteQuantity.Problem: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .malformed: "Not a number of bytes. Give \(ByteQuantity.accepted)."
        case .tooLarge: "More bytes than a 64-bit number holds."
        }
    }
}
