import PawlCore

extension DownloadRequest {
    func addMirrors(to template: inout DownloadSettings.Template, of url: HTTPURL) throws(DownloadError) {
        guard mirrors.count <= Mirror.maximumCount else {
            throw .argument("\(mirrors.count) mirrors are too many: give at most \(Mirror.maximumCount).")
        }
        if !mirrors.isEmpty {
            var known: Set = [url, template.freshURL ?? url]
            for mirror in mirrors {
                let source = try mirror.checked()
                if known.insert(source.url).inserted { template.mirrors.append(source) }
            }
        }
        template.options.preferredLocations = try options.preferredLocations.map { (text) throws(DownloadError) in
            try Mirror.checked(location: text)
        }
    }
}

extension Mirror {
    fileprivate func checked() throws(DownloadError) -> Source {
        guard (1...Self.lowestPriority).contains(priority) else {
            throw .argument(
                "A priority of \(priority): choose a number from 1 (best) to \(Self.lowestPriority).")
        }
        let location = try location.map { (text) throws(DownloadError) in try Self.checked(location: text) }
        return Source(url: try HTTPURL.checked(url), priority: priority, location: location)
    }

    fileprivate static func checked(location: String) throws(DownloadError) -> String {
        guard let country = country(location) else {
            throw .argument("“\(location)” is not a country. Write two letters, as in ISO 3166-1: de, us, jp.")
        }
        return country
    }

    /// The code of a country, as mirrors are compared with it; nil for a text that is none.
    package static func country(_ text: String) -> String? {
        text.utf8.count == 2 && text.utf8.allSatisfy(ASCII.isLetter) ? text.lowercased() : nil
    }
}
