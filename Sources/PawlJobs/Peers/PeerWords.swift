package import PawlCore
import PawlOptions

/// Translates what users of curl, wget and aria2c type into words of `pawl get`.
///
/// Options with two readings are refused: a wrong guess could turn off a check, or send a secret to the wrong place.
/// All words are curl's behind `curl`, and in a word that is a whole command line (``CurlLine``).
package struct PeerWords {
    /// Our own options, `-o` or `--output`, and whether each takes a value.
    let own: [ExactText: Bool]
    /// An option was read that scripts give curl in front of a pipe.
    private var isForPipe = false
    /// The options that were dropped and that the user should know of, as typed.
    package private(set) var dropped: [String] = []
    private var problems: [String] = []
    /// Options that neither Pawl nor the other programs have, as typed.
    private var strangers: [String] = []
    /// An option names the file, or says that the URL does.
    private var namesFile = false
    private var isCurl = false

    package init(own: [ExactText: Bool]) { self.own = own }

    /// Whether the words that were read are a command line of curl that would write to stdout.
    package var writesToOutput: Bool { !namesFile && isForPipe }

    /// Options of curl that scripts give it in front of a pipe, and browsers do not copy.
    private static let piping = [
        "-s", "-S", "-f", "-L", "--silent", "--show-error", "--fail", "--fail-with-body", "--location",
    ]

    /// Options that programs for requests copy into a command line.
    private static let copied = ["-L", "--location"]

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

    /// - Throws: ``PeerProblem`` with each option that Pawl lacks, and what to do instead.
    package mutating func translated(_ words: [String]) throws(PeerProblem) -> [String] {
        let translated = read(words)
        // One by itself is left to the reader of our own options, which may know what was meant.
        if !problems.isEmpty || strangers.count > 1 {
            throw PeerProblem(messages: problems + strangers.map { CommandLineProblem.unknown($0).message })
        }
        return translated
    }

    private mutating func read(_ words: [String]) -> [String] {
        var translated: [String] = []
        var rest = words[...]
        while let typed = rest.popFirst() {
            let word = curlName(typed)
            if word.isExactly("--") { return translated + [word] + rest }
            if word.begins(with: "--") {
                translated += long(word, &rest)
            } else if word.begins(with: "-"), word.utf8.count > 1 {
                translated += short(word, &rest)
            } else if !isCurl, CurlLine.isProgram(word) {
                return translated + curl(Array(rest))
            } else if !isCurl, CurlLine.isLine(word) {
                translated += curl(inLine: word)
            } else {
                translated.append(word)
            }
        }
        return translated
    }

    private mutating func refuse(_ message: String) -> [String] {
        if !problems.containsExactly(message) { problems.append(message) }
        return []
    }

    // MARK: Command lines of curl

    private mutating func curl(_ words: [String]) -> [String] {
        isCurl = true
        defer { isCurl = false }
        return read(words)
    }

    private mutating func curl(inLine line: String) -> [String] {
        do throws(PeerProblem) { return curl(try CurlLine.words(line)) } catch {
            return error.messages.flatMap { refuse($0) }
        }
    }

    /// The long name of an option whose spelling means something else outside of curl.
    private func curlName(_ typed: String) -> String {
        guard isCurl else { return typed }
        return switch typed {
        case "-a": "--append"
        case "-B": "--use-ascii"
        case "-c": "--cookie-jar"
        case "-d", "--json": "--data"
        case "-i": "--include"
        case "-j": "--junk-session-cookies"
        case "-l": "--list-only"
        case "-m": "--max-time"
        case "-N": "--no-buffer"
        case "-p": "--proxytunnel"
        case "-P": "--ftp-port"
        case "-q": "--disable"
        case "-Q": "--quote"
        case "-t": "--telnet-option"
        case "-x": "--proxy"
        default: typed
        }
    }

    // MARK: Long options

    private mutating func long(_ word: String, _ rest: inout ArraySlice<String>) -> [String] {
        if let option = otherMeaning(of: word, rest.first) {
            return words(for: option, typed: word, rest.popFirst())
        }
        if let takesValue = ownOption(word) { return [word] + (takesValue ? rest.popFirst().map { [$0] } ?? [] : []) }
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            guard let option = option(word, next: rest.first) else { return unknown(word) }
            return words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        // `--continue=true`.
        if let option = option(word, next: nil) { return words(for: option, typed: word, nil) }
        let (name, value) = (String(word[..<sign]), String(decoding: word.utf8[sign...].dropFirst(), as: UTF8.self))
        if let option = otherMeaning(of: name, value) { return words(for: option, typed: name, value) }
        guard ownOption(name) == nil else { return [word] }
        guard let option = option(name, next: value), option.value.name != nil else {
            return unknown(name, as: word)
        }
        return words(for: option, typed: name, value)
    }

    // MARK: Short options

    /// `-L`, `-oFILE`, `-fsSLo FILE`.
    private mutating func short(_ word: String, _ rest: inout ArraySlice<String>) -> [String] {
        if let option = option(word, next: rest.first) {
            return words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        if own[ExactText(word)] == nil, word.unicodeScalars.count == 2 { return unknown(word) }
        var translated: [String] = []
        var peers = Set(PeerOption.Peer.allCases)
        // Not all of it may be letters, and what cannot be read stays as it was typed.
        var letters = Array(word.unicodeScalars.dropFirst())[...]
        while let letter = letters.popFirst() {
            let name = curlName("-\(letter)")
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
                    !isCurl && name == "-O" && option.value.name == nil
                    && !letters.allSatisfy { Self.besideRemoteName.contains($0) }
                peers.formIntersection(option.peers)
                guard !isName, !peers.isEmpty else {
                    return refuse(
                        "“\(word)” can be read in several ways. Give each option by itself, and -o NAME for a name.")
                }
                translated += words(for: option, typed: name, option.value.name == nil ? nil : takeValue())
            } else if let takesValue = ownOption(name) {
                translated.append(name)
                if takesValue, let value = takeValue() { translated.append(value) }
            } else {
                return unknown(name, as: word)
            }
        }
        return translated
    }

    /// Options of curl that are typed together with `-O`.
    private static let besideRemoteName: Set<Unicode.Scalar> = ["L", "J", "O", "S", "s", "f", "#", "v", "q"]

    // MARK: The table

    private var known: [PeerOption] { isCurl ? Self.ofCurl : PeerOption.all }

    private static let ofCurl = PeerOption.all.filter { $0.peers.contains(.curl) }

    /// An option of ours whose value is another program's.
    private func otherMeaning(of name: String, _ value: String?) -> PeerOption? {
        own[ExactText(name)] == true ? option(name, next: value) : nil
    }

    /// - Parameter word: with the value.
    private mutating func unknown(_ typed: String, as word: String? = nil) -> [String] {
        guard let option = known.first(where: { $0.spellings.containsExactly(typed) }) else {
            let name = CommandLineProblem.shown(typed)
            if !strangers.containsExactly(name) { strangers.append(name) }
            return [word ?? typed]
        }
        let ours = if case .same(let text) = option.meaning { " Its own option is \(text)." } else { "" }
        return refuse(
            "\(typed) is an option of \(option.peers[0].rawValue) that Pawl does not take with this value.\(ours)")
    }

    private static func programs(_ option: PeerOption) -> String {
        option.peers.map(\.rawValue).joined(separator: " and ")
    }

    /// - Parameter next: what follows, nil at the end.
    private func option(_ spelling: String, next: String?, isJoined: Bool = false) -> PeerOption? {
        known.first { option in
            guard option.spellings.contains(where: { $0.isExactly(spelling) }) else { return false }
            guard option.value.name != nil else { return true }
            return next.map { option.value.accepts($0, isJoined: isJoined) } ?? false
        }
    }

    private mutating func words(for option: PeerOption, typed: String, _ value: String?) -> [String] {
        if option.peers == [.curl], Self.piping.containsExactly(typed), !isCurl || !Self.copied.containsExactly(typed) {
            isForPipe = true
        }
        note(typed)
        switch option.meaning {
        case .needless: return []
        case .dropped:
            dropped.append(typed)
            return []
        case .argument: return value.map { [$0] } ?? []
        case .instead(let advice): return refuse("\(typed) is an option of \(Self.programs(option)): \(advice).")
        case .same(let text):
            var words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            // With a sign between them, a value may begin with a hyphen.
            if option.value.isPassedOn, var value, let last = words.popLast() {
                if case .tries = option.value {
                    let tries = value.isExactly("inf") ? "0" : value
                    value = (try? OptionText.retries(ofTries: tries)).map { "\($0)" } ?? value
                }
                // `X-Empty;` of curl is a field without a value.
                if typed == "-H", value.ends(with: ";"), !value.utf8.contains(UInt8(ascii: ":")) {
                    value = String(decoding: value.utf8.dropLast(), as: UTF8.self) + ":"
                }
                words.append("\(last)=\(value)")
            }
            for word in words
            where own[ExactText(String(decoding: word.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self))] == nil {
                return refuse(
                    "\(typed) is an option of \(option.peers[0].rawValue) that this command does not have.")
            }
            return words
        }
    }
}

/// The options of a command line that cannot be had, a sentence for each.
package struct PeerProblem: Error {
    package let messages: [String]
}
