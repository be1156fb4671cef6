extension HTTPURL {
    /// The host as people are told it: `bücher.example (xn--bcher-kva.example)`.
    package var shownHost: String { Self.shown(host: host) }

    /// A host in both of its forms where it has letters outside ASCII and all letters of a label are of one script.
    /// Anything else is shown in ASCII alone: a Cyrillic “а” among Latin letters is how one host looks like another.
    package static func shown(host: String) -> String {
        guard host.utf8.contains(UInt8(ascii: "-")) else { return host }
        var hasLetters = false
        var labels: [String] = []
        for label in host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
            let label = Substring(label)
            guard label.begins(with: "xn--") else {
                labels.append(String(label))
                continue
            }
            guard let decoded = Punycode.decode(label: label), Script.ofAll(decoded) != [] else { return host }
            hasLetters = true
            labels.append(decoded)
        }
        return hasLetters ? "\(labels.joined(separator: ".")) (\(host))" : host
    }
}

/// The writing systems whose names are shown in their letters. Those that are not listed are shown in ASCII.
private struct Script: OptionSet {
    let rawValue: Int

    static let latin = Script(rawValue: 1)
    static let greek = Script(rawValue: 2)
    static let cyrillic = Script(rawValue: 4)
    static let hebrew = Script(rawValue: 8)
    static let arabic = Script(rawValue: 16)
    static let devanagari = Script(rawValue: 32)
    static let thai = Script(rawValue: 64)
    /// Which use Latin letters and Han characters besides their own (UTS 39 §5.2, “highly restrictive”).
    static let japanese = Script(rawValue: 128)
    static let korean = Script(rawValue: 256)
    static let han: Script = [.japanese, .korean]
    static let all: Script = [
        .latin, .greek, .cyrillic, .hebrew, .arabic, .devanagari, .thai, .japanese, .korean,
    ]

    /// The scripts that have all letters of a label; none if some are unknown, or what no name has.
    static func ofAll(_ label: String) -> Script {
        label.unicodeScalars.reduce(all) { $0.intersection(Script($1)) }
    }

    init(rawValue: Int) { self.rawValue = rawValue }

    private init(_ scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark, .decimalNumber: break
        default:
            self = scalar == "-" ? .all : []
            return
        }
        self =
            switch scalar.value {
            case 0x30...0x39: .all
            case 0x61...0x7A: [.latin, .japanese, .korean]
            case 0xDF...0x24F, 0x1E00...0x1EFF: .latin
            case 0x370...0x3FF, 0x1F00...0x1FFF: .greek
            case 0x430...0x52F: .cyrillic
            case 0x5D0...0x5EA: .hebrew
            case 0x620...0x64A, 0x660...0x669, 0x66E...0x6D3, 0x6F0...0x6FC: .arabic
            case 0x900...0x97F: .devanagari
            case 0xE01...0xE59: .thai
            case 0x3041...0x3096, 0x30A1...0x30FC: .japanese
            case 0x3005, 0x3400...0x4DBF, 0x4E00...0x9FFF: .han
            case 0xAC00...0xD7A3: .korean
            default: []
            }
    }
}
