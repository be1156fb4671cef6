/// Little-endian integers, and blocks with a length in front.
struct ByteWriter {
    private(set) var buffer: [UInt8] = []

    /// - Parameter capacity: the number of bytes that are likely to be written.
    init(capacity: Int = 0) { buffer.reserveCapacity(capacity) }

    mutating func bytes(_ bytes: [UInt8]) { buffer.append(contentsOf: bytes) }

    mutating func integer(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { buffer.append(contentsOf: $0) }
    }

    mutating func block(_ bytes: [UInt8]) {
        integer(UInt32(bytes.count))
        self.bytes(bytes)
    }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            integer(UInt32(bytes.count))
            buffer.append(contentsOf: bytes)
        }
    }

    mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
        integer(UInt8(value == nil ? 0 : 1))
        if let value { write(&self, value) }
    }

    mutating func list<Element>(_ list: some Collection<Element>, _ write: (inout ByteWriter, Element) -> Void) {
        integer(UInt32(list.count))
        for element in list { write(&self, element) }
    }

    mutating func digest(_ digest: Digest) {
        text(digest.algorithm.rawValue)
        block(digest.bytes)
    }
}

/// The inverse; every read answers nil past the end, and no count is believed before the bytes behind it are there.
struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> [UInt8]? {
        guard count >= 0, rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func integer<Value: FixedWidthInteger>() -> Value? {
        guard let bytes = bytes(MemoryLayout<Value>.size) else { return nil }
        return Value(littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(as: Value.self) })
    }

    /// A byte position: a `UInt64` on disk that fits an `Int64`.
    mutating func position() -> Int64? { (integer() as UInt64?).flatMap(Int64.init(exactly:)) }

    mutating func block() -> [UInt8]? { (integer() as UInt32?).flatMap { bytes(Int($0)) } }

    mutating func text() -> String? { block().flatMap { String(validating: $0, as: UTF8.self) } }

    /// The outer optional is nil for malformed bytes, the inner one for an absent value.
    mutating func optional<Value>(_ read: (inout ByteReader) -> Value?) -> Value?? {
        switch integer() as UInt8? {
        case 0: .some(nil)
        case 1: read(&self).map(Optional.some)
        default: nil
        }
    }

    mutating func list<Element>(_ read: (inout ByteReader) -> Element?) -> [Element]? {
        guard let count: UInt32 = integer(), Int(count) <= rest.count else { return nil }
        var list: [Element] = []
        for _ in 0..<count {
            guard let element = read(&self) else { return nil }
            list.append(element)
        }
        return list
    }

    mutating func digest() -> Digest? {
        guard let name = text(), let bytes = block(), let algorithm = DigestAlgorithm(name: name) else { return nil }
        return Digest(algorithm: algorithm, bytes: bytes)
    }
}
