import PawlCore
import PawlOptions

extension CurlLine {
    /// The job that a whole command line of curl describes.
    ///
    /// - Throws: for options that a job lacks, and for a line that does not name exactly one file.
    package static func job(_ line: String) throws(PeerProblem) -> JobSpec {
        guard isLine(line) else { throw PeerProblem(messages: ["A curl command begins with “curl ”."]) }
        var words = PeerWords(own: Words.declaration.takingValues)
        let translated = try words.translated(["curl"] + (try Self.words(line)))
        var read = Words()
        do throws(CommandLineProblem) {
            try Words.declaration.read(translated, into: &read)
        } catch {
            throw PeerProblem(messages: [error.message])
        }
        // A pattern may stand for more jobs than there is memory.
        guard read.urls.count == 1, let url = read.urls.first,
            read.noGlob || (try? URLPattern(parsing: url))?.count ?? 1 == 1
        else {
            throw PeerProblem(messages: ["A job is one file, and the curl command names several."])
        }
        read.template.headers.removeAll(where: \.isDropped)
        var batch = JobBatch(
            like: read.template, output: read.target.output, directory: read.target.directory, holdsSecrets: true
        ) { _ in false }
        do throws(JobBatch.Problem) {
            try batch.add(url: url, isPattern: !read.noGlob)
        } catch {
            throw PeerProblem(messages: [error.sentence])
        }
        return batch.jobs[0]
    }

    /// The words of a command line that describe a job.
    private struct Words: Sendable {
        var template = JobSpec("")
        var target = TargetOptions()
        var urls: [String] = []
        var noGlob = false

        static let declaration = CommandDeclaration<Self>(
            "curl", summary: "", usage: [],
            operands: [.init("url", help: "", isRepeated: true) { $0.urls.append($1) }],
            groups: [
                .init("", TargetOptions.all.within(\.target)), .init("", JobOptions.all.within(\.template)),
                .init("", [.flag("no-glob", \.noGlob, help: ""), .init("quiet", help: "") { _, _ in }]),
            ])
    }
}

extension JobSpec {
    /// Reads a command line of curl that names one file, as the “Copy as cURL” of a browser writes it. Nothing in it
    /// is run or expanded.
    ///
    /// ```swift
    /// let job = try JobSpec(curl: "curl 'https://example.org/disk.iso' -H 'Cookie: id=1' --compressed")
    /// ```
    ///
    /// - Throws: ``JobSpecError``, whose message has a sentence for each option that a job lacks.
    public init(curl line: String) throws(JobSpecError) {
        do throws(PeerProblem) { self = try CurlLine.job(line) } catch {
            throw JobSpecError(.invalidValue, ["curl"], error.messages.joined(separator: " "))
        }
    }
}
