/// The templates of the latest requests: of many, most ask for the same, and share one.
package struct RecentTemplates: Sendable {
    private static let maximumCount = 8

    private var templates: [Boxed<DownloadSettings.Template>] = []

    package init() {}

    /// Returns the same request with a template that others have, too.
    package mutating func shared(_ request: DownloadSettings.Request) -> DownloadSettings.Request {
        let template = request.template
        if templates.first?.isShared(with: template) ?? false { return request }
        if let same = templates.first(where: { $0.value.isExactly(template.value) }) {
            return DownloadSettings.Request(url: request.url, same)
        }
        templates = [template] + templates.prefix(Self.maximumCount - 1)
        return request
    }
}
