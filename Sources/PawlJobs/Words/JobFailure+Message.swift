import PawlArchive
import PawlCore
import PawlMetalink

extension JobFailure {
    /// What failed, without what would help: that is for whoever shows it to say, in its own words.
    package var message: String {
        switch self {
        case .download(let error): error.message
        case .archive(let error): error.message
        case .spec(let error): error.message
        case .sameTarget(_, let file): "Two URLs are to become “\(file.likelyPath)”."
        case .clash(_, let other, let path): "“\(path)” is the file of another URL of this job (\(other.shownURL))."
        case .existingFileDiffers(let path):
            "“\(path)” already existed and does not match the checksum, so it is not unpacked."
        case .mayBeCutOff(let path):
            "“\(path)” may be incomplete: the server gave neither a length nor a clear end. It is not unpacked."
        case .directoryMadeInRun(let path): "“\(path)” was made from another archive of this job, and is not replaced."
        case .changedSinceFetched(let path):
            "“\(path)” was changed or replaced after it was downloaded, so it is not unpacked."
        case .document(let place, let problem): "\(place): \(problem.message)"
        case .selectsNothing(let word): "“\(word)” selects none of the Metalink's files."
        }
    }
}

extension JobDocumentProblem {
    fileprivate var message: String {
        switch self {
        case .notMetalink(let error): "This Metalink cannot be used: \(error)"
        case .noUsableURL(let name): "The Metalink has no http or https URL for “\(name)”."
        case .noDigest(let error): error.message
        case .notOneFile(let name, let count, _):
            "The Metalink has \(count == 0 ? "no file" : "several files") named “\(name)”."
        case .noSource: "The Metalink has no http or https URL for the file."
        case .noPieceHashes: "The Metalink has no piece hashes for the file, so nothing tells which bytes are wrong."
        case .otherOrigins:
            "Headers and credentials go to the origin of a given URL, and the Metalink names other servers."
        }
    }
}
