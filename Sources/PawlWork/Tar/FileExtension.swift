import PawlCore

/// The extension of a member's name, by which readers of tars tell how to decode it.
enum FileExtension {
    /// The extension that a media type has, else that of the URL's path, else `bin`: 1 to 10 letters and digits.
    static func choose(contentType: String?, url: HTTPURL?) -> String {
        if let type = contentType.map(mediaType), let known = ofMediaTypes[ExactText(type)] { return known }
        return url.flatMap(ofPath) ?? "bin"
    }

    private static func mediaType(_ contentType: String) -> String {
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }
        return String(decoding: type, as: UTF8.self).lowercased()
    }

    private static func ofPath(_ url: HTTPURL) -> String? {
        guard let name = FileName.named(by: url) else { return nil }
        let parts = name.utf8.split(separator: UInt8(ascii: "."))
        guard parts.count > 1, let last = parts.last, (1...10).contains(last.count),
            last.allSatisfy({ isDigit($0) || isLetter($0) })
        else { return nil }
        return String(decoding: last, as: UTF8.self).lowercased()
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// Types of which a server says more than a URL: mostly those of IANA's registry.
    private static let ofMediaTypes: [ExactText: String] = {
        let types = [
            "application/gzip": "gz", "application/json": "json", "application/pdf": "pdf", "application/zip": "zip",
            "application/xml": "xml", "application/epub+zip": "epub", "application/x-tar": "tar",
            "application/vnd.apache.parquet": "parquet", "application/warc": "warc",
            "audio/aac": "aac", "audio/flac": "flac", "audio/mp4": "m4a", "audio/mpeg": "mp3", "audio/ogg": "ogg",
            "audio/opus": "opus", "audio/wav": "wav", "audio/x-wav": "wav", "audio/webm": "weba",
            "image/avif": "avif", "image/bmp": "bmp", "image/gif": "gif", "image/heic": "heic", "image/jp2": "jp2",
            "image/jpeg": "jpg", "image/jpg": "jpg", "image/jxl": "jxl", "image/png": "png",
            "image/svg+xml": "svg", "image/tiff": "tif", "image/vnd.microsoft.icon": "ico", "image/webp": "webp",
            "image/x-icon": "ico",
            "text/css": "css", "text/csv": "csv", "text/html": "html", "text/javascript": "js",
            "text/markdown": "md", "text/xml": "xml",
            "video/mp4": "mp4", "video/mpeg": "mpg", "video/ogg": "ogv", "video/quicktime": "mov",
            "video/webm": "webm", "video/x-matroska": "mkv",
        ]
        return Dictionary(uniqueKeysWithValues: types.map { (ExactText($0.key), $0.value) })
    }()
}
