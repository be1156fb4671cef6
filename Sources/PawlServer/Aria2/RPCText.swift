import PawlCore

/// A part of an answer as it is sent. Answers are written as they are found: held as values, they would take several
/// times the memory.
struct RPCText: Sendable {
    /// The most that one message is answered by, in bytes.
    static let limit = 16 << 20

    private(set) var bytes: [UInt8] = []

    init(_ value: JSONValue) { bytes = Array(value.encoded.utf8) }

    init(list: some Collection<RPCText>) {
        bytes.reserveCapacity(list.reduce(2) { $0 + $1.bytes.count + 1 })
        bytes.append(UInt8(ascii: "["))
        for (index, text) in list.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += text.bytes
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// The answer to the call with this id.
    init(result: RPCText, id: JSONValue) {
        let start = Array("{\"id\":\(id.encoded),\"jsonrpc\":\"2.0\",\"result\":".utf8)
        bytes.reserveCapacity(start.count + result.bytes.count + 1)
        bytes += start
        bytes += result.bytes
        bytes.append(UInt8(ascii: "}"))
    }
}
