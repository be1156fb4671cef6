package import Pawl
package import PawlCore
import PawlEngine
import Synchronization

/// The files with credentials that somebody names, each read once in a run: a pipe such as `<(pass show netrc)` can be
/// read only once, and several options, downloads and warnings ask for the same file.
package final class NamedFiles: Sendable {
    package typealias NetrcFile = (netrc: Netrc, isReadableByOthers: Bool)

    private struct Known {
        var netrcs: [ExactText: Result<NetrcFile, DownloadError>] = [:]
        var cookies: [ExactText: Result<LoadedCookies, DownloadError>] = [:]
    }

    package struct LoadedCookies: Sendable {
        package let store: CookieStore
        package let unreadableLines: Int
    }

    package let pem = PEMFiles()
    private let known = Locked(Known())

    package init() {}

    package func netrc(_ path: String) throws(DownloadError) -> NetrcFile {
        try read(path, \.netrcs) { (path) throws(DownloadError) in try Netrc.read(path) }
    }

    /// The store that holds the file's cookies: the same one each time.
    package func cookies(_ path: String) throws(DownloadError) -> LoadedCookies {
        try read(path, \.cookies) { (path) throws(DownloadError) in
            let store = CookieStore()
            return LoadedCookies(store: store, unreadableLines: try store.load(fromFile: path))
        }
    }

    /// Failures are remembered too: the content of a pipe is gone after the first attempt.
    private func read<Value: Sendable>(
        _ path: String, _ table: WritableKeyPath<Known, [ExactText: Result<Value, DownloadError>]>,
        _ readFile: (String) throws(DownloadError) -> Value
    ) throws(DownloadError) -> Value {
        let result = known.withLock { known in
            let key = ExactText(path)
            if let result = known[keyPath: table][key] { return result }
            let result = Result { () throws(DownloadError) in try readFile(path) }
            known[keyPath: table][key] = result
            return result
        }
        return try result.get()
    }
}
