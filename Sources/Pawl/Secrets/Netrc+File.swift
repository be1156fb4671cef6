public import PawlCore

extension Netrc {
    /// Reads a netrc file. Blocks.
    ///
    /// ```swift
    /// var configuration = Downloader.Configuration()
    /// configuration.netrc = try Netrc.read("/home/ann/.netrc").netrc
    /// let downloader = try Downloader(configuration: configuration)
    /// ```
    ///
    /// - Throws: ``DownloadError/Code/invalidArgument``, which names the line that cannot be read and never repeats it.
    public static func read(_ path: String) throws(DownloadError) -> (netrc: Netrc, isReadableByOthers: Bool) {
        let content: WholeFile.Content
        do throws(StorageError) {
            content = try WholeFile.read(at: path, limit: maximumFileSize)
        } catch {
            throw .argument("The netrc file “\(path)” cannot be read (\(WholeFile.explanation(of: error))).")
        }
        do throws(NetrcParseError) {
            return (try Netrc(parsing: content.text), content.status.permissions & 0o077 != 0)
        } catch {
            throw .argument("The netrc file “\(path)” is not valid. \(error.message)")
        }
    }

    private static let maximumFileSize = 1 << 20
}
