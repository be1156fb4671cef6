import ArgumentParser
import PawlCore

/// ArgumentParser's completions, with what it does not know: the topics of `pawl help`, that `pawl URL` is `pawl get
/// URL`, and values after "=".
enum ShellCompletions {
    static func script(for shell: CompletionShell) -> String {
        let script = PawlCommand.completionScript(for: shell) + "\n"
        switch shell {
        case .bash: return bash(script)
        case .zsh: return zsh(script)
        default: return fish(script)
        }
    }

    private static var topics: [String] {
        ["get", "all"] + HelpTopic.all.map(\.name) + PawlCommand.names.filter { $0 != "get" }
    }
    private static var commands: [String] { PawlCommand.names + ["help"] }

    private static func bash(_ generated: String) -> String {
        // It is sourced, never run.
        var script = replacingLast("#!/bin/bash\n\n", in: generated, with: "")
        // The function is the last, and offers nothing but `--version`.
        script = replacingLast(
            "    __pawl_offer_flags_options -1\n}\n", in: script,
            with: """
                    __pawl_offer_flags_options 1
                    [[ "${positional_number}" -eq 1 ]] && __pawl_add_completions -W '\(topics.joined(separator: "'$'\\n''"))'
                }

                """)
        let subcommands = "        # Offer subcommand completions\n"
        script = replacingLast(
            subcommands, in: script,
            with: """
                        if [[ "${COMP_CWORD}" -gt 1 || "${cur}" = -* ]]; then
                            COMPREPLY=()
                            unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")
                            _pawl_get
                            return
                        fi

                """ + subcommands)
        // "=" is a word of its own.
        script = replacingLast(
            "    local -r prev=\"${3}\"\n", in: script,
            with: """
                    local prev="${3}"
                    [[ "${prev}" = = && "${COMP_CWORD}" -gt 2 ]] && prev="${COMP_WORDS[COMP_CWORD - 2]}"

                """)
        // Only paths get slashes and quotes: the command stays "list" where a directory has that name.
        script = replacingLast("complete -o filenames -F", in: script, with: "complete -F")
        return replacingLast(
            "__pawl_add_completions() {\n", in: script,
            with: """
                __pawl_add_completions() {
                    [[ "${1}" = -[df] ]] && compopt -o filenames 2>/dev/null

                """)
    }

    private static func zsh(_ generated: String) -> String {
        var script = replacingLast(
            "'*:subcommands:'", in: generated, with: "':topic:(\(topics.joined(separator: " ")))'")
        let subcommands =
            "    _arguments -w -s -S : \"${arg_specs[@]}\" && ret=0\n    case \"${state}\" in\n    command)\n"
        script = replacingLast(
            subcommands, in: script,
            with: """
                    if [[ "${words[2]}" != (\(commands.joined(separator: "|"))) && ( "${CURRENT}" -gt 2 || "${words[2]}" = -* ) ]]; then
                        _pawl_get
                        return
                    fi


                """ + subcommands)
        return script.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            valuesAfterEquals(String(Substring($0)))
        }.joined(separator: "\n")
    }

    /// A value may follow "--name=", and "-n" without a blank. Specifications of flags end with their description.
    private static func valuesAfterEquals(_ line: String) -> String {
        guard line.begins(with: "        '"), !line.ends(with: "]'") else { return line }
        if let start = line.ranges(of: "'{-").first, let end = line[start.upperBound...].ranges(of: "}'[").first {
            let names = line[start.upperBound..<end.lowerBound].replacing(",", with: "+,")
            return line[..<start.upperBound] + names + "=" + line[end.lowerBound...]
        }
        guard line.begins(with: "        '--") || line.begins(with: "        '*--"),
            let bracket = line.utf8.firstIndex(of: UInt8(ascii: "["))
        else { return line }
        return line[..<bracket] + "=" + line[bracket...]
    }

    private static func fish(_ generated: String) -> String {
        let tokens = "    set -l unparsed_tokens (__pawl_tokens -pc)\n"
        return replacingLast(
            tokens, in: generated,
            with: tokens + """
                    if set -q unparsed_tokens[2]
                        contains -- $unparsed_tokens[2] \(commands.joined(separator: " "))
                        or set unparsed_tokens $unparsed_tokens[1] get $unparsed_tokens[2..]
                    else if string match -q -- '-*' (commandline -ct)
                        set -a unparsed_tokens get
                    end

                """)
            + "complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional \"pawl help\" -eq 1' -fa '\(topics.joined(separator: " "))'\n"
    }

    private static func replacingLast(_ part: String, in text: String, with replacement: String) -> String {
        guard let range = text.ranges(of: part).last else { return text }
        return String(text[..<range.lowerBound]) + replacement + String(text[range.upperBound...])
    }
}
