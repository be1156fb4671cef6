import PawlCore

/// Jobs in their order, in little memory: there may be a million.
///
/// A job takes its URL, the name of its file and its digest, and 20 bytes. What it has besides is kept once for all
/// jobs in a row that have it in common.
package struct JobRows: RandomAccessCollection, Sendable {
    private struct Row {
        /// The first byte of its texts.
        let start: UInt32
        let template: UInt32
        let urlLength: UInt32
        /// -1: it has no name.
        let nameLength: Int32
        let digest: DigestAlgorithm?
    }

    /// Rows in one array: a longer one would leave more memory unused, and take twice as much while it grows.
    private struct Block {
        static let length = 8192

        var rows: [Row] = []
        /// The URL, the name and the digest of each job, one after the other.
        var texts: [UInt8] = []

        /// - Parameter former: the block in front, which is about as long.
        init(after former: Block?) {
            guard let former else { return }
            rows.reserveCapacity(Self.length)
            texts.reserveCapacity(former.texts.count + former.texts.count / 16)
        }

        mutating func append(_ job: JobSpec, template: Int) {
            let start = texts.count
            if case .url(let url, _) = job.source { texts += url.utf8 }
            let nameStart = texts.count
            if let name = job.fileName { texts += name.utf8 }
            let nameLength = job.fileName == nil ? -1 : Int32(texts.count - nameStart)
            if let digest = job.digest { texts += digest.bytes }
            rows.append(
                Row(
                    start: UInt32(start), template: UInt32(template), urlLength: UInt32(nameStart - start),
                    nameLength: nameLength, digest: job.digest?.algorithm))
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
        func take(_ count: Int) -> ArraySlice<UInt8> {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        let url = String(decoding: take(Int(row.urlLength)), as: UTF8.self)
        if case .url(_, let mirrors) = job.source { job.source = .url(url, mirrors: mirrors) }
        if row.nameLength >= 0 { job.fileName = String(decoding: take(Int(row.nameLength)), as: UTF8.self) }
        if let algorithm = row.digest {
            job.digest = Digest(algorithm: algorithm, bytes: Array(take(algorithm.byteCount)))
        }
        return job
    }

    private func row(_ position: Int) -> Row { blocks[position / Block.length].rows[position % Block.length] }

    /// Returns what a job has besides its URL, its name and its digest. To read it costs less than the job.
    package func template(of position: Int) -> JobSpec { templates[Int(row(position).template)] }

    /// Changes what the jobs have in common.
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
        blocks[blocks.count - 1].append(job, template: templates.count - 1)
    }
}

extension JobRows: ExpressibleByArrayLiteral {
    package init(arrayLiteral jobs: JobSpec...) { self.init(jobs) }
}
