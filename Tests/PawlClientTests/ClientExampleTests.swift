import PawlClient

/// The Swift example of the documentation about the service's client. It is compiled, to prove that it is real code,
/// and never run: it needs the service of the user who runs it.
private enum ClientExample {
    static func follow(_ url: String, show: (ServiceDownload) -> Void) async throws {
        // README:begin client
        let client = try ServiceClient()
        let page = try await client.downloads()
        let added = try await client.add([NewDownload(url)])
        guard let download = added.first?.download else { return }
        for try await event in client.events(since: page.change) {
            guard case .changed(let now) = event, now.id == download.id else { continue }
            show(now)  // .state, .bytes, .total, .rate
            if now.state.hasEnded { break }
        }
        // README:end
    }
}
