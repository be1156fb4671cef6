internal import PawlCore

extension ParserProperty {
    /// Lines of the input are `Digest` lines.
    static func instanceDigests(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        let parsed = DigestFields.parseInstanceDigests(lines)
        try claim(Set(parsed.map(\.algorithm)).count == parsed.count, "one algorithm twice: \(parsed)")
        try claim(DigestFields.parseInstanceDigests(lines.reversed()) == parsed, "the order of the lines decides")
        let written = parsed.map { digest in
            (digest.algorithm == .sha1 ? "SHA" : digest.algorithm.rawValue) + "=" + Base64.encode(digest.bytes)
        }
        try claim(
            DigestFields.parseInstanceDigests([written.joined(separator: ",")]) == parsed,
            "\(written) is read otherwise")
    }

    /// Lines of the input are `Link` lines.
    static func link(_ bytes: [UInt8]) throws(Violation) {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { text(Array($0)) }
        let parsed = LinkField.parse(lines)
        try claim(parsed.count <= LinkField.countLimit, "\(parsed.count) links")
        try claim(
            parsed.count == LinkField.countLimit || lines.flatMap { LinkField.parse([$0]) } == parsed,
            "a line says otherwise beside others")
        for origin in ["http://example.org/a/b", "https://u:p@example.org:8443/?q"] {
            guard let url = try? HTTPURL(parsing: origin) else { continue }
            let links = MirrorLinks(fieldValues: lines, from: url)
            try claim(Set(links.mirrors.map(\.url)).count == links.mirrors.count, "a mirror twice")
            try claim(links.mirrors.map(\.priority) == links.mirrors.map(\.priority).sorted(), "not by priority")
            for target in links.mirrors.map(\.url) + links.metalinks {
                try claim(target.userinfo == nil, "credentials in \(target.serialized)")
                try claim(
                    (try? HTTPURL(parsing: target.serialized)) == target, "\(target.serialized) is read otherwise")
            }
        }
    }

    static func digestList(_ bytes: [UInt8]) throws(Violation) {
        for listName in [nil, "SHA256SUMS", "B2SUMS"] {
            let list = DigestList(parsing: bytes, listName: listName)
            try claim(Set(list.entries).count == list.entries.count, "an entry twice")
            // The list survives being written in the coreutils format and parsed again.
            let written = list.entries.map { entry in
                guard let name = entry.name else { return entry.digest.hex + "\n" }
                let isPlain = !name.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == UInt8(ascii: "\\") }
                return (isPlain ? "" : "\\") + "\(entry.digest.hex)  \(isPlain ? name : escaped(name))\n"
            }
            // A name may begin or end with blanks, which no line can express.
            let isWritable = list.entries.allSatisfy {
                ($0.name ?? "").utf8.elementsEqual(trimmed($0.name ?? "").utf8)
                    && $0.name?.utf8.first != UInt8(ascii: "*")
            }
            if isWritable {
                try claim(
                    DigestList(parsing: written.joined().systemBytes).entries == list.entries,
                    "\(written) is read otherwise")
            }
            for name in list.entries.compactMap(\.name)
            where name.utf8.contains(where: { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ".") }) {
                guard let digest = try? list.digest(forFileAt: [name]) else { continue }
                try claim(list.entries.contains { $0.digest == digest }, "a digest from nowhere")
            }
        }
    }

    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { $0 == "\\" ? "\\\\" : $0 == "\n" ? "\\n" : $0 == "\r" ? "\\r" : String($0) }.joined()
    }

    private static func trimmed(_ name: String) -> String {
        String(decoding: ASCII.trimmingBlanks(Array(name.utf8)[...]), as: UTF8.self)
    }
}
