internal import PawlCore

extension ParserProperty {
    static func contentDisposition(_ bytes: [UInt8]) throws(Violation) {
        let value = text(bytes)
        let parsed = ContentDisposition(fieldValues: [value])
        try claim(parsed?.fileName?.isEmpty != true, "an empty name")
        try claim(parsed == ContentDisposition(fieldValues: [value, value]), "the same line twice says something else")
        if let name = parsed?.fileName, !value.utf8.contains(UInt8(ascii: "\"")) {
            let again = ContentDisposition(fieldValues: [value + "; filename=a; filename*=a"])
            try claim(again?.fileName == name, "the second name counts: \(value.debugDescription)")
        }
        guard let url = try? HTTPURL(parsing: "http://h/url.bin") else { return }
        try claimHarmless(FileName.choose(contentDisposition: parsed, url: url))
    }

    static func fileName(_ bytes: [UInt8]) throws(Violation) {
        try claimHarmless(FileName.sanitize(text(bytes)))
        try claimHarmless(
            FileName.sanitize(String(decoding: bytes.map { UInt16($0) << 8 | UInt16($0) }, as: UTF16.self)))
        for part in FileName.metalinkPath(text(bytes)) ?? [] { try claimHarmless(part) }
    }

    /// The contract of `FileName.sanitize`, and of the names made from its results.
    private static func claimHarmless(_ name: String) throws(Violation) {
        let shown = name.debugDescription
        try claim(!name.isEmpty && name.utf8.count <= FileName.byteLimit, "\(name.utf8.count) bytes: \(shown)")
        try claim(
            !name.utf8.contains { $0 < 0x20 || $0 == 0x7F || "/\\:*?\"<>|".utf8.contains($0) },
            "a byte that means something: \(shown)")
        let first = name.unicodeScalars.first
        try claim(
            first != "." && first != "-" && first != "~" && name.unicodeScalars.last != ".",
            "a risky beginning or end: \(shown)")
        try claim(
            !name.unicodeScalars.contains {
                [.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory)
                    && !FileName.isJoiner($0)
            },
            "a scalar that steers: \(shown)")
        let ends = [name.unicodeScalars.first, name.unicodeScalars.last].compactMap(\.self)
        try claim(!ends.contains(where: FileName.isJoiner), "a joiner at an end: \(shown)")
        try claim(!FileName.isReserved(name), "the name of one of our own files: \(shown)")
        try claim(FileName.sanitize(name).utf8.elementsEqual(name.utf8), "made harmless twice, it is another: \(shown)")
        for own in [FileName.partialName(for: name), FileName.journalName(for: name)] {
            try claim(
                own.utf8.count <= 255 && FileName.isReserved(own) && !own.utf8.contains(0x2F),
                "a name of our own: \(own.debugDescription)")
        }
        let (renamed, next) = (FileName.renamed(name, attempt: 12), FileName.renamed(name, attempt: 13))
        try claim(renamed.utf8.count <= FileName.byteLimit && !FileName.isReserved(renamed), "renamed: \(renamed)")
        try claim(!renamed.isExactly(next), "two attempts, one name: \(renamed)")
        // A name that already has this number, at the greatest length that whole scalars allow, stays the same; then
        // the next number is tried.
        try claim(!renamed.isExactly(name) || name.utf8.count > FileName.byteLimit - 4, "not renamed: \(renamed)")
    }

    static func url(_ bytes: [UInt8]) throws(Violation) {
        guard let parsed = try? HTTPURL(parsing: text(bytes)) else { return }
        try claimSound(parsed)
    }

    /// Resolves the input as the value of a `Location` field.
    static func urlReference(_ bytes: [UInt8]) throws(Violation) {
        guard let base = try? HTTPURL(parsing: "https://user:pass@example.org:8443/a/b?c=d"),
            let target = try? base.resolving(text(bytes))
        else { return }
        try claimSound(target)
    }

    private static func claimSound(_ url: HTTPURL) throws(Violation) {
        let written = url.serialized
        try claim(
            written.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x5C },
            "a byte no request may hold: \(written.debugDescription)")
        try claim(written.utf8.count <= HTTPURL.lengthLimit, "too long")
        try claim(!url.host.isEmpty && url.path.utf8.first == 0x2F, "no host, or no path: \(written)")
        try claim((1...65535).contains(url.effectivePort), "port \(url.effectivePort)")
        var again = url
        again.userinfo = nil
        try claim((try? HTTPURL(parsing: written)) == again, "\(written) is read otherwise")
        let authority = written.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        try claim(!authority.utf8.contains(0x40), "userinfo in \(written)")
        let plain = url.withoutSecrets
        try claim(!plain.hasSecrets && plain.withoutSecrets == plain, "secrets are left: \(plain.serialized)")
        let shown = url.redacted
        try claim(
            shown.utf8.starts(with: again.origin.scheme.rawValue.utf8) && shown.contains(authority),
            "not the same place: \(shown)")
        let items = shown.firstIndex(of: "?").map { shown[shown.index(after: $0)...].split(separator: "&") } ?? []
        let values = items.map { item in item.firstIndex(of: "=").map { item[item.index(after: $0)...] } ?? item }
        try claim(values.allSatisfy { $0.isEmpty || $0 == "…" }, "a value is shown: \(shown)")
        try claimHarmless(FileName.choose(contentDisposition: nil, url: url))
    }
}
