import Pawl
import PawlCore
import PawlMetalink
import PawlTestKit
import Testing

@testable import PawlJobs

@Suite struct FileExpectationTests {
    private static func metalink(_ names: String...) throws -> FileExpectation {
        let files = names.map { "<file name=\"\($0)\"><size>3</size><url>https://h/x</url></file>" }.joined()
        let text = "<?xml version=\"1.0\"?><metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>"
        return .metalink(try MetalinkDocument(parsing: Array(text.utf8), from: nil), shown: "“m”")
    }

    @Test func `the only file of a Metalink is used, whatever its name`() throws {
        #expect(try Self.metalink("a").facts(of: "dir/other") == ExpectedContent(size: 3))
    }

    @Test func `of several files, the one with the same path is used, or else the one with the same name`() throws {
        let document = try Self.metalink("a/x", "b/x", "y")
        #expect(try document.facts(of: "b/x").size == 3)
        #expect(try document.facts(of: "here/y").size == 3)
        #expect(throws: JobFailure.document("“m”", .notOneFile(named: "x", count: 2, has: ["a/x", "b/x", "y"]))) {
            try document.facts(of: "c/x")
        }
        #expect(throws: JobFailure.document("“m”", .notOneFile(named: "z", count: 0, has: ["a/x", "b/x", "y"]))) {
            try document.facts(of: "z")
        }
    }

    @Test func `a verdict uses the strongest known expectation`() throws {
        let directory = try TemporaryDirectory("verdict")
        let path = directory.file("x")
        try Files.write([1, 2, 3], to: path)
        #expect(try FileVerdict(ofFileAt: path, ExpectedContent()) == nil)
        #expect(try FileVerdict(ofFileAt: path, ExpectedContent(size: 3))?.isRight == true)
        #expect(try FileVerdict(ofFileAt: path, ExpectedContent(size: 4)) == .size(3, expected: 4))
        let actual = try Digest.compute(.md5, ofFileAt: path)
        let wrong = try Digest(parsing: "md5:d41d8cd98f00b204e9800998ecf8427e")
        #expect(try FileVerdict(ofFileAt: path, ExpectedContent(digest: actual, size: 4))?.isRight == true)
        #expect(try FileVerdict(ofFileAt: path, ExpectedContent(digest: wrong, size: 3))?.isRight == false)
        let pieces = try PieceHashes(algorithm: .md5, pieceLength: 16, hashes: [[UInt8](repeating: 0, count: 16)])
        guard
            case .pieces(let findings, .md5, whole: .md5)? = try FileVerdict(
                ofFileAt: path, ExpectedContent(digest: actual, pieces: pieces, size: 3))
        else {
            Issue.record("the pieces were not looked at")
            return
        }
        #expect(findings.wrongPieces == 1 && !findings.isIntact)
    }
}
