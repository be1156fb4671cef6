import PawlConfiguration
import PawlCore
import PawlJobs
import PawlOptions

/// The answer to `pawl help OPTION`: one option, where else it can be said, and its names in other programs.
enum OptionHelp {
    /// - Parameter word: an option of this or another program: `max-speed`, `-x`, `--limit-rate`.
    /// - Returns: nil if there is no such option.
    static func page(_ word: String, columns: Int) -> String? {
        let spelling = word.begins(with: "-") ? word : "--" + word
        guard !OptionDeclaration<Void>.standard.flatMap(\.spellings).containsExactly(spelling) else { return nil }
        let own = entry(spelling, columns: columns)
        let others = PeerOption.all.filter { $0.isSpelled(spelling) }
        var table = Table()
        for option in others { table.row("  \(option.title)", option.explanation) }
        var parts = [own, others.isEmpty ? nil : table.text(in: .utf8, columns: columns)].compactMap(\.self)
        // The one option that the other program's stands for.
        if own == nil, let meant = others.first?.ownFlags.last, others.allSatisfy({ $0.ownFlags.last == meant }),
            let entry = entry(meant, columns: columns)
        {
            parts.append(entry)
        }
        return parts.isEmpty ? nil : parts.joined(separator: "\n")
    }

    /// An option of our own. Of two commands, `pawl get` comes first.
    private static func entry(_ spelling: String, columns: Int) -> String? {
        let users = PawlCommand.all.filter { $0.help(of: spelling, columns: columns) != nil }
        guard let help = users.first?.help(of: spelling, columns: columns) else { return nil }
        var table = Table()
        table.row("  Commands", users.map { $0.name }.joined(separator: ", "))
        if let option = GetCommand.declaration.options.first(where: { $0.spellings.containsExactly(spelling) }) {
            for (title, text) in surroundings(of: option) { table.row("  \(title)", text) }
        }
        return help + "\n\n" + table.text(in: .utf8, columns: columns)
    }

    private static func surroundings(of option: OptionDeclaration<GetCommand>) -> [(title: String, text: String)] {
        func reason(_ place: OptionPlaces) -> String? {
            option.absences.first { $0.places.contains(place) }.map { "no: \($0.reason.rawValue)" }
        }
        let key = ConfigurationKey(option)
        var rows = [("Configuration", reason(.configuration) ?? "\(key.name) in [get]")]
        if option.places.contains(.configuration) {
            rows.append(
                ("Environment", CommandDefaults.schema.variable(of: key) ?? reason(.environment) ?? ""))
        }
        rows.append(("Lists", reason(.lists) ?? option.name))
        for peer in PeerOption.Peer.allCases {
            let names = PeerOption.all.filter {
                $0.peers.contains(peer) && $0.ownFlags.containsExactly(option.flag)
            }.map(\.nameHere)
            if !names.isEmpty { rows.append(("In \(peer.rawValue)", names.joined(separator: ", "))) }
        }
        if let topic = HelpTopic.all.first(where: { $0.flags.containsExactly(option.flag) }) {
            rows.append(("More", "pawl help \(topic.name)"))
        }
        return rows
    }
}

extension PeerOption {
    /// `--continue` of `--continue=true`, too.
    fileprivate func isSpelled(_ spelling: String) -> Bool {
        spellings.contains { $0.isExactly(spelling) || $0.begins(with: spelling + "=") }
    }

    /// The flags of Pawl with the same meaning; empty if there are none.
    fileprivate var ownFlags: [String] {
        guard case .same(let words) = meaning else { return [] }
        return words.utf8.split(separator: UInt8(ascii: " ")).map { word in
            String(decoding: word.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
    }

    /// `-k SIZE (aria2c)`.
    fileprivate var title: String { "\(typedHere) (\(peers.map(\.rawValue).joined(separator: ", ")))" }

    private var typedHere: String {
        spellings.joined(separator: ", ") + (value.name.map { " " + $0 } ?? "")
    }

    /// The option as it is typed in the peer's words, with Pawl's own words unless they are that option alone.
    fileprivate var nameHere: String {
        guard case .same(let words) = meaning, !ownFlags.elementsEqual([words], by: { $0.isExactly($1) }) else {
            return typedHere
        }
        return "\(typedHere) (\(words))"
    }

    /// The meaning of the option in Pawl.
    fileprivate var explanation: String {
        switch meaning {
        case .same(let words):
            if case .tries = value {
                "translated to \(words), not counting the first try"
            } else {
                ownFlags.elementsEqual([words], by: { $0.isExactly($1) })
                    ? "the same as \(words)" : "translated to \(words)"
            }
        case .argument: "translated to an argument without a flag"
        case .needless(let reason), .dropped(let reason): "harmless, without effect: \(reason)"
        case .instead(let advice): "refused: \(advice)"
        }
    }
}
