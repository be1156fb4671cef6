import PawlCore
import PawlEngine

/// Records that are sorted into partitions, on disk: memory holds 32 MiB of them, and where the others are.
///
/// Their file has no name any more, so that nothing remains of it, whatever ends the process.
final class Partitions {
    struct Record {
        /// The two numbers that a record is known by.
        var (first, second): (UInt64, UInt64)
        var bytes: ArraySlice<UInt8>
    }

    private static let maximumBuffered = 32 << 20
    private static let maximumChunk = 256 << 10
    private static let headLength = 20

    private let file: any StorageFile
    private var length: Int64 = 0
    private var buffers: [[UInt8]]
    private var buffered = 0
    private var chunks: [[ByteRange]]
    /// The bytes of each partition, and how many records it has.
    private(set) var sizes: [Int64]
    private(set) var counts: [Int]

    init(_ count: Int, in directory: any StorageDirectory, random: UInt64) throws(StorageError) {
        file = try Self.unnamedFile(in: directory, random)
        buffers = Array(repeating: [], count: count)
        chunks = Array(repeating: [], count: count)
        (sizes, counts) = (Array(repeating: 0, count: count), Array(repeating: 0, count: count))
    }

    /// - Parameter random: for the name that it has for a moment.
    static func unnamedFile(
        in directory: any StorageDirectory, _ random: UInt64
    ) throws(StorageError) -> any StorageFile {
        if let file = try directory.createUnnamed() { return file }
        let (file, name) = try directory.createTemporary(for: "shards", random)
        try directory.remove(name, ifStill: file.status().identity)
        return file
    }

    var count: Int { buffers.count }

    func append(
        _ first: UInt64, _ second: UInt64, _ bytes: some Collection<UInt8>, to partition: Int
    ) throws(StorageError) {
        let before = buffers[partition].count
        for number in [first, second] { withUnsafeBytes(of: number.littleEndian) { buffers[partition] += $0 } }
        withUnsafeBytes(of: UInt32(clamping: bytes.count).littleEndian) { buffers[partition] += $0 }
        buffers[partition] += bytes
        let grown = buffers[partition].count - before
        buffered += grown
        sizes[partition] += Int64(grown)
        counts[partition] += 1
        if buffers[partition].count >= Self.maximumChunk { try flush(partition) }
        if buffered >= Self.maximumBuffered { for partition in buffers.indices { try flush(partition) } }
    }

    private func flush(_ partition: Int) throws(StorageError) {
        let bytes = buffers[partition]
        guard !bytes.isEmpty else { return }
        try file.write(bytes, at: length)
        chunks[partition].append(ByteRange(length..<length + Int64(bytes.count)))
        length += Int64(bytes.count)
        buffered -= bytes.count
        buffers[partition] = []
    }

    /// Calls `body` with each record of a partition, in the order in which they came.
    func forEach(in partition: Int, _ body: (Record) throws(StorageError) -> Void) throws(StorageError) {
        try flush(partition)
        for chunk in chunks[partition] {
            // Records end with their chunk.
            let bytes = try file.read(Int(clamping: chunk.count), at: chunk.start)
            guard Int64(bytes.count) == chunk.count else {
                throw StorageError(operation: "pread", name: "spool", reason: .inputOutput)
            }
            var place = 0
            while place + Self.headLength <= bytes.count {
                let (first, second, count) = bytes.withUnsafeBytes { buffer in
                    (
                        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)),
                        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self)),
                        Int(UInt32(littleEndian: buffer.loadUnaligned(fromByteOffset: place + 16, as: UInt32.self)))
                    )
                }
                let start = place + Self.headLength
                try body(Record(first: first, second: second, bytes: bytes[start..<start + count]))
                place = start + count
            }
        }
    }
}
