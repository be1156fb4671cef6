import PawlOptions
import PawlTestKit

/// A shell that completes lines in a directory with the files `plain` and `my file`, the directory `place`, and a
/// program that prints candidates and writes its arguments down.
struct CompletingShell {
    enum Kind: String, CaseIterable, Sendable {
        case bash, zsh, fish

        static let installed = allCases.filter { (try? Subprocess.find($0.rawValue)) != nil }
    }

    private let kind: Kind
    private let directory: TemporaryDirectory

    init(_ kind: Kind) throws {
        self.kind = kind
        directory = try TemporaryDirectory("completion")
        for name in ["bin", "box", "box/place"] { try Files.makeDirectory(directory.file(name)) }
        for name in ["box/plain", "box/my file"] { try Files.write([UInt8](), to: directory.file(name)) }
        let program = "#!/bin/sh\n(IFS='|'; echo \"$*\") >>\"$HOME/calls\"\nprintf '%s\\n' 1a2b 1a3c ffff\n"
        try Files.write(Array(program.utf8), to: directory.file("bin/pawl"))
        try Files.setMode(directory.file("bin/pawl"), 0o755)
        let (script, harness) =
            switch kind {
            case .bash: (SmallProgram.script.bash(), Self.bash)
            case .zsh: (SmallProgram.script.zsh(), Self.zsh)
            case .fish: (SmallProgram.script.fish(), Self.fish)
            }
        try Files.write(Array(script.utf8), to: directory.file("script"))
        try Files.write(Array(harness.utf8), to: directory.file("harness"))
    }

    /// bash and fish: the candidates for each line in their order, without what stands before a value in its word, and
    /// without a slash at the end. zsh: the line after a tab, and all that was shown.
    func complete(_ lines: [String]) async throws -> [[String]] {
        let output = try await Subprocess.run(
            kind.rawValue, [directory.file("harness"), directory.file("box")] + lines,
            environment: [
                "HOME": directory.path, "ZDOTDIR": directory.path, "XDG_CONFIG_HOME": directory.path,
                "XDG_DATA_HOME": directory.path, "PATH": "\(directory.file("bin")):/usr/local/bin:/usr/bin:/bin",
            ])
        return output.standardOutput.utf8.split(separator: UInt8(ascii: "\n")).map { line in
            line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: true).map { String(Substring($0)) }
        }
    }

    /// The arguments of each call of the program, joined by "|".
    var calls: [String] {
        let text = (try? Files.text(directory.file("calls"))) ?? ""
        return text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }

    /// Breaks the line as bash does by default, at blanks and around "=", ":" and "@".
    private static let bash = #"""
        cd "$1" && source ../script || exit
        for line in "${@:2}"; do
            rest=$line COMP_WORDS=()
            word='^ *([=:@]+|([^\=:@ ]|\\.)+)'
            while [[ $rest =~ $word ]]; do
                COMP_WORDS+=("${BASH_REMATCH[1]}")
                rest=${rest:${#BASH_REMATCH[0]}}
            done
            [[ $rest ]] && COMP_WORDS+=('')
            COMP_LINE=$line COMP_POINT=${#line} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            typed=${COMP_WORDS[COMP_CWORD]}
            [[ $typed = [=:@]* ]] && typed=''
            _pawl pawl "$typed" "${COMP_WORDS[COMP_CWORD - 1]}"
            printf '|%s' "${COMPREPLY[@]%/}"
            echo '|'
        done

        """#

    /// Types each line, a tab and Ctrl-T at a terminal, and reads up to the answer to Ctrl-T.
    private static let zsh = #"""
        cd $1 || exit
        zmodload zsh/zpty || exit
        zpty child "PS1= TERM=dumb zsh -f -i"
        zpty -w child "stty -echo; COLUMNS=200 LISTMAX=0; unsetopt beep prompt_cr prompt_sp; bindkey -e"
        zpty -w child 'answer() { print -rn -- $'"'\\x02'"'$BUFFER$'"'\\x03'"'; BUFFER=; }'
        zpty -w child 'zle -N answer; bindkey "^T" answer; source ../script'
        zpty -w child "print -n \$'\\x02\\x03'"
        zpty -r child out $'*\x02\x03'
        for line in "${@:2}"; do
            zpty -wn child $line$'\t\x14'
            zpty -r child out $'*\x02*\x03'
            shown=${out%$'\x02'*}
            buffer=${${out##*$'\x02'}%$'\x03'}
            print -r -- "|$buffer|${(j: :)${=shown//[$'\r\n']/ }}|"
        done
        zpty -d child

        """#

    private static let fish = #"""
        cd $argv[1]; and source ../script; or exit
        for line in $argv[2..-1]
            for candidate in (complete -C"$line" | string replace -r '\t.*' '')
                printf '|%s' (string replace -r '^--[^=]*=' '' -- $candidate | string replace -r '/$' '')
            end
            echo '|'
        end

        """#
}
