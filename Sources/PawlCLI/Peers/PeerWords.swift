import PawlCore
import PawlJobs

/// Translates what users of curl, wget and aria2c type into words of `pawl get`.
///
/// What can be read in two ways is refused: a wrong guess could turn off a check, or send a secret to the wrong place.
struct PeerWords {
    /// Our own options, with whether each takes a value: `-o`, `--output`.
    let own: [ExactText: Bool]
    /// The options of others that were read, as typed.
    private var peers: [String] = []
    /// An option names the file, or says that the URL does.
    private var namesFile = false

    init(own: [ExactText: Bool]) { self.own = own }

    /// Whether the words that were read are a command line of curl that would write to stdout.
    var writesToOutput: Bool {
        !namesFile
            && peers.contains { typed in
                PeerOption.all.allSatisfy { !$0.spellings.containsExactly(typed) || $0.peers == [.curl] }
            }
    }

    private static let naming = [
        "-o", "-O", "-d", "-P", "-J", "-i", "--output", "--directory", "--input-file", "--output-dir", "--remote-name",
        "--remote-name-all", "--json", "--dry-run", "--metalink", "--extract",
    ]

    private mutating func note(_ option: String) { namesFile = namesFile || Self.naming.containsExactly(option) }

    private mutating func ownOption(_ name: String) -> Bool? {
        guard let takesValue = own[ExactText(name)] else { return nil }
        note(name)
        return takesValue
    }

    /// - Throws: ``UsageError`` for an option that Pawl lacks, with what to do instead.
    mutating func translated(_ words: [String]) throws(UsageError) -> [String] {
        var translated: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if word.isExactly("--") { return translated + [word] + rest }
            if word.begins(with: "--") {
                translated += try long(word, &rest)
            } else if word.begins(with: "-"), word.utf8.count > 1 {
                translated += try short(word, &rest)
            } else {
                translated.append(word)
            }
        }
        return translated
    }

    // MARK: Long options

    private mutating func long(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> [String] {
        if let option = otherMeaning(of: word, rest.first) {
            return try words(for: option, typed: word, rest.popFirst())
        }
        if let takesValue = ownOption(word) { return [word] + (takesValue ? rest.popFirst().map { [$0] } ?? [] : []) }
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            guard let option = option(word, next: rest.first) else { return try unknown(word) }
            return try words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        // `--continue=true`.
        if let option = option(word, next: nil) { return try words(for: option, typed: word, nil) }
        let (name, value) = (String(word[..<sign]), String(decoding: word.utf8[sign...].dropFirst(), as: UTF8.self))
        if let option = otherMeaning(of: name, value) { return try words(for: option, typed: name, value) }
        guard ownOption(name) == nil else { return [word] }
        guard let option = option(name, next: value), option.value.name != nil else {
            return try unknown(name, as: word)
        }
        return try words(for: option, typed: name, value)
    }

    // MARK: Short options

    /// `-L`, `-oFILE`, `-fsSLo FILE`.
    private mutating func short(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> [String] {
        if let option = option(word, next: rest.first) {
            return try words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        if own[ExactText(word)] == nil, word.unicodeScalars.count == 2 { return try unknown(word) }
        var translated: [String] = []
        var peers = Set(PeerOption.Peer.allCases)
        // Not all of it may be letters, and what cannot be read stays as it was typed.
        var letters = Array(word.unicodeScalars.dropFirst())[...]
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            // `-x=4`, as our own letters take it.
            let hasSign = letters.first == "="
            let joined = String(String.UnicodeScalarView(hasSign ? letters.dropFirst() : letters))
            let next = letters.isEmpty ? rest.first : joined
            func takeValue() -> String? {
                guard !letters.isEmpty else { return rest.popFirst() }
                letters = []
                return joined
            }
            if let option = option(name, next: next, isJoined: !letters.isEmpty && !hasSign) {
                // `-Okernel` is a name for wget, and seven options for curl.
                let isName =
                    name == "-O" && option.value.name == nil
                    && !letters.allSatisfy { Self.besideRemoteName.contains($0) }
                peers.formIntersection(option.peers)
                guard !isName, !peers.isEmpty else {
                    throw UsageError(
                        "“\(word)” can be read in several ways. Give each option by itself, and -o NAME for a name.")
                }
                translated += try words(for: option, typed: name, option.value.name == nil ? nil : takeValue())
            } else if let takesValue = ownOption(name) {
                translated.append(name)
                if takesValue, let value = takeValue() { translated.append(value) }
            } else {
                return try unknown(name, as: word)
            }
        }
        return translated
    }

    /// Options of curl that are typed together with `-O`.
    private static let besideRemoteName: Set<Unicode.Scalar> = ["L", "J", "O", "S", "s", "f", "#", "v", "q"]

    // MARK: The table

    /// An option of ours whose value is another program's.
    private func otherMeaning(of name: String, _ value: String?) -> PeerOption? {
        own[ExactText(name)] == true ? option(name, next: value) : nil
    }

    /// - Parameter word: with the value.
    private func unknown(_ typed: String, as word: String? = nil) throws(UsageError) -> [String] {
        guard let option = PeerOption.all.first(where: { $0.spellings.containsExactly(typed) }) else {
            return [word ?? typed]
        }
        let ours = if case .same(let text) = option.meaning { " Its own option is \(text)." } else { "" }
        throw UsageError(
            "\(typed) is an option of \(option.peers[0].rawValue) that Pawl does not take with this value.\(ours)")
    }

    /// - Parameter next: what follows, nil at the end.
    private func option(_ spelling: String, next: String?, isJoined: Bool = false) -> PeerOption? {
        PeerOption.all.first { option in
            guard option.spellings.contains(where: { $0.isExactly(spelling) }) else { return false }
            guard option.value.name != nil else { return true }
            return next.map { option.value.accepts($0, isJoined: isJoined) } ?? false
        }
    }

    private mutating func words(for option: PeerOption, typed: String, _ value: String?) throws(UsageError) -> [String]
    {
        peers.append(typed)
        note(typed)
        switch option.meaning {
        case .needless: return []
        case .argument: return value.map { [$0] } ?? []
        case .instead(let advice): throw UsageError("\(typed) is an option of \(option.peers[0].rawValue): \(advice).")
        case .same(let text):
            var words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            // With a sign between them, a value may begin with a hyphen.
            if option.value.isPassedOn, var value, let last = words.popLast() {
                if case .tries = option.value {
                    let tries = value.isExactly("inf") ? "0" : value
                    value = (try? OptionText.retries(ofTries: tries)).map { "\($0)" } ?? value
                }
                words.append("\(last)=\(value)")
            }
            for word in words
            where own[ExactText(String(decoding: word.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))] == nil {
                throw UsageError(
                    "\(typed) is an option of \(option.peers[0].rawValue) that this command does not have.")
            }
            return words
        }
    }
}
