import PawlCore

extension CompletionScript {
    /// The script for zsh 5, to be sourced, or to be stored as `_pawl` in a directory of `fpath`.
    package func zsh() -> String {
        let names = commands.map { Self.quoted($0.name) }.joined(separator: "|")
        return #"""
            #compdef \#(program)
            # Completions of \#(program) for zsh. Generated from the program's options.

            \#(zshOffering)
            \#(function)() {
                local curcontext=$curcontext program=${(Q)words[1]} command=\#(Self.quoted(usual))
                local -a specs typed
                local -i ret=1
                typed=("${(@)words[2,CURRENT-1]}")
                if [[ $CURRENT -eq 2 && $PREFIX != -* ]]; then
                    \#(function)_commands && ret=0
                elif [[ $CURRENT -gt 2 && $words[2] = (\#(names)) ]]; then
                    command=$words[2]
                    shift words
                    ((CURRENT--))
                fi
                curcontext="${curcontext%:*}-$command:"
                case $command in
            \#(commands.map(zshSpecifications).joined())\#
                esac
                _arguments -w -s -S : "${specs[@]}" && ret=0
                return ret
            }

            # As a file in fpath, this is the body of the function; otherwise it is sourced.
            if [[ $funcstack[1] = \#(function) ]]; then
                \#(function) "$@"
            else
                (($+functions[compdef])) || { autoload -Uz compinit && compinit -i; }
                compdef \#(function) \#(program)
            fi

            """#
    }

    private var zshOffering: String {
        #"""
        # Offers the lines that the program prints, which $1 describes.
        \#(function)_ask() {
            local label=$1
            shift
            local -a found expl
            found=(${(f)"$(_call_program candidates ${(q)program/#\~\//$HOME/} \#(Self.request) "${(@q)@}" -- \
                ${(q)${(Q)PREFIX}} "${(@q)${(@Q)typed}}" 2>/dev/null </dev/null)"})
            _wanted candidates expl $label compadd -a found
        }

        # Names the operand that stands here. Beside an option, zsh would then not insert the option.
        \#(function)_any() {
            [[ $PREFIX = -* ]] || _message $1
        }

        \#(function)_commands() {
            local -a commands
            commands=(
        \#(commands.map { zshDescription($0.name, $0.summary) }.joined())\#
            )
            _describe -V command commands
        }

        \#(function)_topics() {
            local -a topics
            topics=(
        \#(topics.map { zshDescription($0.name, $0.summary) }.joined())\#
            )
            _describe -V topic topics
        }

        """#
    }

    private func zshDescription(_ name: String, _ summary: String) -> String {
        let name = Self.escaped(name, "\\:")
        return "        \(Self.quoted(summary.isEmpty ? name : name + ":" + Self.escaped(summary, "\\")))\n"
    }

    private func zshSpecifications(_ command: CommandDescription) -> String {
        let operands =
            command.name.isExactly("help") ? ["':topic:\(function)_topics'"] : command.operands.map(zshOperand)
        let lines = (command.options.map(zshOption) + operands).map { "        \($0)\n" }.joined()
        return "    \(Self.quoted(command.name))) specs=(\n\(lines)    ) ;;\n"
    }

    /// Returns an option as `'(-o --output)'{-o+,--output=}'[Name of the file.]:file:_files'`.
    private func zshOption(_ option: CommandDescription.Option) -> String {
        // A value may follow "--name=", and "-n" without a blank.
        let names = option.spellings.map { name in
            option.value == nil ? name : name + (name.begins(with: "--") ? "=" : "+")
        }
        var text = "[\(Self.escaped(option.help, "\\[]:"))]"
        if let label = option.value { text += argument(label, zshAction(option.offered, label)) }
        guard names.count > 1 else {
            return Self.quotedAlways((option.isRepeated ? "*" : "") + names.joined() + text)
        }
        return Self.quotedAlways(option.isRepeated ? "*" : "(\(option.spellings.joined(separator: " ")))")
            + "{\(names.joined(separator: ","))}" + Self.quotedAlways(text)
    }

    private func zshOperand(_ operand: CommandDescription.Operand) -> String {
        let action =
            operand.completion == .none
            ? " \(function)_any \(Self.zshWord(operand.name))" : zshAction(operand.completion, operand.name)
        return Self.quotedAlways((operand.isRepeated ? "*" : "") + argument(operand.name, action))
    }

    private func argument(_ label: String, _ action: String) -> String {
        ":\(Self.escaped(label, "\\:")):\(action)"
    }

    private func zshAction(_ value: OptionCompletion, _ label: String) -> String {
        switch value {
        case .none: " "
        case .file: "_files"
        case .directory: "_path_files -/"
        case .words(let words): "(\(words.map(Self.zshWord).joined(separator: " ")))"
        case .ids: " \(function)_ask \(Self.zshWord(label)) ids"
        }
    }

    /// Returns a word of an action, which zsh reads as a part of a script. A colon would end the action.
    private static func zshWord(_ text: String) -> String { escaped(quoted(text), ":") }
}
