import PawlCore

/// A file of the AWS tools: sections with settings, some of which have settings of their own below them, indented.
struct AWSConfigFile: Sendable {
    /// The settings by section and name. One below another has both names, as `s3.addressing_style`.
    private(set) var sections: [ExactText: [ExactText: String]] = [:]

    /// Reads a file; lines that mean nothing are passed over, as the AWS tools do.
    init(parsing bytes: [UInt8]) {
        var (section, parent): (ExactText?, String) = (nil, "")
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let isIndented = line.first.map(ASCII.isBlank) ?? false
            let content = ASCII.trimmingBlanks(line)
            guard let first = content.first, first != UInt8(ascii: "#"), first != UInt8(ascii: ";") else { continue }
            if first == UInt8(ascii: "[") {
                let name = content.dropFirst().prefix { $0 != UInt8(ascii: "]") }
                // A name with blanks stands in quotes.
                section = ExactText(Self.words(name.filter { $0 != UInt8(ascii: "\"") }[...]))
                parent = ""
                if let section { sections[section, default: [:]].merge([:]) { $1 } }
                continue
            }
            guard let section, let equals = content.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = Self.text(content[..<equals]).lowercased()
            let value = Self.text(content[(equals + 1)...])
            guard !name.isEmpty else { continue }
            if !isIndented { parent = value.isEmpty ? name : "" }
            let key = isIndented && !parent.isEmpty ? "\(parent).\(name)" : name
            sections[section, default: [:]][ExactText(key)] = value
        }
    }

    /// The words with one blank between.
    private static func words(_ bytes: ArraySlice<UInt8>) -> String {
        bytes.split(whereSeparator: ASCII.isBlank).map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: ASCII.trimmingBlanks(bytes), as: UTF8.self)
    }
}
