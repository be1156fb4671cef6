# Completions of pawl for bash. Generated from the program's options.

# Sets takes and words by the option $2 of the command $1.
_pawl_option() {
    takes=none words=()
    case $1 in
    get) case $2 in
        -o | --output | -i | --input-file | --password-file | --metalink | --checksum-file | --ca-certificate | --certificate | --private-key | --bearer-file | --netrc-file | --cookies | --save-cookies) takes=file ;;
        -d | --directory | --extract-to) takes=directory ;;
        --if-exists) takes=words words=(fail skip rename replace) ;;
        -j | --jobs | --per-host | --host-rate | -x | --connections | --checksum | --max-filesize | --max-speed | --range | --member | --max-unpacked | --max-ratio | --max-members | --mirror | --mirror-country | --select | --limit | --header | --proxy | --no-proxy | --connect-timeout | --bind-address | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout | --retries | --retry-max-time | --max-time | --on-complete) takes=any ;;
        --compute-checksum) takes=words words=(sha-512 sha-256 sha-1 md5) ;;
        --on-change) takes=words words=(restart fail) ;;
        --sync) takes=words words=(file group none) ;;
        --color) takes=words words=(auto always never) ;;
        --progress) takes=words words=(auto bar plain none) ;;
        esac ;;
    index) case $2 in
        --depth | --header | --proxy | --no-proxy | --connect-timeout | --bind-address | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout) takes=any ;;
        --ca-certificate | --certificate | --private-key | --bearer-file | --netrc-file | --cookies | --save-cookies) takes=file ;;
        esac ;;
    probe) case $2 in
        --header | --proxy | --no-proxy | --connect-timeout | --bind-address | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout) takes=any ;;
        --ca-certificate | --certificate | --private-key | --bearer-file | --netrc-file | --cookies | --save-cookies) takes=file ;;
        esac ;;
    verify) case $2 in
        --header | --proxy | --no-proxy | --connect-timeout | --bind-address | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout | --checksum) takes=any ;;
        --ca-certificate | --certificate | --private-key | --bearer-file | --netrc-file | --cookies | --save-cookies | --checksum-file | --metalink) takes=file ;;
        esac ;;
    clean) case $2 in
        --older-than) takes=any ;;
        esac ;;
    shard) case $2 in
        --to | --spool) takes=directory ;;
        --shards | --slice | --max-failed | --host-rate | --host-connections | --spread | --connect-timeout | --user-agent | --header | --max-filesize | --timeout | --max-time | --retries | --retry-max-time | --proxy | --no-proxy | --bind-address) takes=any ;;
        --as) takes=words words=(tar files) ;;
        --ca-certificate | --certificate | --private-key) takes=file ;;
        esac ;;
    work) case $2 in
        --index | -j | --jobs | --limit | --max-time | --proxy | --no-proxy | --bind-address) takes=any ;;
        --spool) takes=directory ;;
        --ca-certificate | --certificate | --private-key) takes=file ;;
        esac ;;
    manifest) case $2 in
        --ca-certificate | --certificate | --private-key) takes=file ;;
        --proxy | --no-proxy | --bind-address | --code) takes=any ;;
        esac ;;
    extract) case $2 in
        --max-unpacked | --max-ratio | --max-members | --member) takes=any ;;
        --password-file) takes=file ;;
        --color) takes=words words=(auto always never) ;;
        -d | --directory) takes=directory ;;
        --if-exists) takes=words words=(fail rename replace skip) ;;
        esac ;;
    list) case $2 in
        --header | --proxy | --no-proxy | --connect-timeout | --bind-address | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout | --max-members) takes=any ;;
        --ca-certificate | --certificate | --private-key | --bearer-file | --netrc-file | --cookies | --save-cookies | --password-file) takes=file ;;
        esac ;;
    pack) case $2 in
        --color) takes=words words=(auto always never) ;;
        --if-exists) takes=words words=(fail rename replace) ;;
        --level) takes=any ;;
        esac ;;
    add) case $2 in
        --priority | --tag | -x | --connections | --checksum | --max-filesize | --max-speed | --range | --member | --max-unpacked | --max-ratio | --max-members | --mirror | --mirror-country | --select | --header | --user | --bearer | --bearer-env | --cookie | --user-agent | --referer | --timeout | --retries | --retry-max-time | --max-time) takes=any ;;
        -o | --output | -i | --input-file | --password-file | --metalink | --checksum-file | --bearer-file | --service) takes=file ;;
        -d | --directory | --extract-to) takes=directory ;;
        --if-exists) takes=words words=(fail skip rename replace) ;;
        --compute-checksum) takes=words words=(sha-512 sha-256 sha-1 md5) ;;
        --on-change) takes=words words=(restart fail) ;;
        --sync) takes=words words=(file group none) ;;
        --color) takes=words words=(auto always never) ;;
        esac ;;
    ls) case $2 in
        --service) takes=file ;;
        --state) takes=words words=(running waiting queued paused failed completed) ;;
        --tag | --search | -n | --limit) takes=any ;;
        --sort) takes=words words=(position added name size state) ;;
        esac ;;
    show) case $2 in
        --service) takes=file ;;
        esac ;;
    watch) case $2 in
        --color) takes=words words=(auto always never) ;;
        --service) takes=file ;;
        esac ;;
    pause) case $2 in
        --service) takes=file ;;
        --state) takes=words words=(running waiting queued paused failed completed) ;;
        --tag | --search) takes=any ;;
        esac ;;
    resume) case $2 in
        --service) takes=file ;;
        --state) takes=words words=(running waiting queued paused failed completed) ;;
        --tag | --search) takes=any ;;
        esac ;;
    retry) case $2 in
        --service) takes=file ;;
        --state) takes=words words=(running waiting queued paused failed completed) ;;
        --tag | --search) takes=any ;;
        esac ;;
    change) case $2 in
        --header | --user | --bearer | --bearer-env | --cookie | --url | --mirror | -x | --connections | --tag) takes=any ;;
        --bearer-file | --service) takes=file ;;
        --if-exists) takes=words words=(fail skip rename replace) ;;
        esac ;;
    rm) case $2 in
        --service) takes=file ;;
        --state) takes=words words=(running waiting queued paused failed completed) ;;
        --tag | --search) takes=any ;;
        esac ;;
    move) case $2 in
        --service) takes=file ;;
        --before | --after) takes=called words=(ids) ;;
        --up | --down) takes=any ;;
        esac ;;
    limit) case $2 in
        --service) takes=file ;;
        esac ;;
    config) case $2 in
        --file) takes=file ;;
        esac ;;
    esac
}

# Sets takes and words by the operand number $2 of the command $1.
_pawl_operand() {
    takes=none words=()
    case "$1 $2" in
    'get '*) takes=any ;;
    'index 1') takes=any ;;
    'probe 1') takes=any ;;
    'status 1') takes=file ;;
    'verify '*) takes=file ;;
    'clean 1') takes=directory ;;
    'shard '*) takes=file ;;
    'work 1') takes=directory ;;
    'manifest 1') takes=directory ;;
    'extract 1') takes=file ;;
    'list 1') takes=file ;;
    'pack 1') takes=file ;;
    'pack '*) takes=file ;;
    'serve '*) takes=any ;;
    'add '*) takes=any ;;
    'show 1') takes=called words=(ids) ;;
    'watch '*) takes=called words=(ids) ;;
    'pause '*) takes=called words=(ids) ;;
    'resume '*) takes=called words=(ids) ;;
    'retry '*) takes=called words=(ids) ;;
    'change 1') takes=called words=(ids) ;;
    'rm '*) takes=called words=(ids) ;;
    'move '*) takes=called words=(ids) ;;
    'limit '*) takes=called words=(ids) ;;
    'completions 1') takes=words words=(bash zsh fish) ;;
    'help 1') takes=words words=(target lists queue sources trust limits ranges archives network server login output defaults exit-codes all get index probe status verify clean shard work manifest extract list pack serve add ls show watch pause resume retry change rm move limit token config completions) ;;
    esac
}

# Sets options to those of the command $1: the names of each and a comma, after "+" if it may be repeated.
_pawl_options() {
    options=()
    case $1 in
    get) options=(
        -o --output ,
        -d --directory ,
        --create-dirs ,
        --keep-paths ,
        --if-exists ,
        + -i --input-file ,
        --no-glob ,
        -j --jobs ,
        --per-host ,
        --host-rate ,
        --fail-fast ,
        --dry-run '--dry-run=online' ,
        -x --connections ,
        --checksum ,
        --compute-checksum ,
        --max-filesize ,
        --on-change ,
        --adopt ,
        --allow-insecure-redirect ,
        --allow-web-page ,
        --require-complete ,
        --max-speed ,
        --range ,
        --sparse ,
        + --member ,
        --extract ,
        --extract-to ,
        --extract-keep ,
        --extract-remove ,
        --max-unpacked ,
        --max-ratio ,
        --max-members ,
        --no-links ,
        --allow-twins ,
        --password-file ,
        + --mirror ,
        --server-mirrors ,
        + --mirror-country ,
        + --metalink ,
        + --select ,
        --checksum-file ,
        --limit ,
        + --header ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --connect-timeout ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --netrc ,
        --netrc-file ,
        --cookies ,
        --save-cookies ,
        --user-agent ,
        --referer ,
        --timeout ,
        --retries ,
        --retry-max-time ,
        --wait-for-network ,
        --ignore-retry-after ,
        --max-time ,
        --if-newer ,
        --remote-time ,
        --xattr ,
        --sync ,
        --json ,
        -q --quiet ,
        --color ,
        --progress ,
        --notify ,
        -v --verbose ,
        --no-config ,
        --on-complete ,
        --version ,
        -h --help ,
    ) ;;
    index) options=(
        --depth ,
        + --header ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --connect-timeout ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --netrc ,
        --netrc-file ,
        --cookies ,
        --save-cookies ,
        --user-agent ,
        --referer ,
        --timeout ,
        -v --verbose ,
        --no-config ,
        --version ,
        -h --help ,
    ) ;;
    probe) options=(
        + --header ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --connect-timeout ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --netrc ,
        --netrc-file ,
        --cookies ,
        --save-cookies ,
        --user-agent ,
        --referer ,
        --timeout ,
        -v --verbose ,
        --no-config ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    status) options=(
        --json ,
        --version ,
        -h --help ,
    ) ;;
    verify) options=(
        + --header ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --connect-timeout ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --netrc ,
        --netrc-file ,
        --cookies ,
        --save-cookies ,
        --user-agent ,
        --referer ,
        --timeout ,
        -v --verbose ,
        --no-config ,
        --checksum ,
        --checksum-file ,
        --metalink ,
        --repair ,
        --json ,
        -q --quiet ,
        --version ,
        -h --help ,
    ) ;;
    clean) options=(
        --unfinished ,
        -r --recursive ,
        --older-than ,
        -n --dry-run ,
        -y --yes ,
        --version ,
        -h --help ,
    ) ;;
    shard) options=(
        --to ,
        --shards ,
        --as ,
        --slice ,
        --max-failed ,
        --without-conditions ,
        --spool ,
        --host-rate ,
        --host-connections ,
        + --spread ,
        --connect-timeout ,
        --allow-web-page ,
        --user-agent ,
        + --header ,
        --max-filesize ,
        --timeout ,
        --max-time ,
        --retries ,
        --retry-max-time ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --json ,
        -q --quiet ,
        --version ,
        -h --help ,
    ) ;;
    work) options=(
        --index ,
        --spool ,
        -j --jobs ,
        --limit ,
        --max-time ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --json ,
        -q --quiet ,
        -v --verbose ,
        --no-config ,
        --version ,
        -h --help ,
    ) ;;
    manifest) options=(
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --failed ,
        + --code ,
        --missing ,
        --orphans ,
        --delete ,
        --verify ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    extract) options=(
        --max-unpacked ,
        --max-ratio ,
        --max-members ,
        --no-links ,
        --allow-twins ,
        --password-file ,
        --json ,
        -q --quiet ,
        --color ,
        -d --directory ,
        + --member ,
        --if-exists ,
        --version ,
        -h --help ,
    ) ;;
    list) options=(
        + --header ,
        --ca-certificate ,
        --proxy ,
        --no-proxy ,
        --connect-timeout ,
        --bind-address ,
        -4 --ipv4-only ,
        -6 --ipv6-only ,
        --certificate ,
        --private-key ,
        --insecure ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --netrc ,
        --netrc-file ,
        --cookies ,
        --save-cookies ,
        --user-agent ,
        --referer ,
        --timeout ,
        -v --verbose ,
        --no-config ,
        --partial ,
        -r --recursive ,
        --password-file ,
        --max-members ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    pack) options=(
        --json ,
        -q --quiet ,
        --color ,
        --if-exists ,
        --level ,
        --version ,
        -h --help ,
    ) ;;
    serve) options=(
        --version ,
        -h --help ,
    ) ;;
    add) options=(
        --priority ,
        --paused ,
        --top ,
        --tag ,
        --wait ,
        -o --output ,
        -d --directory ,
        --keep-paths ,
        --if-exists ,
        + -i --input-file ,
        --no-glob ,
        -x --connections ,
        --checksum ,
        --compute-checksum ,
        --max-filesize ,
        --on-change ,
        --adopt ,
        --allow-insecure-redirect ,
        --allow-web-page ,
        --require-complete ,
        --max-speed ,
        --range ,
        --sparse ,
        + --member ,
        --extract ,
        --extract-to ,
        --extract-keep ,
        --extract-remove ,
        --max-unpacked ,
        --max-ratio ,
        --max-members ,
        --no-links ,
        --allow-twins ,
        --password-file ,
        + --mirror ,
        --server-mirrors ,
        + --mirror-country ,
        + --metalink ,
        + --select ,
        --checksum-file ,
        + --header ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --user-agent ,
        --referer ,
        --timeout ,
        --retries ,
        --retry-max-time ,
        --wait-for-network ,
        --ignore-retry-after ,
        --max-time ,
        --if-newer ,
        --remote-time ,
        --xattr ,
        --sync ,
        --json ,
        -q --quiet ,
        --color ,
        --service ,
        --version ,
        -h --help ,
    ) ;;
    ls) options=(
        --service ,
        + --state ,
        --tag ,
        --search ,
        --sort ,
        -n --limit ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    show) options=(
        --service ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    watch) options=(
        --json ,
        -q --quiet ,
        --color ,
        --service ,
        --version ,
        -h --help ,
    ) ;;
    pause) options=(
        --service ,
        --all ,
        + --state ,
        --tag ,
        --search ,
        --version ,
        -h --help ,
    ) ;;
    resume) options=(
        --service ,
        --all ,
        + --state ,
        --tag ,
        --search ,
        --version ,
        -h --help ,
    ) ;;
    retry) options=(
        --service ,
        --all ,
        + --state ,
        --tag ,
        --search ,
        --version ,
        -h --help ,
    ) ;;
    change) options=(
        + --header ,
        --user ,
        --digest ,
        --bearer ,
        --bearer-file ,
        --bearer-env ,
        + --cookie ,
        --adopt ,
        --if-exists ,
        --service ,
        --url ,
        + --mirror ,
        -x --connections ,
        --tag ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    rm) options=(
        --service ,
        --all ,
        + --state ,
        --tag ,
        --search ,
        --delete-files ,
        --version ,
        -h --help ,
    ) ;;
    move) options=(
        --service ,
        --top ,
        --bottom ,
        --before ,
        --after ,
        --up ,
        --down ,
        --version ,
        -h --help ,
    ) ;;
    limit) options=(
        --service ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    token) options=(
        --renew ,
        --version ,
        -h --help ,
    ) ;;
    config) options=(
        --all ,
        --check ,
        --file ,
        --json ,
        --version ,
        -h --help ,
    ) ;;
    completions) options=(
        --version ,
        -h --help ,
    ) ;;
    esac
}

# Sets line to the words before the cursor, and cur to the part of a word at it, both without quotes. bash also
# breaks words at "=", ":" and "@", which are joined again.
_pawl_line() {
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
_pawl_read() {
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
            _pawl_option "$command" "$word"
            [[ $takes != none ]] && pending=$word
        else
            _pawl_letters "$word"
            [[ $takes != none && $word = "$before" && $word != *= ]] && pending=-${word: -1}
        fi
    done
}

# Reads letters behind one hyphen. Sets takes and words by the first that takes a value, and before to the part
# of the word before its value.
_pawl_letters() {
    local index
    takes=none before=$1
    for ((index = 1; index < ${#1}; index++)); do
        used+=("-${1:index:1}")
        _pawl_option "$command" "-${1:index:1}"
        [[ $takes = none ]] && continue
        before=${1:0:index + 1}
        [[ ${1:index + 1:1} = = ]] && before+='='
        return
    done
}

# Sets words to the options, without those that were given and may not be repeated.
_pawl_names() {
    local name group=() given='' again=''
    takes=words words=()
    _pawl_options "$command"
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
_pawl_offer() {
    local found=() candidate path='' kept=${cur%"$typed"}
    case $takes in
    file) mapfile -t found < <(compgen -f -- "$2") ;;
    directory) mapfile -t found < <(compgen -d -- "$2") ;;
    words) found=("${words[@]}") ;;
    called)
        mapfile -t found < <(
            "$program" ---complete "${words[@]}" -- "$2" "${line[@]:1}" 2>/dev/null </dev/null
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

_pawl() {
    # Empty arrays are unset until bash 4.4.
    if [[ $- = *u* ]]; then
        set +u
        _pawl "$@"
        set -u
        return
    fi
    local IFS=$' \t\n' typed=${2//[\\\'\"]/} program command=get cur quoted
    local pending ended before takes=none
    local -i operands
    local -a line options words used
    COMPREPLY=()
    _pawl_line || return
    program=${line[0]/#\~\//$HOME/}
    case ${line[1]-} in
    get | index | probe | status | verify | clean | shard | work | manifest | extract | list | pack | serve | add | ls | show | watch | pause | resume | retry | change | rm | move | limit | token | config | completions | help)
        command=${line[1]}
        _pawl_read "${line[@]:2}"
        ;;
    *) _pawl_read "${line[@]:1}" ;;
    esac
    if [[ $pending ]]; then
        _pawl_option "$command" "$pending"
    elif [[ $ended || $cur != -* ]]; then
        if [[ ${#line[@]} -eq 1 ]]; then
            takes=words words=(get index probe status verify clean shard work manifest extract list pack serve add ls show watch pause resume retry change rm move limit token config completions help)
            _pawl_offer '' "$cur"
        fi
        _pawl_operand "$command" $((operands + 1))
        # Where no operand can stand, an option must follow.
        [[ $takes = none && ! $cur && ! $ended && ${#line[@]} -gt 1 ]] && _pawl_names
    elif [[ $cur = --*=* ]]; then
        _pawl_option "$command" "${cur%%=*}"
        _pawl_offer "${cur%%=*}=" "${cur#*=}"
        return
    elif [[ $cur = -[^-]?* ]]; then
        _pawl_letters "$cur"
        _pawl_offer "$before" "${cur#"$before"}"
        return
    else
        _pawl_names
    fi
    _pawl_offer '' "$cur"
}
complete -F _pawl pawl
