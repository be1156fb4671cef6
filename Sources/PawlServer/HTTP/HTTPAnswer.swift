import Hummingbird
import PawlCore

/// A response as the API gives it.
struct HTTPAnswer: Sendable {
    enum Body: Sendable {
        case empty
        case text(String)
        case bytes([UInt8])
        /// Bytes that are part of the program and live as long as it does.
        case fixed(StaticBytes)
        /// A body written piece by piece, as fast as the client reads.
        case stream(length: Int?, @Sendable (inout any ResponseBodyWriter) async throws -> Void)
    }

    struct StaticBytes: @unchecked Sendable {
        // Unchecked: what it points to never changes.
        let bytes: UnsafeRawBufferPointer
    }

    var status: Int
    var fields: [(name: String, value: String)] = []
    var body = Body.empty

    static func json(_ value: JSONValue, status: Int = 200, fields: [(name: String, value: String)] = []) -> HTTPAnswer
    {
        HTTPAnswer(status: status, fields: [("content-type", "application/json")] + fields, body: .text(value.encoded))
    }

    static func empty(_ status: Int, fields: [(name: String, value: String)] = []) -> HTTPAnswer {
        HTTPAnswer(status: status, fields: fields)
    }
}
