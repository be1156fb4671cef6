import Pawl
import PawlCore
import PawlJobs
import PawlSystem

extension StoredJob {
    /// The path of the finished file; nil while the name is unknown.
    var path: String? { name.map { spec.directory + "/" + $0 } }

    /// The finished file is no longer there, or is another one.
    var isMissing: Bool {
        guard state == .completed, !isSkipped, let path else { return false }
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        if isDirect, status.st_mode & S_IFMT == S_IFDIR { return false }
        guard status.st_mode & S_IFMT == S_IFREG else { return true }
        return Int64(status.st_size) != stored
    }

    /// Returns the stored ranges; for a job that does not run, they come from the journal beside its file.
    func storedRanges(_ progress: DownloadProgress?, total: Int64) -> [ByteRange] {
        if state == .completed { return [ByteRange(0..<total)] }
        if let ranges = progress?.storedRanges, !ranges.isEmpty { return ranges }
        guard started != nil, let path else { return [] }
        return (try? PartialFileStatus.read(path))?.resumableRanges ?? []
    }
}
