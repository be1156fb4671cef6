package import Pawl
package import PawlArchive
import PawlCore
package import PawlMetalink

/// A file of a run, from 1, in the order given.
package struct JobFileID: Hashable, Comparable, Sendable {
    package let number: Int

    package init(_ number: Int) { self.number = number }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }
}

/// One file that a job is to bring, after its documents were read.
package struct JobFile: Hashable, Sendable {
    /// Index of its job in the run.
    package var job: Int
    /// Its source is a URL.
    package var spec: JobSpec
    /// The document's directories, to be made in the job's own before the file is fetched.
    package var described: ResolvedFile.Described?
    /// What tells it from other requests; two files that share it and the target are one.
    package var identity: [UInt8]
    package var target: JobTarget

    package init(job: Int = 0, spec: JobSpec, described: ResolvedFile.Described? = nil, identity: [UInt8], target: JobTarget) {
        self.job = job
        self.spec = spec
        self.described = described
        self.identity = identity
        self.target = target
    }

    package var url: String { if case .url(let url, _) = spec.source { url } else { "" } }
    package var mirrors: [Mirror] { if case .url(_, let mirrors) = spec.source { mirrors } else { [] } }
}

/// A file that is whole and has its name.
package struct FetchedFile: Hashable, Sendable {
    package var target: JobTarget
    package var result: DownloadResult
    /// Its length and time of modification when it was fetched; nil where they are not known.
    package var mark: UnpackedMark?

    package init(target: JobTarget, result: DownloadResult, mark: UnpackedMark? = nil) {
        self.target = target
        self.result = result
        self.mark = mark
    }

    /// As its job spells it.
    package var path: String { result.path }
    /// It was there before, and nothing was fetched.
    package var existed: Bool { result.wasSkipped }
}

/// What an archive was unpacked to.
package struct UnpackedFile: Hashable, Sendable {
    package var target: JobTarget
    package var result: ExtractionResult

    package init(target: JobTarget, result: ExtractionResult) {
        self.target = target
        self.result = result
    }

    /// It was there before, and was left as it is.
    package var isSkipped: Bool { result.isSkipped }
}

/// A file that a job stands for, once its documents are read.
package struct ResolvedFile: Hashable, Sendable {
    /// Its source is a URL, and nothing of it has to be read any more.
    package var spec: JobSpec
    /// The file of the document that named it, and the directory of the job, in which its directories may have to be made.
    package var described: Described?

    package struct Described: Hashable, Sendable {
        package var file: MetalinkDocument.File
        package var directory: String
    }

    package init(spec: JobSpec) { self.spec = spec }
}
