package import PawlCore
package import PawlEngine

extension StoreBody {
    /// Reads bytes and returns their SHA-256.
    ///
    /// - Parameter range: nil for all.
    /// - Throws: also where the bytes end early.
    package func sha256(of range: ByteRange? = nil, by digests: any DigestFactory) throws(StoreError) -> [UInt8] {
        let range = range ?? ByteRange(0..<length)
        do throws(StorageError) {
            var digester = try digests.makeDigester(.sha256)
            try read(range) { digester.update($0) }
            return digester.finalize()
        } catch {
            throw StoreError(error)
        }
    }

    /// Hands out bytes in pieces.
    func read(_ range: ByteRange, _ body: (UnsafeRawBufferPointer) -> Void) throws(StorageError) {
        var position = range.start
        while position < range.end {
            let piece = try content.read(Int(clamping: min(1 << 20, range.end - position)), at: position)
            guard !piece.isEmpty else { throw StorageError(operation: "read", name: "object", reason: .inputOutput) }
            piece.withUnsafeBytes(body)
            position += Int64(piece.count)
        }
    }
}
