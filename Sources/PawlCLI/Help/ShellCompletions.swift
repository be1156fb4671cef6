import ArgumentParser

/// The completions of ArgumentParser, which knows no topics of `pawl help`, with these.
enum ShellCompletions {
    static func script(for shell: CompletionShell) -> String {
        let words = ["get", "all"] + HelpTopic.all.map(\.name) + PawlCommand.names.filter { $0 != "get" }
        let script = PawlCommand.completionScript(for: shell) + "\n"
        switch shell {
        case .bash:
            // The function is the last, and offers nothing but `--version`.
            let offer = "    __pawl_offer_flags_options -1\n}\n"
            return replacingLast(
                offer, in: script, with: "    __pawl_offer_flags_options 1\n    [[ \"${positional_number}\" -eq 1 ]] && __pawl_add_completions -W '\(words.joined(separator: "'$'\\n''"))'\n}\n")
        case .zsh: return replacingLast("'*:subcommands:'", in: script, with: "':topic:(\(words.joined(separator: " ")))'")
        default:
            return script + "complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional \"pawl help\" -eq 1' -fa '\(words.joined(separator: " "))'\n"
        }
    }

    private static func replacingLast(_ part: String, in text: String, with replacement: String) -> String {
        guard let range = text.ranges(of: part).last else { return text }
        return String(text[..<range.lowerBound]) + replacement + String(text[range.upperBound...])
    }
}
