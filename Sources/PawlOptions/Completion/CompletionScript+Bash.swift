import PawlCore

extension CompletionScript {
    /// The script for bash 4 and later; bash-completion is not needed.
    package func bash() -> String {
        let names = commands.map { Self.quoted($0.name) }
        return """
            # Completions of \(program) for bash. Generated from the program's options.

            # Sets takes and words by the option $2 of the command $1.
            \(function)_option() {
                takes=none words=()
                case $1 in
            \(commands.filter { $0.options.contains(where: { $0.value != nil }) }.map(bashOptions).joined())\
                esac
            }

            # Sets takes and words by the operand number $2 of the command $1.
            \(function)_operand() {
                takes=none words=()
                case "$1 $2" in
            \(commands.map(bashOperands).joined())\
                esac
            }

            # Sets options to those of the command $1: the names of each and a comma, after "+" if it may be repeated.
            \(function)_options() {
                options=()
                case $1 in
            \(commands.filter { !$0.options.isEmpty }.map(bashNames).joined())\
                esac
            }

            \(bashReading)
            \(bashOffering)
            \(bashMain(names: names.joined(separator: " "), patterns: names.joined(separator: " | ")))
            """
    }

    private func bashOptions(_ command: CommandDescription) -> String {
        let options = command.options.filter { $0.value != nil }
        var values: [OptionCompletion] = []
        for option in options where !values.contains(option.offered) { values.append(option.offered) }
        // The options that take the same share a line.
        let lines = values.map { value in
            let names = options.filter { $0.offered == value }.flatMap(\.spellings)
            return "        \(names.map(Self.quoted).joined(separator: " | "))) \(bashValue(value)) ;;\n"
        }
        return "    \(Self.quoted(command.name))) case $2 in\n\(lines.joined())        esac ;;\n"
    }

    private func bashOperands(_ command: CommandDescription) -> String {
        command.operands.enumerated().map { index, operand in
            let pattern =
                operand.isRepeated
                ? Self.quoted(command.name + " ") + "*" : Self.quoted("\(command.name) \(index + 1)")
            return "    \(pattern)) \(bashValue(operand.completion)) ;;\n"
        }.joined()
    }

    private func bashNames(_ command: CommandDescription) -> String {
        let options = command.options.map { option in
            let joined = option.value == nil ? option.choices.map { (option.spellings.last ?? "") + "=" + $0 } : []
            let names = (option.spellings + joined).map(Self.quoted).joined(separator: " ")
            return "        \(option.isRepeated ? "+ " : "")\(names) ,\n"
        }
        return "    \(Self.quoted(command.name))) options=(\n\(options.joined())    ) ;;\n"
    }

    private func bashValue(_ value: OptionCompletion) -> String {
        switch value {
        case .none: "takes=any"
        case .file: "takes=file"
        case .directory: "takes=directory"
        case .words(let words): "takes=words words=(\(bashWords(words)))"
        case .ids: "takes=called words=(ids)"
        }
    }

    private func bashWords(_ words: [String]) -> String { words.map(Self.quoted).joined(separator: " ") }

    /// The functions that read the command line.
    private var bashReading: String {
        #"""
        # Sets line to the words before the cursor, and cur to the part of a word at it, both without quotes. bash also
        # breaks words at "=", ":" and "@", which are joined again.
        \#(function)_line() {
            local rest=${COMP_LINE:0:COMP_POINT} next index
            line=() cur=''
            for ((index = 0; index < COMP_CWORD; index++)); do
                cur+=${COMP_WORDS[index]}
                rest=${rest#*"${COMP_WORDS[index]}"}
                next=${rest#"${rest%%[![:space:]]*}"}
                [[ $next != "$rest" ]] && line+=("${cur//[\\\'\"]/}") && cur=''
                rest=$next
            done
            cur+=$rest quoted=''
            [[ $cur = [\"\']* ]] && quoted=1
            # A closed quote ends the word.
            [[ $cur = *\"*\" || $cur = *\'*\' ]] && return 1
            cur=${cur//[\\\'\"]/}
            return 0
        }

        # Sets used to the options that were given, operands to the number of other words, pending to the option whose
        # value is next, and ended after "--".
        \#(function)_read() {
            local word
            used=() operands=0 pending='' ended=''
            for word in "$@"; do
                if [[ $pending ]]; then
                    pending=''
                elif [[ $ended || $word != -?* ]]; then
                    ((operands += 1))
                elif [[ $word = -- ]]; then
                    ended=1
                elif [[ $word = --* ]]; then
                    used+=("${word%%=*}")
                    \#(function)_option "$command" "$word"
                    [[ $takes != none ]] && pending=$word
                else
                    \#(function)_letters "$word"
                    [[ $takes != none && $word = "$before" && $word != *= ]] && pending=-${word: -1}
                fi
            done
        }

        # Reads letters behind one hyphen. Sets takes and words by the first that takes a value, and before to the part
        # of the word before its value.
        \#(function)_letters() {
            local index
            takes=none before=$1
            for ((index = 1; index < ${#1}; index++)); do
                used+=("-${1:index:1}")
                \#(function)_option "$command" "-${1:index:1}"
                [[ $takes = none ]] && continue
                before=${1:0:index + 1}
                [[ ${1:index + 1:1} = = ]] && before+='='
                return
            done
        }

        """#
    }

    /// The functions that offer words.
    private var bashOffering: String {
        #"""
        # Sets words to the options, without those that were given and may not be repeated.
        \#(function)_names() {
            local name group=() given='' again=''
            takes=words words=()
            \#(function)_options "$command"
            for name in "${options[@]}"; do
                case $name in
                +) again=1 ;;
                ,)
                    [[ $given && ! $again ]] || words+=("${group[@]}")
                    group=() given='' again=''
                    ;;
                *)
                    group+=("$name")
                    [[ " ${used[*]} " = *" $name "* ]] && given=1
                    ;;
                esac
            done
        }

        # Offers candidates by takes and words that begin with $2. $1 stands before it in the same word.
        \#(function)_offer() {
            local found=() candidate path='' kept=${cur%"$typed"}
            case $takes in
            file) mapfile -t found < <(compgen -f -- "$2") ;;
            directory) mapfile -t found < <(compgen -d -- "$2") ;;
            words) found=("${words[@]}") ;;
            called)
                mapfile -t found < <(
                    "$program" \#(Self.request) "${words[@]}" -- "$2" "${line[@]:1}" 2>/dev/null </dev/null
                )
                ;;
            esac
            # readline adds slashes and quotes to paths only. It must not see what stands before a path.
            [[ $takes = [fd]* && ${#kept} -ge ${#1} ]] && path=1 && compopt -o filenames 2>/dev/null
            for candidate in "${found[@]}"; do
                [[ $candidate = "$2"* ]] || continue
                [[ $takes = [fd]* && ! $path && -d $candidate ]] && candidate+=/ && compopt -o nospace 2>/dev/null
                candidate=$1$candidate
                candidate=${candidate#"$kept"}
                [[ $path || $quoted ]] || printf -v candidate %q "$candidate"
                COMPREPLY+=("$candidate")
            done
        }

        """#
    }

    private func bashMain(names: String, patterns: String) -> String {
        #"""
        \#(function)() {
            # Empty arrays are unset until bash 4.4.
            if [[ $- = *u* ]]; then
                set +u
                \#(function) "$@"
                set -u
                return
            fi
            local IFS=$' \t\n' typed=${2//[\\\'\"]/} program command=\#(Self.quoted(usual)) cur quoted
            local pending ended before takes=none
            local -i operands
            local -a line options words used
            COMPREPLY=()
            \#(function)_line || return
            program=${line[0]/#\~\//$HOME/}
            case ${line[1]-} in
            \#(patterns))
                command=${line[1]}
                \#(function)_read "${line[@]:2}"
                ;;
            *) \#(function)_read "${line[@]:1}" ;;
            esac
            if [[ $pending ]]; then
                \#(function)_option "$command" "$pending"
            elif [[ $ended || $cur != -* ]]; then
                if [[ ${#line[@]} -eq 1 ]]; then
                    takes=words words=(\#(names))
                    \#(function)_offer '' "$cur"
                fi
                \#(function)_operand "$command" $((operands + 1))
                # Where no operand can stand, an option must follow.
                [[ $takes = none && ! $cur && ! $ended && ${#line[@]} -gt 1 ]] && \#(function)_names
            elif [[ $cur = --*=* ]]; then
                \#(function)_option "$command" "${cur%%=*}"
                \#(function)_offer "${cur%%=*}=" "${cur#*=}"
                return
            elif [[ $cur = -[^-]?* ]]; then
                \#(function)_letters "$cur"
                \#(function)_offer "$before" "${cur#"$before"}"
                return
            else
                \#(function)_names
            fi
            \#(function)_offer '' "$cur"
        }
        complete -F \#(function) \#(program)

        """#
    }
}
