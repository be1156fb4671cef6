import PawlTestKit
import Testing

@testable import PawlArchive

/// A directory to unpack into, beside files that must stay unchanged.
struct ExtractionScene {
    let directory: TemporaryDirectory
    var target: String { directory.file("target") }
    var fresh: String { directory.file("target.part") }

    init() throws {
        directory = try TemporaryDirectory("extraction")
        try Files.makeDirectory(directory.file("outside"))
        try Files.write(Array("mine\n".utf8), to: directory.file("outside/file"))
    }

    func extract(
        _ reader: any MemberReader, _ options: ExtractionOptions = .init(), flag: StopFlag = .init(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) throws -> ExtractionResult {
        try Extraction(reader, options: options, flag: flag, progress: progress).run(into: target)
    }

    /// Expects that unpacking is refused with this code and leaves nothing behind.
    func expectRefusal(
        _ code: ArchiveError.Code, of reader: any MemberReader, _ options: ExtractionOptions = .init(),
        naming name: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        do {
            let result = try extract(reader, options)
            Issue.record("unpacked to \(result)", sourceLocation: sourceLocation)
        } catch let error as ArchiveError {
            #expect(error.code == code, "\(error.message)", sourceLocation: sourceLocation)
            if let name { #expect(error.message.contains(name), "\(error.message)", sourceLocation: sourceLocation) }
            #expect(
                !error.message.unicodeScalars.contains { $0.properties.generalCategory == .control },
                sourceLocation: sourceLocation)
        } catch {
            Issue.record("\(error)", sourceLocation: sourceLocation)
        }
        expectNothing(sourceLocation: sourceLocation)
    }

    /// Expects only the files that were there at the start.
    func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            (try? Files.listing(directory.path).keys.sorted()) == ["outside", "outside/file"],
            sourceLocation: sourceLocation)
        #expect((try? Files.text(directory.file("outside/file"))) == "mine\n", sourceLocation: sourceLocation)
    }

    /// The paths in the target, sorted.
    func names() throws -> [String] { try Files.listing(target).keys.sorted() }

    /// The names beside the target, sorted.
    func neighbours() throws -> [String] { try Files.names(directory.path).sorted() }
}
