public import PawlCore
import PawlEngine

/// The cookies that the downloads of a ``Downloader`` share (RFC 6265): set by servers, brought by a file, written to a
/// file.
///
/// In memory only, unless ``save(to:)`` is called. Give the same one to several downloaders to let them share it.
///
/// ```swift
/// let cookies = CookieStore()
/// try cookies.load(fromFile: "cookies.txt")
/// var configuration = Downloader.Configuration()
/// configuration.cookies = cookies
/// let downloader = try Downloader(configuration: configuration)
/// ```
public final class CookieStore: Sendable {
    let shared: SharedCookies

    /// The path at which Debian and its kin keep the list of publicsuffix.org.
    public static let systemPublicSuffixList = "/usr/share/publicsuffix/public_suffix_list.dat"

    /// - Parameter publicSuffixList: a file in the format of publicsuffix.org, read once a server wants a cookie to go
    ///   to more hosts than its own. Nil, or a file that cannot be read: no cookie ever does.
    public init(publicSuffixList: String? = CookieStore.systemPublicSuffixList) {
        shared = SharedCookies(readSuffixes: {
            guard let path = publicSuffixList,
                let text = try? WholeFile.read(at: path, limit: Self.maximumListSize).text
            else { return nil }
            let list = PublicSuffixList(parsing: text)
            return list.isEmpty ? nil : list
        })
    }

    private static let maximumListSize = 16 << 20
    private static let maximumFileSize = 64 << 20

    /// The number of cookies, expired ones included.
    public var count: Int { shared.jar.count }

    /// Adds the cookies of a file in the format that Netscape introduced (`cookies.txt`), as browsers, curl and wget
    /// write it. Those that are over are left out. Blocks.
    ///
    /// - Returns: how many lines could not be read, and were left out.
    /// - Throws: ``DownloadError/Code/invalidArgument`` when the file cannot be read, or holds no line that is a
    ///   cookie.
    @discardableResult
    public func load(fromFile path: String) throws(DownloadError) -> Int {
        let now = WallClock.secondsSinceEpoch
        let file: CookieFile
        do throws(StorageError) {
            file = CookieFile(parsing: try WholeFile.read(at: path, limit: Self.maximumFileSize).text, wallClock: now)
        } catch {
            throw .argument("The cookie file “\(path)” cannot be read (\(WholeFile.explanation(of: error))).")
        }
        guard !file.cookies.isEmpty || file.unreadableLines.isEmpty else {
            throw .argument(
                "“\(path)” is not a cookies.txt: no line has the seven tab-separated fields of a cookie.")
        }
        let isListNeeded =
            file.cookies.contains { !$0.isHostOnly } || shared.jar.mayOverflow(adding: file.cookies.count)
        let suffixes = isListNeeded ? shared.loadSuffixes() : nil
        shared.change { jar in
            // A browser would not have kept a cookie for strangers, so such a line is somebody's mistake or trick.
            for cookie in file.cookies where cookie.isHostOnly || !(suffixes?.isPublic(cookie.domain) ?? false) {
                jar.insert(cookie, wallClock: now, suffixes: suffixes)
            }
        }
        return file.unreadableLines.count
    }

    /// Writes all cookies, those of the session included, to a file that only its owner can read, atomically. Blocks.
    ///
    /// - Throws: ``DownloadError``.
    public func save(to path: String) throws(DownloadError) {
        let text = CookieFile.text(of: shared.jar, wallClock: WallClock.secondsSinceEpoch)
        do throws(StorageError) {
            try WholeFile.write(Array(text.utf8), to: path)
        } catch {
            throw .storage(error)
        }
    }

    package var hasCookies: Bool { !shared.jar.cookies.isEmpty }

    public func removeAll() { shared.change { $0 = CookieJar() } }
}
