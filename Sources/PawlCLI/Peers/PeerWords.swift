import PawlCore

/// Translates what users of curl, wget and aria2c type into words of `pawl get`.
struct PeerWords {
    /// Our own options, with whether each takes a value: `-o`, `--output`.
    let own: [ExactText: Bool]

    /// - Throws: ``UsageError`` for an option that Pawl lacks, with what to do instead.
    func translated(_ words: [String]) throws(UsageError) -> [String] {
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

    private func long(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> [String] {
        if let takesValue = own[ExactText(word)] { return [word] + (takesValue ? rest.popFirst().map { [$0] } ?? [] : []) }
        guard let sign = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
            guard let option = option(word, next: rest.first) else { return [word] }
            return try words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        // `--continue=true`.
        if let option = option(word, next: nil) { return try words(for: option, typed: word, nil) }
        let (name, value) = (String(word[..<sign]), String(decoding: word.utf8[sign...].dropFirst(), as: UTF8.self))
        guard own[ExactText(name)] == nil, let option = option(name, next: value), option.value.name != nil else { return [word] }
        return try words(for: option, typed: name, value)
    }

    // MARK: Short options

    /// `-L`, `-oFILE`, `-fsSLo FILE`.
    private func short(_ word: String, _ rest: inout ArraySlice<String>) throws(UsageError) -> [String] {
        if let option = option(word, next: rest.first) {
            return try words(for: option, typed: word, option.value.name == nil ? nil : rest.popFirst())
        }
        var translated: [String] = []
        // Not all of it may be letters, and what cannot be read stays as it was typed.
        var letters = Array(word.unicodeScalars.dropFirst())[...]
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            let joined = String(String.UnicodeScalarView(letters))
            let next = letters.isEmpty ? rest.first : joined
            func takeValue() -> String? {
                guard !letters.isEmpty else { return rest.popFirst() }
                letters = []
                return joined
            }
            if let option = option(name, next: next, isJoined: !letters.isEmpty) {
                translated += try words(for: option, typed: name, option.value.name == nil ? nil : takeValue())
            } else if let takesValue = own[ExactText(name)] {
                translated.append(name)
                if takesValue, let value = takeValue() { translated.append(value) }
            } else {
                return [word]
            }
        }
        return translated
    }

    // MARK: The table

    /// - Parameter next: what follows, nil at the end.
    private func option(_ spelling: String, next: String?, isJoined: Bool = false) -> PeerOption? {
        PeerOption.all.first { option in
            guard option.spellings.contains(where: { $0.isExactly(spelling) }) else { return false }
            guard option.value.name != nil else { return true }
            return next.map { option.value.accepts($0, isJoined: isJoined) } ?? false
        }
    }

    private func words(for option: PeerOption, typed: String, _ value: String?) throws(UsageError) -> [String] {
        switch option.meaning {
        case .needless: return []
        case .instead(let advice): throw UsageError("\(typed) is an option of \(option.peers[0].rawValue): \(advice).")
        case .same(let text):
            var words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            // With a sign between them, a value may begin with a hyphen.
            if let value, let last = words.popLast() { words.append("\(last)=\(value)") }
            return words
        }
    }
}
