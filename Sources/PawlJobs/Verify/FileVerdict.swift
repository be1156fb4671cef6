package import Pawl
package import PawlCore

/// The result of checking a file against what it must be.
package enum FileVerdict: Hashable, Sendable {
    case digest(Digest, expected: Digest)
    /// `whole`: the digest of the whole that was compared, too.
    case pieces(FileRepair.Findings, DigestAlgorithm, whole: DigestAlgorithm?)
    /// The length, because nothing else about the file is known.
    case size(Int64, expected: Int64)

    /// Reads the file as far as the facts need it. Blocks.
    ///
    /// - Throws: ``DownloadError`` where the file cannot be read. Nil where nothing is known of it.
    package init?(ofFileAt path: String, _ facts: ExpectedContent) throws {
        if let pieces = facts.pieces {
            let findings = try FileRepair.Findings(
                ofFileAt: path, pieceHashes: pieces, size: facts.size, digest: facts.digest)
            self = .pieces(findings, pieces.algorithm, whole: facts.digest?.algorithm)
        } else if let expected = facts.digest {
            self = .digest(try Digest.compute(expected.algorithm, ofFileAt: path), expected: expected)
        } else if let size = facts.size {
            self = .size(try FileRepair.Findings.size(ofFileAt: path), expected: size)
        } else {
            return nil
        }
    }

    package var isRight: Bool {
        switch self {
        case .digest(let actual, let expected): actual == expected
        case .pieces(let findings, _, _): findings.isIntact
        case .size(let actual, let expected): actual == expected
        }
    }

    /// - Parameter path: of the file, as it was given.
    package func json(_ path: String) -> JSONValue {
        switch self {
        case .digest(let actual, let expected):
            [
                "file": .string(path), "algorithm": .string(expected.algorithm.rawValue),
                "expected": .string(expected.hex),
                "actual": .string(actual.hex), "matches": .boolean(isRight),
            ]
        case .pieces(let findings, _, _): findings.json(path)
        case .size(let actual, let expected):
            [
                "file": .string(path), "bytes": .integer(actual), "total": .integer(expected),
                "matches": .boolean(isRight),
            ]
        }
    }
}

extension FileRepair.Findings {
    package func json(_ path: String) -> JSONValue {
        [
            "file": .string(path), "pieces": .integer(pieceCount), "wrongPieces": .integer(wrongPieces),
            "wrongBytes": .integer(wrongBytes),
            "bytes": .integer(fileSize), "total": .optional(totalBytes), "matches": .boolean(isIntact),
        ]
    }
}
