internal import Pawl
internal import PawlCore

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension URL {
    /// The text that Pawl reads again by its own, stricter rules; a relative URL is resolved against its base.
    ///
    /// - Throws: `invalidURL`.
    func downloadAddress() throws(DownloadError) -> String {
        let text = absoluteString
        do throws(HTTPURLError) {
            _ = try HTTPURL(parsing: text)
        } catch {
            throw DownloadError(.invalidURL, error.message, recovery: .giveUp)
        }
        return text
    }

    /// The path of a file that a download may make.
    ///
    /// - Throws: `invalidArgument`.
    func targetPath() throws(DownloadError) -> String {
        let path = try localPath()
        guard path.utf8.last != UInt8(ascii: "/") else {
            throw .argument("“\(path)” is a directory. Name the file, or let the server name it (in:).")
        }
        return path
    }

    /// The path of a directory, without the slash at its end.
    ///
    /// - Throws: `invalidArgument`.
    func directoryPath() throws(DownloadError) -> String {
        let path = Array(try localPath().utf8)
        let end = path.lastIndex { $0 != UInt8(ascii: "/") }
        return end.map { String(decoding: path[...$0], as: UTF8.self) } ?? "/"
    }

    /// RFC 8089, read strictly: whatever Foundation would drop or replace without a word is an error here, because the
    /// file would get another name than the one asked for.
    private func localPath() throws(DownloadError) -> String {
        let url = absoluteURL
        guard url.isFileURL else {
            let found = url.scheme.map { "a URL with the scheme “\($0)”" } ?? "a URL without a scheme"
            throw .argument("The target is \(found). Give a file URL; URL(filePath:) makes one from a path.")
        }
        try url.checkIsLocal()
        guard url.query == nil, url.fragment == nil else {
            throw .argument(
                "The file URL of the target has a query or a fragment. In a file name, “?” is written %3F and “#” %23; "
                    + "URL(filePath:) does that.")
        }
        return try Self.decoded(url.path(percentEncoded: true))
    }

    private func checkIsLocal() throws(DownloadError) {
        guard user == nil, password == nil, port == nil else {
            throw .argument("The file URL of the target has a user or a port. A local file has neither.")
        }
        let host = host(percentEncoded: false) ?? ""
        guard host.isEmpty || host.lowercased() == "localhost" else {
            throw .argument(
                "The file URL of the target names the host “\(host)”. Only files of this machine can be targets.")
        }
    }

    private static func decoded(_ path: String) throws(DownloadError) -> String {
        let encoded = Array(path.utf8)
        guard encoded.first == UInt8(ascii: "/") else {
            throw .argument(
                "The file URL of the target has no absolute path. URL(filePath:) makes one from a relative path.")
        }
        for index in encoded.indices {
            guard let byte = PercentCoding.escapedByte(in: encoded[...], at: index) else { continue }
            guard byte != 0, byte != UInt8(ascii: "/") else {
                throw .argument("The file URL of the target has an escaped slash or NUL. No file name has either.")
            }
        }
        // Foundation puts U+FFFD where a path was not UTF-8, and then the file would get that name.
        guard let text = String(validating: PercentCoding.decode(encoded[...]), as: UTF8.self),
            !text.unicodeScalars.contains("\u{FFFD}")
        else {
            throw .argument(
                "The file URL of the target has a path that is not UTF-8. Choose another directory or name.")
        }
        return text
    }
}
