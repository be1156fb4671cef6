import PawlCore

extension CompletionScript {
    /// The script for fish 3 and later.
    package func fish() -> String {
        let starts = commands.map { command in
            fishLine(["\(fishFunction)_starts"], "-a \(Self.fishWords([command.name]))", command.summary)
        }
        return
            ([fishReading, fishConditions, fishValues, "complete -c \(program) -f"] + starts
            + commands.flatMap(fishLines)).joined(separator: "\n") + "\n"
    }

    private var fishFunction: String { "__" + program }

    private func fishLines(_ command: CommandDescription) -> [String] {
        let options = command.options.map { option in
            let letters = option.letters.map { "-s " + Self.fishQuoted($0) }
            let names = letters + option.longNames.map { "-l " + Self.fishQuoted($0) }
            return fishLine(
                ["\(fishFunction)_offers", command.name] + (option.isRepeated ? [] : option.spellings),
                (names + (option.value == nil ? [] : fishValue(option.offered))).joined(separator: " "), option.help)
        }
        if command.name.isExactly("help") {
            return options
                + topics.map { topic in
                    fishLine(
                        ["\(fishFunction)_operand", "help", "1"], "-a \(Self.fishWords([topic.name]))", topic.summary)
                }
        }
        let operands = command.operands.enumerated().compactMap { index, operand in
            fishOperand(operand.completion).map { candidates in
                fishLine(
                    ["\(fishFunction)_operand", command.name, String(index + 1)] + (operand.isRepeated ? ["more"] : []),
                    candidates, "")
            }
        }
        return options + operands
    }

    private func fishLine(_ condition: [String], _ rest: String, _ help: String) -> String {
        "complete -c \(program) -n \(Self.fishWords(condition)) \(rest)"
            + (help.isEmpty ? "" : " -d \(Self.fishQuoted(help))")
    }

    private func fishValue(_ value: OptionCompletion) -> [String] {
        switch value {
        case .file: ["-rF"]
        case .none, .directory, .words, .ids: ["-x"] + [fishOperand(value)].compactMap(\.self)
        }
    }

    private func fishOperand(_ value: OptionCompletion) -> String? {
        switch value {
        case .none: nil
        case .file: "-F"
        case .directory: "-a '(\(fishFunction)_directories)'"
        case .words(let words): "-a " + Self.fishWords(words)
        case .ids: "-a " + Self.fishQuoted("(\(fishFunction)_ask ids)")
        }
    }

    /// The words of `-a` and `-n`, which fish reads as a part of a script.
    private static func fishWords(_ words: [String]) -> String {
        fishQuoted(fishList(words))
    }

    private static func fishList(_ words: [String]) -> String { words.map(fishQuoted).joined(separator: " ") }

    private static func fishQuoted(_ text: String) -> String {
        isPlain(text) ? text : "'" + escaped(text, "\\'") + "'"
    }

    private var fishReading: String {
        let valued = commands.map { command in
            let names = command.options.filter { $0.value != nil }.flatMap(\.spellings)
            guard !names.isEmpty else { return "" }
            return "        case \(Self.fishQuoted(command.name))\n            printf '%s\\n' \(Self.fishList(names))\n"
        }
        return #"""
            # Completions of \#(program) for fish. Generated from the program's options.

            # Prints the words before the cursor, from the program on. "X=1" or "command" may stand before it.
            function \#(fishFunction)_words
                set -l words
                if string match -qr '^[0-3]\.' -- $FISH_VERSION
                    set words (commandline -opc)
                else
                    set words (commandline --tokens-expanded -pc)
                end
                for index in (seq (count $words))
                    if string match -qr '(^|/)\#(program)$' -- $words[$index]
                        set words $words[$index..-1]
                        break
                    end
                end
                printf '%s\n' $words
            end

            # Prints the options of a command that take a value.
            function \#(fishFunction)_valued
                switch $argv[1]
            \#(valued.joined())\#
                end
            end

            \#(fishState)
            """#
    }

    private var fishState: String {
        #"""
        # Sets the command, the words that are no options, the options that were given, and the one whose value is next.
        # Each condition below asks for them, so they are kept for the line.
        function \#(fishFunction)_read
            set -l line (commandline -pc)
            test "$line" = "$\#(fishFunction)_line"; and return
            set -g \#(fishFunction)_line $line
            set -g \#(fishFunction)_command \#(Self.fishQuoted(usual))
            set -g \#(fishFunction)_operands
            set -g \#(fishFunction)_used
            set -g \#(fishFunction)_pending
            set -l words (\#(fishFunction)_words)
            set -e words[1]
            if contains -- "$words[1]" \#(Self.fishList(commands.map(\.name)))
                set \#(fishFunction)_command $words[1]
                set -e words[1]
            end
            set -l valued (\#(fishFunction)_valued $\#(fishFunction)_command)
            set -l ended
            for word in $words
                if set -q \#(fishFunction)_pending[1]
                    set -a \#(fishFunction)_used $\#(fishFunction)_pending
                    set \#(fishFunction)_pending
                else if set -q ended[1]; or not string match -qr -- '^-.' $word
                    set -a \#(fishFunction)_operands $word
                else if test "$word" = --
                    set ended 1
                else if contains -- $word $valued
                    set \#(fishFunction)_pending $word
                else if string match -qr -- '^--' $word
                    set -a \#(fishFunction)_used (string replace -r '=.*' '' -- $word)
                else
                    set -l letters (string split '' -- $word)
                    for index in (seq 2 (count $letters))
                        set -l name -$letters[$index]
                        if contains -- $name $valued; and test $index -eq (count $letters)
                            set \#(fishFunction)_pending $name
                        else
                            set -a \#(fishFunction)_used $name
                            contains -- $name $valued; and break
                        end
                    end
                end
            end
        end

        """#
    }

    private var fishConditions: String {
        #"""
        # Whether the first word is being typed.
        function \#(fishFunction)_starts
            test (count (\#(fishFunction)_words)) -eq 1
        end

        # Whether an option of the command $argv[1] is offered. The names are those of one that may not be repeated.
        function \#(fishFunction)_offers
            \#(fishFunction)_read
            test "$\#(fishFunction)_command" = $argv[1]; or return
            for name in $argv[2..-1]
                contains -- $name $\#(fishFunction)_used
                and not contains -- "$\#(fishFunction)_pending" $argv[2..-1]
                and return 1
            end
            return 0
        end

        # Whether the operand number $argv[2] of the command $argv[1] is next, or with $argv[3] a later one.
        function \#(fishFunction)_operand
            \#(fishFunction)_read
            set -q \#(fishFunction)_pending[1]; and return 1
            test "$\#(fishFunction)_command" = $argv[1]; or return
            set -l number (math (count $\#(fishFunction)_operands) + 1)
            test $number -eq $argv[2]; and return
            set -q argv[3]; and test $number -gt $argv[2]
        end

        """#
    }

    private var fishValues: String {
        #"""
        # Prints the value at the cursor as far as it was typed, behind "--name=" or "-n" as well.
        function \#(fishFunction)_value
            commandline -ct | string replace -r -- '^-(-[^=]*=|[^-])' ''
        end

        # fish completes paths for a command that it does not know.
        function \#(fishFunction)_directories
            set -l value (\#(fishFunction)_value)
            complete -C"\#(fishFunction)_no_command $value" | string match -r '.*/$'
        end

        # Prints the candidates that the program prints.
        function \#(fishFunction)_ask
            set -l words (\#(fishFunction)_words)
            set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
            set -l value (\#(fishFunction)_value | string unescape)
            $program \#(Self.request) $argv -- "$value" $words[2..-1] 2>/dev/null </dev/null
        end

        """#
    }
}
