import PawlCore

/// Finds links and the contents of elements in HTML or XML, without a judgement of the rest.
struct MarkupReader {
    private let bytes: [UInt8]
    private let tags: [Tag]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        tags = Self.tags(bytes)
    }

    /// The values of `href` of all `a` elements.
    var links: [String] {
        var links: [String] = []
        for tag in tags where tag.name.map({ ASCII.lowercased($0) }).elementsEqual("a".utf8) {
            if let value = Self.attribute("href", in: tag.rest) { links.append(Self.text(value)) }
        }
        return links
    }

    /// The address that relative links start from, where the page names one.
    var base: String? {
        for tag in tags where tag.name.map({ ASCII.lowercased($0) }).elementsEqual("base".utf8) {
            if let value = Self.attribute("href", in: tag.rest) { return Self.text(value) }
        }
        return nil
    }

    func hasElement(_ name: String) -> Bool { tags.contains { $0.name.elementsEqual(name.utf8) } }

    /// The texts of all elements of this name, which hold no others.
    func contents(of name: String) -> [String] { tags.filter { $0.name.elementsEqual(name.utf8) }.map(content) }

    /// The texts of the elements of this name that follow right behind the beginning of an outer one.
    func contents(of name: String, in outer: String) -> [String] {
        zip(tags, tags.dropFirst()).filter {
            $0.name.elementsEqual(outer.utf8) && $1.name.elementsEqual(name.utf8)
        }.map { content(of: $1) }
    }

    private func content(of tag: Tag) -> String {
        let start = tag.rest.endIndex + 1
        return Self.text(start < bytes.endIndex ? bytes[start...].prefix { $0 != UInt8(ascii: "<") } : [])
    }

    // MARK: Tags

    private struct Tag {
        var name: ArraySlice<UInt8>
        /// The bytes between the name and `>`.
        var rest: ArraySlice<UInt8>
    }

    private static func tags(_ bytes: [UInt8]) -> [Tag] {
        var tags: [Tag] = []
        var index = bytes.startIndex
        while let start = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start + 1
            if bytes[index...].starts(with: "!--".utf8) {
                index = place(of: "-->", in: bytes, from: min(index + 3, bytes.endIndex))
                continue
            }
            let name = bytes[index...].prefix { ASCII.isAlphanumeric($0) }
            guard !name.isEmpty else { continue }
            let end = end(ofTagAt: name.endIndex, in: bytes)
            tags.append(Tag(name: name, rest: bytes[name.endIndex..<end]))
            index = end
            // Links that a script would write are not in the page.
            let lowercased = name.map { ASCII.lowercased($0) }
            for element in ["script", "style"] where lowercased.elementsEqual(element.utf8) {
                index = place(of: "</" + element, in: bytes, from: end)
            }
        }
        return tags
    }

    /// The place of a text, its case ignored; the end where it does not follow.
    private static func place(of text: String, in bytes: [UInt8], from start: Int) -> Int {
        var index = start
        while index < bytes.endIndex,
            !bytes[index...].prefix(text.utf8.count).map({ ASCII.lowercased($0) }).elementsEqual(text.utf8)
        {
            index += 1
            index = bytes[index...].firstIndex { $0 == text.utf8.first } ?? bytes.endIndex
        }
        return index
    }

    /// The place of a tag's `>`: one between quotation marks ends nothing.
    private static func end(ofTagAt start: Int, in bytes: [UInt8]) -> Int {
        var quote: UInt8?
        for index in start..<bytes.endIndex {
            let byte = bytes[index]
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if byte == UInt8(ascii: ">") {
                return index
            }
        }
        return bytes.endIndex
    }

    private static func attribute(_ name: String, in tag: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = tag
        while true {
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: "/") }
            let found = rest.prefix { !isBlank($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "/") }
            guard !found.isEmpty || !rest.isEmpty else { return nil }
            rest = rest[found.endIndex...].drop(while: isBlank)
            guard rest.first == UInt8(ascii: "=") else {
                // A stray sign is passed over.
                if found.isEmpty { rest = rest.dropFirst() }
                continue
            }
            rest = rest.dropFirst().drop(while: isBlank)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest[value.endIndex...].dropFirst()
            } else {
                value = rest.prefix { !isBlank($0) }
                rest = rest[value.endIndex...]
            }
            if found.map({ ASCII.lowercased($0) }).elementsEqual(name.utf8) { return value }
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    // MARK: Text

    private static let entities: [(name: String, scalar: Unicode.Scalar)] = [
        ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
    ]

    /// Returns the text with its character references resolved; unknown ones are left as they are.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        var rest = Substring(String(decoding: bytes, as: UTF8.self)).unicodeScalars
        while let scalar = rest.popFirst() {
            guard scalar == "&" else {
                text.unicodeScalars.append(scalar)
                continue
            }
            let name = rest.prefix(10).prefix { $0.isASCII && $0 != ";" && $0 != "&" }
            let end = rest.dropFirst(name.count)
            if end.first == ";", let meant = character(String(name)) {
                text.unicodeScalars.append(meant)
                rest = end.dropFirst()
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    private static func character(_ name: String) -> Unicode.Scalar? {
        guard name.begins(with: "#") else { return entities.first { $0.name.isExactly(name) }?.scalar }
        let number = name.unicodeScalars.dropFirst()
        let isHexadecimal = number.first == "x" || number.first == "X"
        let value = UInt32(String(isHexadecimal ? number.dropFirst() : number), radix: isHexadecimal ? 16 : 10)
        return value.flatMap { Unicode.Scalar($0) }
    }
}
