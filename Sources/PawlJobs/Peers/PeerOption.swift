import PawlCore

/// An option of curl, wget or aria2c that Pawl has under another name, has no need of, or lacks.
///
/// The command and the service go by the table ``all``; `docs/coming-from.md` shows it.
package struct PeerOption: Sendable {
    package enum Peer: String, CaseIterable, Sendable {
        case curl, wget, aria2c
    }

    /// The argument that follows the option. Peers give one letter different meanings; the argument tells them apart.
    package enum Value: Sendable {
        case none
        /// Any value, shown as this word, such as `FILE`.
        case any(String)
        /// `-`, which our words leave out.
        case hyphen
        case number
        /// A number like ``number``, or zero.
        case count
        /// A number of attempts, the first one included, or 0 or `inf` for no limit; ours are retries.
        case tries
        /// A number of bytes, perhaps with a unit: `1M`.
        case size
        /// `0-499`.
        case range
        /// A file, not a URL.
        case file
        /// A file in a word of its own: joined, it might as well be more options.
        case separateFile
        /// `a=b`.
        case cookie
        /// A URL or `host:port`.
        case proxy
        /// The name of a program, as `Mozilla/5.0`.
        case agent
        /// `robots=off`.
        case robots
        /// The method of every download.
        case get
        case url
        /// One of these words, with spaces between them.
        case words(String)
        /// A way of wget to show progress: `dot:giga`, `bar:force:noscroll`.
        case display
    }

    package enum Meaning: Sendable {
        /// The option means these words of ours; the value, if there is one, belongs to the last.
        case same(String)
        /// The value alone, as an argument.
        case argument
        /// The option is accepted without effect, for this reason.
        case needless(String)
        /// The option is accepted without effect as with ``needless(_:)``, but the user is told.
        case dropped(String)
        /// The option is refused, with this advice.
        case instead(String)
    }

    package let spellings: [String]
    package let peers: [Peer]
    package let value: Value
    package let meaning: Meaning

    init(_ spellings: String, _ peers: [Peer], _ value: Value = .none, _ meaning: Meaning) {
        self.spellings = spellings.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
        (self.peers, self.value, self.meaning) = (peers, value, meaning)
    }
}

extension PeerOption.Value {
    /// Whether it follows our words, too.
    package var isPassedOn: Bool { if case .hyphen = self { false } else { name != nil } }

    /// The name of the value on the page and in messages; nil if there is none.
    package var name: String? {
        switch self {
        case .none: nil
        case .any(let name): name
        case .hyphen: "-"
        case .number, .count, .tries: "N"
        case .size: "SIZE"
        case .range: "RANGE"
        case .file, .separateFile: "FILE"
        case .cookie: "NAME=VALUE"
        case .proxy: "HOST:PORT"
        case .agent: "NAME/VERSION"
        case .robots: "robots=off"
        case .get: "GET"
        case .url: "URL"
        case .words(let words):
            words.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }.joined(
                separator: ", ")
        case .display: "dot, bar:…"
        }
    }

    /// Whether a word can be this value.
    ///
    /// - Parameter isJoined: the word directly follows a short option, where it may as well be more options: `-OJ`.
    func accepts(_ word: String, isJoined: Bool = false) -> Bool {
        let bytes = Array(word.utf8)
        guard !bytes.isEmpty else { return false }
        let isOption = !isJoined && bytes[0] == UInt8(ascii: "-") && bytes.count > 1
        let isURL = word.contains("://")
        func has(_ character: Character) -> Bool { bytes.contains(character.asciiValue ?? 0) }
        let startsWithDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[0])
        return switch self {
        case .none: false
        case .any: true
        case .hyphen: word.isExactly("-")
        // Elsewhere, 0 stands for no limit.
        case .tries: bytes.allSatisfy(ASCII.isDigit) || word.isExactly("inf")
        case .number: bytes.allSatisfy(ASCII.isDigit) && bytes.contains { $0 != UInt8(ascii: "0") }
        case .count: bytes.allSatisfy(ASCII.isDigit)
        case .size:
            startsWithDigit && bytes.drop(while: ASCII.isDigit).count <= 2
                && bytes.drop(while: ASCII.isDigit).allSatisfy(ASCII.isLetter)
        case .range:
            (startsWithDigit || bytes[0] == UInt8(ascii: "-")) && has("-")
                && bytes.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ",") }
        case .file: !isOption && !isURL && (!isJoined || bytes == [UInt8(ascii: "-")] || has(".") || has("/"))
        case .separateFile: !isOption && !isJoined && !isURL
        // The cookie's own value may be a URL.
        case .cookie:
            !isOption && !isJoined && has("=")
                && !bytes.prefix { $0 != UInt8(ascii: "=") }.contains(UInt8(ascii: ":"))
        case .proxy: !isOption && (isURL || has(":"))
        case .agent: !isOption && has("/") && !bytes.prefix { $0 != UInt8(ascii: "/") }.contains(UInt8(ascii: ":"))
        case .robots: word.begins(with: "robots=")
        case .get: word.isExactly("GET")
        case .url: isURL
        case .words(let words): words.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual(bytes) }
        // Without more, bar is ours as well.
        case .display: word.isExactly("dot") || word.begins(with: "dot:") || word.begins(with: "bar:")
        }
    }
}
