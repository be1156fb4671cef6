import PawlCore

/// Bytes at any offset, zero where nothing was written. Only written pages cost memory, and copies share pages until
/// one changes.
struct SparseBytes {
    private var pages: [Int64: [UInt8]] = [:]

    private static let pageSize: Int64 = 16 * 1024
    private static let emptyPage = [UInt8](repeating: 0, count: Int(pageSize))

    func bytes(_ range: ByteRange) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Int(range.count)) { buffer, count in
            read(into: UnsafeMutableRawBufferPointer(buffer), at: range.start)
            count = Int(range.count)
        }
    }

    /// Reads into the whole buffer.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) {
        var target = buffer
        for part in Self.parts(of: ByteRange(offset..<offset + Int64(buffer.count))) {
            let piece = UnsafeMutableRawBufferPointer(rebasing: target[..<part.bounds.count])
            if let page = pages[part.page] {
                page.withUnsafeBytes { piece.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[part.bounds])) }
            } else {
                piece.initializeMemory(as: UInt8.self, repeating: 0)
            }
            target = UnsafeMutableRawBufferPointer(rebasing: target[part.bounds.count...])
        }
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        var source = bytes
        for part in Self.parts(of: ByteRange(offset..<offset + Int64(bytes.count))) {
            let piece = UnsafeRawBufferPointer(rebasing: source[..<part.bounds.count])
            if part.isWhole {
                pages[part.page] = [UInt8](piece)
            } else {
                pages[part.page, default: Self.emptyPage].withUnsafeMutableBytes {
                    UnsafeMutableRawBufferPointer(rebasing: $0[part.bounds]).copyMemory(from: piece)
                }
            }
            source = UnsafeRawBufferPointer(rebasing: source[part.bounds.count...])
        }
    }

    /// Takes over `range` from `other`, sharing the whole pages that the range covers.
    mutating func copy(_ range: ByteRange, from other: SparseBytes) {
        for part in Self.parts(of: range) {
            if part.isWhole {
                pages[part.page] = other.pages[part.page]
            } else if let page = other.pages[part.page] {
                let offset = part.page * Self.pageSize + Int64(part.bounds.lowerBound)
                page.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[part.bounds]), at: offset) }
            } else if pages[part.page] != nil {
                pages[part.page]?.replaceSubrange(part.bounds, with: repeatElement(0, count: part.bounds.count))
            }
        }
    }

    /// Zeroes everything from `offset` on.
    mutating func cut(at offset: Int64) {
        let boundary = offset / Self.pageSize
        let kept = Int(offset % Self.pageSize)
        pages = pages.filter { $0.key < boundary || ($0.key == boundary && kept > 0) }
        pages[boundary]?.replaceSubrange(kept..., with: repeatElement(0, count: Int(Self.pageSize) - kept))
    }

    private struct Part {
        let page: Int64
        let bounds: Range<Int>
        var isWhole: Bool { bounds.count == Int(SparseBytes.pageSize) }
    }

    private static func parts(of range: ByteRange) -> some Sequence<Part> {
        sequence(state: range.start) { position in
            guard position < range.end else { return nil }
            let page = position / pageSize
            let end = min(range.end, (page + 1) * pageSize)
            defer { position = end }
            return Part(page: page, bounds: Int(position - page * pageSize)..<Int(end - page * pageSize))
        }
    }
}
