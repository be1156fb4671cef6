/// ``HostMemory`` to bytes and back: a magic, a version, the hosts, a checksum.
package enum HostMemoryCoding {
    private static let magic: [UInt8] = Array("PAWLHOST".utf8)
    private static let version: UInt8 = 1
    /// The largest number of connections that is read, more than any program opens to a host; adding one cannot
    /// overflow.
    private static let maximumConnections: Int64 = 1 << 20

    package static func encode(_ memory: HostMemory) -> [UInt8] {
        var writer = ByteWriter()
        writer.bytes(magic)
        writer.integer(version)
        writer.list(memory.hosts.sorted { $0.key < $1.key }) { writer, host in
            writer.text(host.key)
            writer.optional(host.value.connectionCap) { writer, cap in
                writer.integer(Int64(cap.value))
                writer.integer(cap.learned)
            }
            for flag in [host.value.distrustsRanges, host.value.refusesIfRange] {
                writer.optional(flag) { writer, flag in
                    writer.integer(UInt8(flag.value ? 1 : 0))
                    writer.integer(flag.learned)
                }
            }
            writer.optional(host.value.busyUntil) { writer, busy in
                writer.integer(busy.value)
                writer.integer(busy.learned)
            }
        }
        writer.integer(writer.buffer.withUnsafeBytes { XXHash64.hash($0) })
        return writer.buffer
    }

    /// Decodes a memory; nil if the bytes are damaged or anything else.
    package static func decode(_ bytes: [UInt8]) -> HostMemory? {
        guard bytes.count >= 8 else { return nil }
        let content = bytes[..<(bytes.count - 8)]
        var tail = ByteReader(bytes[(bytes.count - 8)...])
        guard let sum: UInt64 = tail.integer(), sum == Array(content).withUnsafeBytes({ XXHash64.hash($0) }) else {
            return nil
        }
        var reader = ByteReader(content)
        guard reader.bytes(magic.count) == magic, reader.integer() == version, let hosts = reader.list({ host(&$0) }),
            reader.isAtEnd
        else { return nil }
        return HostMemory(Dictionary(hosts.map { ($0.name, $0.facts) }, uniquingKeysWith: { _, last in last }))
    }

    private static func host(_ reader: inout ByteReader) -> (name: String, facts: HostMemory.Facts)? {
        func flag(_ reader: inout ByteReader) -> HostMemory.Dated<Bool>? {
            guard let value: UInt8 = reader.integer(), value <= 1, let learned: Int64 = reader.integer() else {
                return nil
            }
            return HostMemory.Dated(value == 1, learned: learned)
        }
        func number(_ reader: inout ByteReader) -> HostMemory.Dated<Int64>? {
            guard let value: Int64 = reader.integer(), let learned: Int64 = reader.integer() else { return nil }
            return HostMemory.Dated(value, learned: learned)
        }
        guard let name = reader.text(), let cap = reader.optional({ number(&$0) }),
            let ranges = reader.optional({ flag(&$0) }),
            let ifRange = reader.optional({ flag(&$0) }), let busy = reader.optional({ number(&$0) })
        else { return nil }
        var facts = HostMemory.Facts()
        facts.connectionCap = cap.map {
            HostMemory.Dated(Int(min(max(1, $0.value), maximumConnections)), learned: $0.learned)
        }
        facts.distrustsRanges = ranges
        facts.refusesIfRange = ifRange
        facts.busyUntil = busy
        return (name, facts)
    }
}
