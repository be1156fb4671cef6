import PawlCore

extension PartialFiles {
    func read(_ range: ByteRange) throws(StorageError) -> [UInt8] {
        let bytes = try content.read(Int(range.count), at: range.start)
        guard bytes.count == Int(range.count) else {
            throw StorageError(operation: "pread", name: names.partial, reason: .inputOutput)
        }
        return bytes
    }

    /// Reads the whole file once and compares: with the hashes taken at receipt, then with the digests.
    ///
    /// - Parameter algorithm: of one more digest, which is returned.
    func verify(
        _ digests: [Digest], computing algorithm: DigestAlgorithm?, given: Digest?, total: Int64, _ facts: Facts,
        factory: any DigestFactory
    ) throws(DownloadError) -> Verification {
        do throws(StorageError) {
            try syncData(of: everything(of: total), facts)
            var digesters = try digests.map { (digest) throws(StorageError) in
                try factory.makeDigester(digest.algorithm)
            }
            var computing = try algorithm.map { (algorithm) throws(StorageError) in try factory.makeDigester(algorithm)
            }
            let hashes = journal.hashes
            var damaged: [ByteRange] = []
            for piece in layout?.selection.pieces ?? [ByteRange(0..<total)] {
                var hasher = journal.hasher(from: piece.start, total: facts.representation.total)
                try scan(piece) { bytes in
                    for index in digesters.indices { digesters[index].update(bytes) }
                    computing?.update(bytes)
                    for block in hasher.update(bytes) where hashes[block.index].map({ $0 != block.hash }) ?? false {
                        if let range = BlockHasher.range(
                            ofBlock: block.index, blockSize: hasher.blockSize, total: facts.representation.total)
                        {
                            damaged.append(range)
                        }
                    }
                }
            }
            if !damaged.isEmpty { return .damaged(damaged) }
            for (index, expected) in digests.enumerated() {
                let actual = digesters[index].finalize()
                if actual != expected.bytes { return .mismatch(mismatch(expected, actual, isGiven: expected == given)) }
            }
            guard let algorithm, let bytes = computing?.finalize() else { return .passed() }
            return .passed(computed: Digest(algorithm: algorithm, bytes: bytes))
        } catch {
            throw .storage(error)
        }
    }

    /// The pieces whose bytes are not what their hashes say.
    func wrongPieces(
        of pieces: PieceHashes, among indices: Range<Int>, total: Int64, factory: any DigestFactory
    ) throws(DownloadError) -> [Int] {
        do throws(StorageError) {
            var wrong: [Int] = []
            for index in indices {
                guard let range = pieces.range(ofPiece: index, total: total) else { continue }
                var digester = try factory.makeDigester(pieces.algorithm)
                try scan(range) { digester.update($0) }
                if digester.finalize() != pieces.hash(ofPiece: index) { wrong.append(index) }
            }
            return wrong
        } catch {
            throw .storage(error)
        }
    }

    private func mismatch(_ expected: Digest, _ actual: [UInt8], isGiven: Bool) -> DownloadError {
        let found = Digest(algorithm: expected.algorithm, bytes: actual)?.description ?? "?"
        let isAdopted = adoption.map { !$0.isTaken } ?? false
        let place = isAdopted ? currentName : nameForQuarantine
        return DownloadError(
            .digestMismatch,
            "The checksum does not match: \(found) instead of \(expected). The file is kept as “\(place)”.",
            remedies: (isAdopted ? [.stopAdopting] : []) + [isGiven ? .checkDigest : .tryAgain], recovery: .restart)
    }

    func hash(of range: ByteRange, by function: BlockHashFunction) throws(StorageError) -> UInt64 {
        var hash = BlockHash(function)
        try scan(range) { hash.update($0) }
        return hash.value
    }

    func scan(_ range: ByteRange, _ body: (UnsafeRawBufferPointer) -> Void) throws(StorageError) {
        let buffer = WriteBuffer(capacity: 1 << 20)
        var position = range.start
        while position < range.end {
            let wanted = Int(min(Int64(buffer.memory.count), range.end - position))
            let count = try content.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer.memory[..<wanted]), at: position)
            guard count > 0 else { throw StorageError(operation: "pread", name: names.partial, reason: .inputOutput) }
            body(UnsafeRawBufferPointer(rebasing: buffer.memory[..<count]))
            position += Int64(count)
        }
    }
}
