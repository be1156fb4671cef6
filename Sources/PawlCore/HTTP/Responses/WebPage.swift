/// Tells a web page that stands in for a file (FAULTS L21): the login of a network or of a site, or an error page that calls itself 200.
package enum WebPage {
    /// Whether the answer is a page although the name asked for is that of something else.
    ///
    /// A name in `Content-Disposition` is the server's word that it means a file, whatever it says of the type.
    package static func standsIn(for asked: HTTPURL, named name: String?, _ head: ResponseHead) -> Bool {
        guard isPage(head) else { return false }
        if ContentDisposition(fieldValues: head.fields.values("content-disposition"))?.fileName != nil { return false }
        let wanted = name.flatMap(kind) ?? String(validating: asked.lastPathSegment, as: UTF8.self).flatMap(kind)
        return wanted.map { !pageKinds.contains($0) } ?? false
    }

    /// A page that the server says nothing of, such as one that is made anew for each request.
    package static func isBare(_ head: ResponseHead) -> Bool {
        isPage(head) && !["etag", "last-modified", "content-disposition"].contains { head.fields.first($0) != nil }
    }

    private static func isPage(_ head: ResponseHead) -> Bool {
        guard let type = head.fields.first("content-type") else { return false }
        let essence = Substring(type.utf8.prefix { $0 != UInt8(ascii: ";") }).lowercased().filter { $0 != " " && $0 != "\t" }
        return essence == "text/html" || essence == "application/xhtml+xml"
    }

    /// The extension of a name, lowercased; nil when what follows the last dot is none. A number is a version, not a kind.
    private static func kind(of name: String) -> String? {
        let suffix = Substring(FileName.split(name).suffix.utf8.dropFirst()).lowercased()
        let isWord = suffix.utf8.allSatisfy { ASCII.isAlphanumeric($0) } && suffix.utf8.contains { !ASCII.isDigit($0) }
        return isWord ? suffix : nil
    }

    /// Kinds that are pages, that make pages, or that are the end of a host's name in a path.
    private static let pageKinds: Set<String> = [
        "html", "htm", "xhtml", "xht", "shtml", "php", "asp", "aspx", "jsp", "jspx", "cgi", "pl", "cfm", "do", "action", "com", "org",
        "net",
    ]
}
