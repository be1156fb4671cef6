package import PawlCore

/// Checks a file against its piece hashes in one pass.
package struct PieceCheck: Hashable, Sendable {
    /// The ranges of the pieces that are right.
    package private(set) var good = RangeSet()
    package private(set) var wrongPieces = 0
    /// The length of the whole file; nil if it is not known.
    package let total: Int64?
    /// The number of bytes in the wrong pieces; the most that they can have if the total is not known.
    package private(set) var wrongBytes: Int64 = 0
    package let fileSize: Int64
    package let pieceCount: Int
    /// The digest of the whole file, if all pieces are right and a digest was requested.
    package private(set) var digest: Digest?

    /// The file is exactly as it should be.
    package var isIntact: Bool { wrongPieces == 0 && fileSize == total }

    /// - Parameters:
    ///   - size: that the file should have; nil where nobody has said. It is then the file's own, if the last piece is
    ///     right with it.
    ///   - digest: an algorithm for the whole file as well.
    package init(
        _ file: any StorageFile, pieces: PieceHashes, size: Int64?, digest: DigestAlgorithm?, factory: any DigestFactory
    ) throws(StorageError) {
        fileSize = try file.status().size
        pieceCount = pieces.count
        let isOwnSize = size == nil && pieces.fits(fileSize)
        let assumed = size ?? (isOwnSize ? fileSize : nil)
        // Without a size the last piece may end anywhere.
        let (longest, overflow) = Int64(pieces.count).multipliedReportingOverflow(by: pieces.pieceLength)
        let extent = assumed ?? (overflow ? .max : longest)
        let buffer = WriteBuffer(capacity: 1 << 20)
        var whole = try digest.map { (algorithm) throws(StorageError) in try factory.makeDigester(algorithm) }
        var run: ByteRange?
        var isLastRight = pieces.count == 0
        for index in 0..<pieces.count {
            guard let range = pieces.range(ofPiece: index, total: extent), let expected = pieces.hash(ofPiece: index)
            else { continue }
            var isRight = false
            if range.end <= fileSize {
                var digester = try factory.makeDigester(pieces.algorithm)
                try file.scan(range, buffer) { (bytes, _) throws(StorageError) in
                    digester.update(bytes)
                    whole?.update(bytes)
                }
                isRight = digester.finalize() == expected
            }
            isLastRight = isRight
            guard isRight else {
                wrongPieces += 1
                wrongBytes += range.count
                continue
            }
            // Joined here, so that the set is asked once for each run and not for each piece.
            if let former = run, former.end == range.start {
                run = ByteRange(former.start..<range.end)
            } else {
                if let run { good.insert(run) }
                run = range
            }
        }
        if let run { good.insert(run) }
        total = isOwnSize && !isLastRight ? nil : assumed
        if wrongPieces == 0, fileSize == total, let digest, let bytes = whole?.finalize() {
            self.digest = Digest(algorithm: digest, bytes: bytes)
        }
    }
}
