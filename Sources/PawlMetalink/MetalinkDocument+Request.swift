public import Pawl
internal import PawlCore

extension MetalinkDocument.File {
    /// Returns the request that downloads this file.
    ///
    /// - Parameter directory: an existing one. Directories in the file's ``path`` go beneath it; they are made by
    ///   ``makeDirectories(in:)``.
    /// - Returns: the request; nil if no URL of the file is of `http` or `https`.
    public func request(in directory: String = ".") -> DownloadRequest? {
        guard let first = mirrors.first, let fileName = path.last else { return nil }
        let above = directory.isEmpty || directory == "." ? [] : [directory == "/" ? "" : directory]
        let place = (above + path.dropLast()).joined(separator: "/")
        var request = DownloadRequest(first.url, in: place.isEmpty ? (directory == "/" ? "/" : ".") : place)
        request.fileName = fileName
        request.mirrors = Array(mirrors.dropFirst().prefix(Mirror.maximumCount))
        request.digest = digests.first
        request.pieceHashes = pieceHashes
        request.expectedSize = size
        return request
    }
}
