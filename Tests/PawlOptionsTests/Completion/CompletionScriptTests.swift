import PawlCore
import Testing

@testable import PawlOptions

/// The parts of the scripts that differ from program to program.
@Suite struct CompletionScriptTests {
    private func part(of script: String, from start: String, to end: String) throws -> String {
        let lines = script.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        let first = try #require(lines.firstIndex { $0.isExactly(start) })
        let last = try #require(lines[first...].firstIndex { $0.isExactly(end) })
        return lines[first...last].joined(separator: "\n")
    }

    @Test func `bash has a case for each kind of value and for each operand`() throws {
        let script = SmallProgram.script.bash()
        #expect(script.begins(with: "# Completions of pawl for bash."))
        #expect(script.ends(with: "complete -F _pawl pawl\n"))
        #expect(
            try part(of: script, from: "_pawl_option() {", to: "}") == #"""
                _pawl_option() {
                    takes=none words=()
                    case $1 in
                    get) case $2 in
                        -o | --output | --service) takes=file ;;
                        -d | --into) takes=directory ;;
                        -x | --header) takes=any ;;
                        --sync) takes=words words=(file group none) ;;
                        --odd) takes=words words=('it'\''s $HOME' '\w:x') ;;
                        --id) takes=called words=(ids) ;;
                        esac ;;
                    add) case $2 in
                        -i | --input) takes=file ;;
                        esac ;;
                    esac
                }
                """#)
        #expect(
            try part(of: script, from: "_pawl_operand() {", to: "}") == #"""
                _pawl_operand() {
                    takes=none words=()
                    case "$1 $2" in
                    'get '*) takes=any ;;
                    'add 1') takes=file ;;
                    'add '*) takes=called words=(ids) ;;
                    'help 1') takes=words words=(target get add) ;;
                    esac
                }
                """#)
        #expect(
            try part(of: script, from: "_pawl_options() {", to: "}") == #"""
                _pawl_options() {
                    options=()
                    case $1 in
                    get) options=(
                        -q --quiet ,
                        -o --output ,
                        -d --into ,
                        -x ,
                        --sync ,
                        --odd ,
                        + --header ,
                        --service ,
                        --id ,
                    ) ;;
                    add) options=(
                        + -i --input ,
                    ) ;;
                    help) options=(
                        --all ,
                    ) ;;
                    esac
                }
                """#)
    }

    @Test func `zsh has a specification for each option and operand`() throws {
        let script = SmallProgram.script.zsh()
        #expect(script.begins(with: "#compdef pawl\n"))
        #expect(
            try part(of: script, from: "_pawl_topics() {", to: "}") == #"""
                _pawl_topics() {
                    local -a topics
                    topics=(
                        'target:names, and: files'
                        'get:Download: "fast", `x` $HOME \\z it'\''s [b] 50%.'
                        'add:Add.'
                    )
                    _describe -V topic topics
                }
                """#)
        #expect(
            try part(of: script, from: "    case $command in", to: "    esac") == #"""
                    case $command in
                    get) specs=(
                        '(-q --quiet)'{-q,--quiet}'[Quiet\: \[a\] "b" \\z `x` $H it'\''s.]'
                        '(-o --output)'{-o+,--output=}'[Name.]:file:_files'
                        '(-d --into)'{-d+,--into=}'[Place.]:dir:_path_files -/'
                        '-x+[Connections.]:number: '
                        '--sync=[Two lines.]:policy:(file group none)'
                        '--odd=[Odd.]:a\: b:('\''it'\''\'\'''\''s $HOME'\'' '\''\w\:x'\'')'
                        '*--header=[Field.]:Name\: value: '
                        '--service=[Service.]:socket:_files'
                        '--id=[Download.]:id: _pawl_ask id ids'
                        '*:url: _pawl_any url'
                    ) ;;
                    add) specs=(
                        '*'{-i+,--input=}'[List.]:list:_files'
                        ':list:_files'
                        '*:id: _pawl_ask id ids'
                    ) ;;
                    help) specs=(
                        '--all[All.]'
                        ':topic:_pawl_topics'
                    ) ;;
                    esac
                """#)
    }

    @Test func `fish has a line for each command, option and operand`() throws {
        let script = SmallProgram.script.fish()
        #expect(
            try part(of: script, from: "function __pawl_valued", to: "end") == #"""
                function __pawl_valued
                    switch $argv[1]
                        case get
                            printf '%s\n' -o --output -d --into -x --sync --odd --header --service --id
                        case add
                            printf '%s\n' -i --input
                    end
                end
                """#)
        let lines = try part(of: script, from: "complete -c pawl -f", to: "")
        #expect(
            lines == #"""
                complete -c pawl -f
                complete -c pawl -n __pawl_starts -a get -d 'Download: "fast", `x` $HOME \\z it\'s [b] 50%.'
                complete -c pawl -n __pawl_starts -a add -d Add.
                complete -c pawl -n __pawl_starts -a help -d Explain.
                complete -c pawl -n '__pawl_offers get -q --quiet' -s q -l quiet -d 'Quiet: [a] "b" \\z `x` $H it\'s.'
                complete -c pawl -n '__pawl_offers get -o --output' -s o -l output -rF -d Name.
                complete -c pawl -n '__pawl_offers get -d --into' -s d -l into -x -a '(__pawl_directories)' -d Place.
                complete -c pawl -n '__pawl_offers get -x' -s x -x -d Connections.
                complete -c pawl -n '__pawl_offers get --sync' -l sync -x -a 'file group none' -d 'Two lines.'
                complete -c pawl -n '__pawl_offers get --odd' -l odd -x -a '\'it\\\'s $HOME\' \'\\\\w:x\'' -d Odd.
                complete -c pawl -n '__pawl_offers get' -l header -x -d Field.
                complete -c pawl -n '__pawl_offers get --service' -l service -rF -d Service.
                complete -c pawl -n '__pawl_offers get --id' -l id -x -a '(__pawl_ask ids)' -d Download.
                complete -c pawl -n '__pawl_offers add' -s i -l input -rF -d List.
                complete -c pawl -n '__pawl_operand add 1' -F
                complete -c pawl -n '__pawl_operand add 2 more' -a '(__pawl_ask ids)'
                complete -c pawl -n '__pawl_offers help --all' -l all -d All.
                complete -c pawl -n '__pawl_operand help 1' -a target -d 'names, and: files'
                complete -c pawl -n '__pawl_operand help 1' -a get -d 'Download: "fast", `x` $HOME \\z it\'s [b] 50%.'
                complete -c pawl -n '__pawl_operand help 1' -a add -d Add.

                """#)
    }

    @Test func `help is a command also where it is not described`() {
        let script = CompletionScript(
            program: "p", commands: [CommandDescription(name: "get", summary: "Get.")], usual: "get",
            helpTopics: [.init("lists")])
        #expect(script.bash().contains("    'help 1') takes=words words=(lists get) ;;\n"))
        #expect(script.zsh().contains("        'help:Explain a command or a topic.'\n"))
        #expect(script.fish().contains("complete -c p -n '__p_operand help 1' -a lists\n"))
    }
}
