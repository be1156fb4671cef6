/// Detects a web page in place of a file: the login page of a network or a site, or an error page sent with status 200.
package enum WebPage {
    /// Whether the answer is a page although the requested name is not that of a page.
    ///
    /// With a name in `Content-Disposition` the server declares a file, whatever the type says.
    package static func standsIn(for asked: HTTPURL, named name: String?, _ head: ResponseHead) -> Bool {
        guard isPage(head) else { return false }
        if ContentDisposition(fieldValues: head.fields.values("content-disposition"))?.fileName != nil { return false }
        let wanted = name.flatMap(kind) ?? String(validating: asked.lastPathSegment, as: UTF8.self).flatMap(kind)
        return wanted.map { !pageKinds.contains($0) } ?? false
    }

    /// A page without validators, such as one generated for each request.
    package static func isBare(_ head: ResponseHead) -> Bool {
        isPage(head) && !["etag", "last-modified", "content-disposition"].contains { head.fields.first($0) != nil }
    }

    private static func isPage(_ head: ResponseHead) -> Bool {
        guard let type = head.fields.first("content-type") else { return false }
        let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") }.lazy.filter { !ASCII.isBlank($0) }
            .map(ASCII.lowercased)
        return essence.elementsEqual("text/html".utf8) || essence.elementsEqual("application/xhtml+xml".utf8)
    }

    /// The extension of a name, lowercased; nil if what follows the last dot is not one. A number is a version, not a
    /// type.
    private static func kind(of name: String) -> String? {
        let last = FileName.split(name).suffix.utf8.split(separator: UInt8(ascii: ".")).last
        let suffix = last.map { Substring($0).lowercased() } ?? ""
        let isWord = suffix.utf8.allSatisfy { ASCII.isAlphanumeric($0) } && suffix.utf8.contains { !ASCII.isDigit($0) }
        return isWord ? suffix : nil
    }

    /// Extensions of pages, of programs that generate pages, or of host names in a path.
    private static let pageKinds: Set<String> = [
        "html", "htm", "xhtml", "xht", "shtml", "php", "asp", "aspx", "jsp", "jspx", "cgi", "pl", "cfm", "do", "action",
        "com", "org",
        "net",
    ]
}
