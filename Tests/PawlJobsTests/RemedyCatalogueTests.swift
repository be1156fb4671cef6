import Foundation
import PawlArchive
import PawlCore
import PawlJobs
import Testing

@Suite struct RemedyCatalogueTests {
    private static let downloads = DownloadError.Remedy.Known.allCases.map {
        JobRemedy(DownloadError.Remedy(rawValue: $0.rawValue))
    }
    private static let archives = ArchiveError.Remedy.Known.allCases.map {
        JobRemedy(ArchiveError.Remedy(rawValue: $0.rawValue))
    }
    private static let jobs = JobRemedy.Known.allCases.map { JobRemedy($0) }

    @Test(arguments: downloads + archives + jobs)
    func `every remedy has half a sentence for the command and for the API`(remedy: JobRemedy) throws {
        let words = try #require(remedy.words, "\(remedy.name) has no words")
        for clause in [words.service, words.command] {
            #expect(clause.first?.isLowercase == true && clause.last != "." && !clause.contains(". "), "\(clause)")
        }
        #expect(!words.service.contains(" -"), "\(words.service) names a flag")
    }

    @Test(arguments: [downloads, archives, jobs])
    func `no two remedies have the same words`(remedies: [JobRemedy]) {
        #expect(Set(remedies.map(\.words?.command)).count == remedies.count)
        #expect(Set(remedies.map(\.words?.service)).count == remedies.count)
    }

    @Test func `several remedies become one sentence`() {
        #expect(RemedyWords.sentence([]) == nil)
        #expect(RemedyWords.sentence(["wait for it"]) == "Wait for it.")
        #expect(RemedyWords.sentence(["wait for it", "leave it"]) == "Wait for it, or leave it.")
        #expect(RemedyWords.sentence(["wait for it", "leave it", "end it"]) == "Wait for it, leave it, or end it.")
    }

    @Test func `a stored remedy of an archive is not taken for a download's of the same name`() {
        for remedy in Self.downloads { #expect(JobRemedy(named: remedy.name, ofArchive: false) == remedy) }
        for remedy in Self.archives { #expect(JobRemedy(named: remedy.name, ofArchive: true) == remedy) }
        for remedy in Self.jobs { #expect(JobRemedy(named: remedy.name, ofArchive: true) == remedy) }
        #expect(JobRemedy(named: "fromLater", ofArchive: false).words == nil)
    }

    @Test func `a failure has its sentence in every shell, and its remedies in the words of each`() {
        let failure = JobFailure.document("“a.meta4”", .noSource)
        #expect(failure.message == "The Metalink “a.meta4” has no http or https URL for the file.")
        #expect(JobRemedy.sentence(failure.remedies, in: \.command) == "Give one after the file.")
        #expect(JobRemedy.sentence(failure.remedies, in: \.service) == "Add a URL of the file.")
    }

    // MARK: The web page

    private static func page(_ language: String) throws -> Set<String> {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "Sources/PawlServer/Page/lang/\(language).json")
        guard case .object(let members) = try JSONValue(parsing: Array(try Data(contentsOf: file))) else { return [] }
        return Set(members.map(\.key))
    }

    /// The service packs nothing.
    private static let packing: Set<ArchiveError.Remedy.Known> = [
        .packUndisturbed, .nameOnce, .leaveOut, .renameFile, .makeTar, .makeCompressedTar, .leaveLevelOut,
        .enterDirectory, .giveWholePath,
    ]

    @Test func `the page has Chinese words for every remedy; its English ones are the API's`() throws {
        let names = Set((Self.downloads + Self.archives + Self.jobs).map(\.name))
        let shown = names.subtracting(Self.packing.map(\.rawValue))
        let keys = try Self.page("zh").filter { $0.hasPrefix("remedy.") }
        #expect(keys.sorted() == shown.map { "remedy.\($0)" }.sorted())
        #expect(try Self.page("en").allSatisfy { !$0.hasPrefix("remedy.") })
    }

    /// By these the page knows an error of an archive that is unpacked while it is fetched.
    @Test(arguments: [
        ArchiveError.Remedy.Known.raiseMaximumBytes, .raiseMaximumMembers, .raiseMaximumRatio, .removeIfUnused,
    ])
    func `a remedy by which the page knows an archive is none of downloads`(remedy: ArchiveError.Remedy.Known) {
        #expect(!Self.downloads.map(\.name).contains(remedy.rawValue))
    }

    @Test(arguments: ["en", "zh"])
    func `the page has a title for every failure`(language: String) throws {
        // A job ends with neither of two: only programs that use the library meet them. Each argument is another, and
        // only the message says which.
        let untitled: [DownloadError.Code] = [.alreadyCompleted, .unknownDownload, .invalidArgument]
        let codes = Set(DownloadError.Code.all.map(\.rawValue) + ArchiveError.Code.all.map(\.rawValue))
            .subtracting(untitled.map(\.rawValue))
        // A code that downloads and archives share means something else when it is about the unpacking.
        let unpacking = ["changed", "locked", "tooLarge"].map { "error.unpack.\($0)" }
        let keys = try Self.page(language).filter { $0.hasPrefix("error.") }
        #expect(keys.sorted() == (codes.map { "error.\($0)" } + unpacking).sorted())
    }
}
