import Pawl
import PawlCore

/// Jobs in their order, in little memory: there may be a million.
///
/// A job takes its URLs, the name and the directory of its file, its digest, and 28 bytes. What it has besides, and
/// mirrors or a directory that do not change, are kept once for all jobs in a row that have them in common.
package struct JobRows: RandomAccessCollection, Sendable {
    private struct Row {
        /// The first byte of its texts.
        let start: UInt32
        let template: UInt32
        let urlLength: UInt32
        /// -1: its mirrors are those of the template.
        let mirrorsLength: Int32
        /// -1: it has no name.
        let nameLength: Int32
        /// -1: its directory is that of the template.
        let directoryLength: Int32
        let digest: DigestAlgorithm?
    }

    /// Rows in one array: a longer one would leave more memory unused, and take twice as much while it grows.
    private struct Block {
        static let length = 8192

        var rows: [Row] = []
        /// The URL, the mirrors, the name, the directory and the digest of each job, one after the other.
        var texts: [UInt8] = []

        /// - Parameter former: the block in front, which is about as long.
        init(after former: Block?) {
            guard let former else { return }
            rows.reserveCapacity(Self.length)
            texts.reserveCapacity(former.texts.count + former.texts.count / 16)
        }

        /// - Parameters:
        ///   - former: the template.
        ///   - template: its index.
        mutating func append(_ job: JobSpec, like former: JobSpec, template: Int) {
            let start = texts.count
            var (urlLength, mirrorsLength) = (0, -1)
            if case .url(let url, let mirrors) = job.source, case .url(_, let formerMirrors) = former.source {
                urlLength = append(url)
                if !mirrors.elementsEqual(formerMirrors, by: { $0.url.isExactly($1.url) }) {
                    mirrorsLength = mirrors.reduce(0) { $0 + append($1.url) + append("\n") }
                }
            }
            let nameLength = job.fileName.map { append($0) } ?? -1
            let directoryLength = job.directory.isExactly(former.directory) ? -1 : append(job.directory)
            if let digest = job.digest { texts += digest.bytes }
            rows.append(
                Row(
                    start: UInt32(start), template: UInt32(template), urlLength: UInt32(urlLength),
                    mirrorsLength: Int32(mirrorsLength), nameLength: Int32(nameLength),
                    directoryLength: Int32(directoryLength), digest: job.digest?.algorithm))
        }

        private mutating func append(_ text: String) -> Int {
            texts += text.utf8
            return text.utf8.count
        }
    }

    private var blocks: [Block] = []
    /// The jobs without these texts, which is what they have in common. For a list, there are few.
    package private(set) var templates: [JobSpec] = []
    /// The job that the latest template was made of.
    private var latest: JobSpec?

    package init() {}

    package init(_ jobs: some Sequence<JobSpec>) {
        if let rows = jobs as? JobRows { self = rows } else { for job in jobs { append(job) } }
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { blocks.last.map { (blocks.count - 1) * Block.length + $0.rows.count } ?? 0 }

    package subscript(position: Int) -> JobSpec {
        let row = row(position)
        var job = templates[Int(row.template)]
        var rest = blocks[position / Block.length].texts[Int(row.start)...]
        func take(_ count: some BinaryInteger) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(Int(count)) }
            return rest.prefix(Int(count))
        }
        func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
        if case .url(_, var mirrors) = job.source {
            let url = text(take(row.urlLength))
            if row.mirrorsLength >= 0 {
                mirrors = take(row.mirrorsLength).split(separator: UInt8(ascii: "\n")).map { .plain(text($0)) }
            }
            job.source = .url(url, mirrors: mirrors)
        }
        if row.nameLength >= 0 { job.fileName = text(take(row.nameLength)) }
        if row.directoryLength >= 0 { job.directory = text(take(row.directoryLength)) }
        if let algorithm = row.digest {
            job.digest = Digest(algorithm: algorithm, bytes: Array(take(algorithm.byteCount)))
        }
        return job
    }

    private func row(_ position: Int) -> Row { blocks[position / Block.length].rows[position % Block.length] }

    /// Returns what a job has besides its URLs and its digest, and the name and the directory of its file. To read it
    /// costs less than the job.
    package func template(of position: Int) -> JobSpec { templates[Int(row(position).template)] }

    /// The directories of the jobs, each once.
    package var directories: [String] {
        var (known, directories) = (Set<ExactText>(), [String]())
        // Most jobs have the directory of their template.
        for index in indices where row(index).directoryLength >= 0 || isFirstOfTemplate(index) {
            let directory = self[index].directory
            if known.insert(ExactText(directory)).inserted { directories.append(directory) }
        }
        return directories
    }

    private func isFirstOfTemplate(_ index: Int) -> Bool {
        index == 0 || row(index).template != row(index - 1).template
    }

    /// Changes what the jobs have in common: neither URLs nor names, directories and digests.
    package mutating func changeTemplates(_ change: (inout JobSpec) -> Void) {
        for index in templates.indices { change(&templates[index]) }
        latest = nil
    }

    package mutating func append(_ job: JobSpec) {
        if !(latest.map(job.differsOnlyInFile) ?? false) {
            latest = job
            var template = job
            if case .url(_, let mirrors) = job.source { template.source = .url("", mirrors: mirrors) }
            template.fileName = nil
            template.digest = nil
            templates.append(template)
        }
        if (blocks.last?.rows.count ?? Block.length) >= Block.length { blocks.append(Block(after: blocks.last)) }
        let index = templates.count - 1
        blocks[blocks.count - 1].append(job, like: templates[index], template: index)
    }

    /// Gives the memory of jobs back that are not read any more: those in front of this one.
    package mutating func forget(before position: Int) {
        var index = Swift.min(position / Block.length, blocks.count - 1) - 1
        while index >= 0, !blocks[index].rows.isEmpty {
            blocks[index] = Block(after: nil)
            index -= 1
        }
    }
}

extension JobRows: ExpressibleByArrayLiteral {
    package init(arrayLiteral jobs: JobSpec...) { self.init(jobs) }
}
