import PawlCore

/// The files of a run in their order, in little memory (``JobRows``).
package struct JobFiles: RandomAccessCollection, Hashable, Sendable {
    private var specs = JobRows()
    /// The index of each file's job.
    private var jobs: [Int32] = []
    private var nestings: [Int: JobFile.Nesting] = [:]

    package init() {}

    package init(_ files: some Sequence<JobFile>) { for file in files { append(file) } }

    package var startIndex: Int { 0 }
    package var endIndex: Int { specs.count }

    package subscript(position: Int) -> JobFile {
        var file = JobFile(job: Int(jobs[position]), spec: specs[position], nesting: nestings[position])
        if count == 1 { file.isAlone = true }
        return file
    }

    package subscript(id: JobFileID) -> JobFile { self[id.number - 1] }

    /// Returns what a file has besides its URLs, its name, its directory and its digest. To read it costs less than the
    /// file.
    package func template(of id: JobFileID) -> JobSpec { specs.template(of: id.number - 1) }

    /// Whether some files need directories of their own.
    var areNested: Bool { !nestings.isEmpty }

    package mutating func append(_ file: JobFile) {
        if let nesting = file.nesting { nestings[specs.count] = nesting }
        specs.append(file.spec)
        jobs.append(Int32(file.job))
    }

    /// Keeps existing files where the request says nothing about them and several files are downloaded, or the file is
    /// unpacked.
    mutating func settleIfExists(isOneOfSeveral: Bool) {
        specs.changeTemplates { $0.settleIfExists(isOneOfSeveral: isOneOfSeveral) }
    }

    package static func == (left: Self, right: Self) -> Bool { left.elementsEqual(right) }

    package func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension JobFiles: ExpressibleByArrayLiteral {
    package init(arrayLiteral files: JobFile...) { self.init(files) }
}
