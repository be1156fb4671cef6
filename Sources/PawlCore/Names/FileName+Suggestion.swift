extension FileName {
    /// The server's name for it; else the last segment of the URL that answered, as in browsers, unless only the URL
    /// asked for has a file name extension: redirects often lead to a store that knows the file by a number.
    package static func suggested(by head: ResponseHead, from answering: HTTPURL, asked: HTTPURL) -> String {
        let hasExtension = { (url: HTTPURL) in url.lastPathSegment.contains(UInt8(ascii: ".")) }
        return choose(
            contentDisposition: ContentDisposition(fieldValues: head.fields.values("content-disposition")),
            url: !hasExtension(answering) && hasExtension(asked) ? asked : answering)
    }
}
