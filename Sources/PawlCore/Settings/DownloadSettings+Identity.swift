/// The identity that distinguishes one download from another. docs/decisions/0007 has the reasons.
extension DownloadSettings {
    /// The part of a download's identity that may be stored in clear text: two downloads that differ in it are
    /// different.
    package var urlIdentity: String { urlIdentity(of: url) }

    package func urlIdentity(of url: HTTPURL) -> String {
        JournalRecord.urlIdentity(of: url, ranges: options.ranges, isSparse: options.isSparse)
    }

    /// Tells this request from every other: the whole URL, who asks, with what, and which parts are wanted. It holds
    /// secrets.
    package var identity: [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writeIdentity(of: url, self.callerFields.map(\.named), to: &writer)
        writer.text(self.userAgent)
        writer.optional(self.referer) { $0.text($1.serialized) }
        return writer.buffer
    }

    /// A password, in the URL or beside it, proves who asks and does not say it, so it is no part of this.
    private func writeIdentity(of url: HTTPURL, _ fields: [NamedField], to writer: inout ByteWriter) {
        writer.text(url.serialized)
        writer.optional(options.ranges) { writer, ranges in
            writer.text(ranges.description)
            writer.integer(UInt8(options.isSparse ? 1 : 0))
        }
        switch secret(for: url) {
        case nil: writer.integer(UInt8(0))
        case .password(let credentials):
            writer.integer(UInt8(1))
            writer.text(credentials.name)
        case .bearer(let token):
            writer.integer(UInt8(2))
            writer.text(token.text)
        }
        writer.list(fields.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }) { $0.bytes($1) }
    }

    /// Returns the identity that a journal records. It includes the settings shared by all downloads of a process, in
    /// which another process may differ.
    ///
    /// - Parameters:
    ///   - cookies: of the caller's jar, as they would be sent to `url`.
    ///   - certificate: a digest of the certificate that servers are shown.
    package func journalIdentity(of url: HTTPURL, cookies: String?, certificate: [UInt8]?) -> [UInt8] {
        var writer = ByteWriter(capacity: 256)
        writeIdentity(of: url, tellingFields, to: &writer)
        writer.optional(cookies) { $0.text($1) }
        writer.optional(certificate) { $0.block($1) }
        return writer.buffer
    }

    /// Whether the request carries no authentication.
    package func isAnonymous(at url: HTTPURL) -> Bool { secret(for: url) == nil && tellingFields.isEmpty }

    /// Any field of the caller's may say who asks. Those that name a program or a page do not, and change with the next
    /// version or link.
    private var tellingFields: [NamedField] {
        self.callerFields.map(\.named).filter { $0.name != "user-agent" && $0.name != "referer" }
    }

    // MARK: Shared downloads

    /// Whether one download can serve both requests.
    package func canShareDownload(with other: DownloadSettings) -> Bool {
        identity == other.identity && options.guarantees == other.options.guarantees
    }
}

/// A field by its name in lowercase.
private struct NamedField {
    let name: String
    let value: String

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.text(name)
        writer.text(value)
        return writer.buffer
    }
}

extension HTTPField {
    fileprivate var named: NamedField { NamedField(name: name.lowercased(), value: value) }
}
