__pawl_cursor_index_in_current_word() {
    local remaining="${COMP_LINE}"

    local word
    for word in "${COMP_WORDS[@]::COMP_CWORD}"; do
        remaining="${remaining##*([[:space:]])"${word}"*([[:space:]])}"
    done

    local -ir index="$((COMP_POINT - ${#COMP_LINE} + ${#remaining}))"
    if [[ "${index}" -le 0 ]]; then
        printf 0
    else
        printf %s "${index}"
    fi
}

# positional arguments:
#
# - 1: the current (sub)command's count of positional arguments
#
# required variables:
#
# - repeating_flags: the repeating flags that the current (sub)command can accept
# - non_repeating_flags: the non-repeating flags that the current (sub)command can accept
# - repeating_options: the repeating options that the current (sub)command can accept
# - non_repeating_options: the non-repeating options that the current (sub)command can accept
# - positional_number: value ignored
# - unparsed_words: unparsed words from the current command line
#
# modified variables:
#
# - non_repeating_flags: remove flags for this (sub)command that are already on the command line
# - non_repeating_options: remove options for this (sub)command that are already on the command line
# - positional_number: set to the current positional number
# - unparsed_words: remove all flags, options, and option values for this (sub)command
__pawl_offer_flags_options() {
    local -ir positional_count="${1}"
    positional_number=0

    local was_flag_option_terminator_seen=false
    local is_parsing_option_value=false

    local -ar unparsed_word_indices=("${!unparsed_words[@]}")
    local -i word_index
    for word_index in "${unparsed_word_indices[@]}"; do
        if "${is_parsing_option_value}"; then
            # This word is an option value:
            # Reset marker for next word iff not currently the last word
            [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]] && is_parsing_option_value=false
            unset "unparsed_words[${word_index}]"
            # Do not process this word as a flag or an option
            continue
        fi

        local word="${unparsed_words["${word_index}"]}"
        if ! "${was_flag_option_terminator_seen}"; then
            case "${word}" in
            --)
                unset "unparsed_words[${word_index}]"
                # by itself -- is a flag/option terminator, but if it is the last word, it is the start of a completion
                if [[ "${word_index}" -ne "${unparsed_word_indices[${#unparsed_word_indices[@]} - 1]}" ]]; then
                    was_flag_option_terminator_seen=true
                fi
                continue
                ;;
            -*)
                # ${word} is a flag or an option
                # If ${word} is an option, mark that the next word to be parsed is an option value
                local option
                for option in "${repeating_options[@]}" "${non_repeating_options[@]}"; do
                    [[ "${word}" = "${option}" ]] && is_parsing_option_value=true && break
                done

                # Remove ${word} from ${non_repeating_flags} or ${non_repeating_options} so it isn't offered again
                local not_found=true
                local -i index
                for index in "${!non_repeating_flags[@]}"; do
                    if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                        unset "non_repeating_flags[${index}]"
                        non_repeating_flags=("${non_repeating_flags[@]}")
                        not_found=false
                        break
                    fi
                done
                if "${not_found}"; then
                    for index in "${!non_repeating_flags[@]}"; do
                        if [[ "${non_repeating_flags[${index}]}" = "${word}" ]]; then
                            unset "non_repeating_flags[${index}]"
                            non_repeating_flags=("${non_repeating_flags[@]}")
                            break
                        fi
                    done
                fi
                unset "unparsed_words[${word_index}]"
                continue
                ;;
            esac
        fi

        # ${word} is neither a flag, nor an option, nor an option value
        if [[ "${positional_number}" -lt "${positional_count}" || "${positional_count}" -lt 0 ]]; then
            # ${word} is a positional
            ((positional_number++))
            unset "unparsed_words[${word_index}]"
        else
            if [[ -z "${word}" ]]; then
                # Could be completing a flag, option, or subcommand
                positional_number=-1
            else
                # ${word} is a subcommand or invalid, so stop processing this (sub)command
                positional_number=-2
            fi
            break
        fi
    done

    unparsed_words=("${unparsed_words[@]}")

    if\
        ! "${was_flag_option_terminator_seen}"\
        && ! "${is_parsing_option_value}"\
        && [[ ("${cur}" = -* && "${positional_number}" -ge 0) || "${positional_number}" -eq -1 ]]
    then
        COMPREPLY+=($(compgen -W "${repeating_flags[*]} ${non_repeating_flags[*]} ${repeating_options[*]} ${non_repeating_options[*]}" -- "${cur}"))
    fi
}

__pawl_add_completions() {
    [[ "${1}" = -[df] ]] && compopt -o filenames 2>/dev/null
    local completion
    while IFS='' read -r completion; do
        COMPREPLY+=("${completion}")
    done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
}

__pawl_custom_complete() {
    if [[ -n "${cur}" || -z ${COMP_WORDS[${COMP_CWORD}]} || "${COMP_LINE:${COMP_POINT}:1}" != ' ' ]]; then
        local -ar words=("${COMP_WORDS[@]}")
    else
        local -ar words=("${COMP_WORDS[@]::${COMP_CWORD}}" '' "${COMP_WORDS[@]:${COMP_CWORD}}")
    fi

    "${COMP_WORDS[0]}" "${@}" "${words[@]}"
}

_pawl() {
    local state
    state="$(shopt -p;shopt -po)"
    trap "${state//$'\n'/;}" RETURN
    shopt -s extglob
    set +o history +o posix

    local -xr SAP_SHELL=bash
    local -x SAP_SHELL_VERSION
    SAP_SHELL_VERSION="$(IFS='.';printf %s "${BASH_VERSINFO[*]}")"
    local -r SAP_SHELL_VERSION

    local -r cur="${2}"
    local prev="${3}"
    [[ "${prev}" = = && "${COMP_CWORD}" -gt 2 ]] && prev="${COMP_WORDS[COMP_CWORD - 2]}"

    local -i positional_number
    local -a unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")

    local -a repeating_flags=()
    local -a non_repeating_flags=(--version -h --help)
    local -a repeating_options=()
    local -a non_repeating_options=()
    __pawl_offer_flags_options 0

    # Offer subcommand / subcommand argument completions
    local -r subcommand="${unparsed_words[0]}"
    unset 'unparsed_words[0]'
    unparsed_words=("${unparsed_words[@]}")
    case "${subcommand}" in
    get|probe|status|verify|clean|extract|list|pack|serve|add|ls|show|watch|pause|resume|retry|change|rm|move|limit|token|completions|help)
        # Offer subcommand argument completions
        "_pawl_${subcommand}"
        ;;
    *)
        if [[ "${COMP_CWORD}" -gt 1 || "${cur}" = -* ]]; then
            COMPREPLY=()
            unparsed_words=("${COMP_WORDS[@]:1:${COMP_CWORD}}")
            _pawl_get
            return
        fi
        # Offer subcommand completions
        COMPREPLY+=($(compgen -W 'get probe status verify clean extract list pack serve add ls show watch pause resume retry change rm move limit token completions help' -- "${cur}"))
        ;;
    esac
}

_pawl_get() {
    repeating_flags=(-v --verbose)
    non_repeating_flags=(--create-dirs --no-glob --fail-fast --dry-run --adopt --allow-insecure-redirect --allow-web-page --require-complete --sparse --extract --extract-keep --extract-remove --no-links --allow-twins --server-mirrors -4 --ipv4-only -6 --ipv6-only --insecure --digest --netrc --ignore-retry-after --if-newer --remote-time --xattr --json -q --quiet --no-config --version -h --help)
    repeating_options=(-i --input-file --member --mirror --mirror-country --metalink --select --header --cookie)
    non_repeating_options=(-o --output -d --directory --if-exists -j --jobs --per-host -x --connections --checksum --max-filesize --on-change --max-speed --limit --range --extract-to --max-unpacked --max-ratio --max-members --password-file --checksum-file --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --netrc-file --cookies --save-cookies --user-agent --referer --timeout --retries --retry-max-time --max-time --sync --color --progress --on-complete)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '-o'|'--output')
        __pawl_add_completions -f
        return
        ;;
    '-d'|'--directory')
        __pawl_add_completions -d
        return
        ;;
    '--if-exists')
        __pawl_add_completions -W 'fail'$'\n''skip'$'\n''rename'$'\n''replace'
        return
        ;;
    '-i'|'--input-file')
        __pawl_add_completions -f
        return
        ;;
    '-j'|'--jobs')
        return
        ;;
    '--per-host')
        return
        ;;
    '-x'|'--connections')
        return
        ;;
    '--checksum')
        return
        ;;
    '--max-filesize')
        return
        ;;
    '--on-change')
        __pawl_add_completions -W 'restart'$'\n''fail'
        return
        ;;
    '--max-speed')
        return
        ;;
    '--limit')
        return
        ;;
    '--range')
        return
        ;;
    '--member')
        return
        ;;
    '--extract-to')
        __pawl_add_completions -d
        return
        ;;
    '--max-unpacked')
        return
        ;;
    '--max-ratio')
        return
        ;;
    '--max-members')
        return
        ;;
    '--password-file')
        __pawl_add_completions -f
        return
        ;;
    '--mirror')
        return
        ;;
    '--mirror-country')
        return
        ;;
    '--metalink')
        __pawl_add_completions -f
        return
        ;;
    '--select')
        return
        ;;
    '--checksum-file')
        __pawl_add_completions -f
        return
        ;;
    '--header')
        return
        ;;
    '--ca-certificate')
        __pawl_add_completions -f
        return
        ;;
    '--proxy')
        return
        ;;
    '--no-proxy')
        return
        ;;
    '--connect-timeout')
        return
        ;;
    '--bind-address')
        return
        ;;
    '--certificate')
        __pawl_add_completions -f
        return
        ;;
    '--private-key')
        __pawl_add_completions -f
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--netrc-file')
        __pawl_add_completions -f
        return
        ;;
    '--cookies')
        __pawl_add_completions -f
        return
        ;;
    '--save-cookies')
        __pawl_add_completions -f
        return
        ;;
    '--user-agent')
        return
        ;;
    '--referer')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retries')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--max-time')
        return
        ;;
    '--sync')
        __pawl_add_completions -W 'file'$'\n''group'$'\n''none'
        return
        ;;
    '--color')
        __pawl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--progress')
        __pawl_add_completions -W 'auto'$'\n''bar'$'\n''plain'$'\n''none'
        return
        ;;
    '--on-complete')
        return
        ;;
    esac
}

_pawl_probe() {
    repeating_flags=(-v --verbose)
    non_repeating_flags=(-4 --ipv4-only -6 --ipv6-only --insecure --digest --netrc --no-config --json --version -h --help)
    repeating_options=(--header --cookie)
    non_repeating_options=(--ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --netrc-file --cookies --save-cookies --user-agent --referer --timeout)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--header')
        return
        ;;
    '--ca-certificate')
        __pawl_add_completions -f
        return
        ;;
    '--proxy')
        return
        ;;
    '--no-proxy')
        return
        ;;
    '--connect-timeout')
        return
        ;;
    '--bind-address')
        return
        ;;
    '--certificate')
        __pawl_add_completions -f
        return
        ;;
    '--private-key')
        __pawl_add_completions -f
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--netrc-file')
        __pawl_add_completions -f
        return
        ;;
    '--cookies')
        __pawl_add_completions -f
        return
        ;;
    '--save-cookies')
        __pawl_add_completions -f
        return
        ;;
    '--user-agent')
        return
        ;;
    '--referer')
        return
        ;;
    '--timeout')
        return
        ;;
    esac
}

_pawl_status() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=()
    __pawl_offer_flags_options 1

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_verify() {
    repeating_flags=(-v --verbose)
    non_repeating_flags=(--repair -4 --ipv4-only -6 --ipv6-only --insecure --digest --netrc --no-config --json -q --quiet --version -h --help)
    repeating_options=(--header --cookie)
    non_repeating_options=(--checksum --checksum-file --metalink --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --netrc-file --cookies --save-cookies --user-agent --referer --timeout)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--checksum')
        return
        ;;
    '--checksum-file')
        __pawl_add_completions -f
        return
        ;;
    '--metalink')
        __pawl_add_completions -f
        return
        ;;
    '--header')
        return
        ;;
    '--ca-certificate')
        __pawl_add_completions -f
        return
        ;;
    '--proxy')
        return
        ;;
    '--no-proxy')
        return
        ;;
    '--connect-timeout')
        return
        ;;
    '--bind-address')
        return
        ;;
    '--certificate')
        __pawl_add_completions -f
        return
        ;;
    '--private-key')
        __pawl_add_completions -f
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--netrc-file')
        __pawl_add_completions -f
        return
        ;;
    '--cookies')
        __pawl_add_completions -f
        return
        ;;
    '--save-cookies')
        __pawl_add_completions -f
        return
        ;;
    '--user-agent')
        return
        ;;
    '--referer')
        return
        ;;
    '--timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_clean() {
    repeating_flags=()
    non_repeating_flags=(--unfinished --recursive -r -n --dry-run --yes -y --version -h --help)
    repeating_options=()
    non_repeating_options=(--older-than)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--older-than')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -d
        return
        ;;
    esac
}

_pawl_extract() {
    repeating_flags=()
    non_repeating_flags=(--no-links --allow-twins --json -q --quiet --version -h --help)
    repeating_options=(--member)
    non_repeating_options=(-d --directory --if-exists --max-unpacked --max-ratio --max-members --password-file --color)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '-d'|'--directory')
        __pawl_add_completions -d
        return
        ;;
    '--member')
        return
        ;;
    '--if-exists')
        __pawl_add_completions -W 'fail'$'\n''rename'$'\n''replace'$'\n''skip'
        return
        ;;
    '--max-unpacked')
        return
        ;;
    '--max-ratio')
        return
        ;;
    '--max-members')
        return
        ;;
    '--password-file')
        __pawl_add_completions -f
        return
        ;;
    '--color')
        __pawl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_list() {
    repeating_flags=(-v --verbose)
    non_repeating_flags=(--partial --recursive -r --json -4 --ipv4-only -6 --ipv6-only --insecure --digest --netrc --no-config --version -h --help)
    repeating_options=(--header --cookie)
    non_repeating_options=(--password-file --max-members --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --netrc-file --cookies --save-cookies --user-agent --referer --timeout)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--password-file')
        __pawl_add_completions -f
        return
        ;;
    '--max-members')
        return
        ;;
    '--header')
        return
        ;;
    '--ca-certificate')
        __pawl_add_completions -f
        return
        ;;
    '--proxy')
        return
        ;;
    '--no-proxy')
        return
        ;;
    '--connect-timeout')
        return
        ;;
    '--bind-address')
        return
        ;;
    '--certificate')
        __pawl_add_completions -f
        return
        ;;
    '--private-key')
        __pawl_add_completions -f
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--netrc-file')
        __pawl_add_completions -f
        return
        ;;
    '--cookies')
        __pawl_add_completions -f
        return
        ;;
    '--save-cookies')
        __pawl_add_completions -f
        return
        ;;
    '--user-agent')
        return
        ;;
    '--referer')
        return
        ;;
    '--timeout')
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_pack() {
    repeating_flags=()
    non_repeating_flags=(--json -q --quiet --version -h --help)
    repeating_options=()
    non_repeating_options=(--if-exists --level --color)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--if-exists')
        __pawl_add_completions -W 'fail'$'\n''rename'$'\n''replace'
        return
        ;;
    '--level')
        return
        ;;
    '--color')
        __pawl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -f
        return
        ;;
    *)
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_serve() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __pawl_offer_flags_options -1
}

_pawl_add() {
    repeating_flags=()
    non_repeating_flags=(--paused --top --wait --no-glob --adopt --allow-insecure-redirect --allow-web-page --require-complete --sparse --extract --extract-keep --extract-remove --no-links --allow-twins --server-mirrors --digest --ignore-retry-after --if-newer --remote-time --xattr --json -q --quiet --version -h --help)
    repeating_options=(-i --input-file --member --mirror --mirror-country --metalink --select --header --cookie)
    non_repeating_options=(--priority --tag -o --output -d --directory --if-exists -x --connections --checksum --max-filesize --on-change --max-speed --range --extract-to --max-unpacked --max-ratio --max-members --password-file --checksum-file --user --bearer --bearer-file --bearer-env --user-agent --referer --timeout --retries --retry-max-time --max-time --sync --color --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--priority')
        return
        ;;
    '--tag')
        return
        ;;
    '-o'|'--output')
        return
        ;;
    '-d'|'--directory')
        __pawl_add_completions -d
        return
        ;;
    '--if-exists')
        __pawl_add_completions -W 'fail'$'\n''skip'$'\n''rename'$'\n''replace'
        return
        ;;
    '-i'|'--input-file')
        __pawl_add_completions -f
        return
        ;;
    '-x'|'--connections')
        return
        ;;
    '--checksum')
        return
        ;;
    '--max-filesize')
        return
        ;;
    '--on-change')
        __pawl_add_completions -W 'restart'$'\n''fail'
        return
        ;;
    '--max-speed')
        return
        ;;
    '--range')
        return
        ;;
    '--member')
        return
        ;;
    '--extract-to')
        __pawl_add_completions -d
        return
        ;;
    '--max-unpacked')
        return
        ;;
    '--max-ratio')
        return
        ;;
    '--max-members')
        return
        ;;
    '--password-file')
        __pawl_add_completions -f
        return
        ;;
    '--mirror')
        return
        ;;
    '--mirror-country')
        return
        ;;
    '--metalink')
        __pawl_add_completions -f
        return
        ;;
    '--select')
        return
        ;;
    '--checksum-file')
        __pawl_add_completions -f
        return
        ;;
    '--header')
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--user-agent')
        return
        ;;
    '--referer')
        return
        ;;
    '--timeout')
        return
        ;;
    '--retries')
        return
        ;;
    '--retry-max-time')
        return
        ;;
    '--max-time')
        return
        ;;
    '--sync')
        __pawl_add_completions -W 'file'$'\n''group'$'\n''none'
        return
        ;;
    '--color')
        __pawl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_ls() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=(--state)
    non_repeating_options=(--tag --search --sort -n --limit --service)
    __pawl_offer_flags_options 0

    # Offer option value completions
    case "${prev}" in
    '--state')
        __pawl_add_completions -W 'running'$'\n''waiting'$'\n''queued'$'\n''paused'$'\n''failed'$'\n''completed'
        return
        ;;
    '--tag')
        return
        ;;
    '--search')
        return
        ;;
    '--sort')
        __pawl_add_completions -W 'position'$'\n''added'$'\n''name'$'\n''size'$'\n''state'
        return
        ;;
    '-n'|'--limit')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac
}

_pawl_show() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--service)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion show -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_watch() {
    repeating_flags=()
    non_repeating_flags=(--json -q --quiet --version -h --help)
    repeating_options=()
    non_repeating_options=(--color --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--color')
        __pawl_add_completions -W 'auto'$'\n''always'$'\n''never'
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion watch -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_pause() {
    repeating_flags=()
    non_repeating_flags=(--all --version -h --help)
    repeating_options=(--state)
    non_repeating_options=(--tag --search --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--state')
        __pawl_add_completions -W 'running'$'\n''waiting'$'\n''queued'$'\n''paused'$'\n''failed'$'\n''completed'
        return
        ;;
    '--tag')
        return
        ;;
    '--search')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion pause -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_resume() {
    repeating_flags=()
    non_repeating_flags=(--all --version -h --help)
    repeating_options=(--state)
    non_repeating_options=(--tag --search --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--state')
        __pawl_add_completions -W 'running'$'\n''waiting'$'\n''queued'$'\n''paused'$'\n''failed'$'\n''completed'
        return
        ;;
    '--tag')
        return
        ;;
    '--search')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion resume -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_retry() {
    repeating_flags=()
    non_repeating_flags=(--all --version -h --help)
    repeating_options=(--state)
    non_repeating_options=(--tag --search --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--state')
        __pawl_add_completions -W 'running'$'\n''waiting'$'\n''queued'$'\n''paused'$'\n''failed'$'\n''completed'
        return
        ;;
    '--tag')
        return
        ;;
    '--search')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion retry -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_change() {
    repeating_flags=()
    non_repeating_flags=(--digest --json --version -h --help)
    repeating_options=(--mirror --header --cookie)
    non_repeating_options=(--url -x --connections --tag --user --bearer --bearer-file --bearer-env --service)
    __pawl_offer_flags_options 1

    # Offer option value completions
    case "${prev}" in
    '--url')
        return
        ;;
    '--mirror')
        return
        ;;
    '-x'|'--connections')
        return
        ;;
    '--tag')
        return
        ;;
    '--header')
        return
        ;;
    '--user')
        return
        ;;
    '--bearer')
        return
        ;;
    '--bearer-file')
        __pawl_add_completions -f
        return
        ;;
    '--bearer-env')
        return
        ;;
    '--cookie')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion change -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_rm() {
    repeating_flags=()
    non_repeating_flags=(--all --delete-files --version -h --help)
    repeating_options=(--state)
    non_repeating_options=(--tag --search --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--state')
        __pawl_add_completions -W 'running'$'\n''waiting'$'\n''queued'$'\n''paused'$'\n''failed'$'\n''completed'
        return
        ;;
    '--tag')
        return
        ;;
    '--search')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion rm -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_move() {
    repeating_flags=()
    non_repeating_flags=(--top --bottom --version -h --help)
    repeating_options=()
    non_repeating_options=(--before --after --up --down --service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--before')
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion move -- --before "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    '--after')
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion move -- --after "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    '--up')
        return
        ;;
    '--down')
        return
        ;;
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion move -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_limit() {
    repeating_flags=()
    non_repeating_flags=(--json --version -h --help)
    repeating_options=()
    non_repeating_options=(--service)
    __pawl_offer_flags_options -1

    # Offer option value completions
    case "${prev}" in
    '--service')
        __pawl_add_completions -f
        return
        ;;
    esac

    # Offer positional completions
    case "${positional_number}" in
    *)
        __pawl_add_completions -W "$(__pawl_custom_complete ---completion limit -- positional@0 "${COMP_CWORD}" "$(__pawl_cursor_index_in_current_word)")"
        return
        ;;
    esac
}

_pawl_token() {
    repeating_flags=()
    non_repeating_flags=(--renew --version -h --help)
    repeating_options=()
    non_repeating_options=()
    __pawl_offer_flags_options 0
}

_pawl_completions() {
    repeating_flags=()
    non_repeating_flags=(--version -h --help)
    repeating_options=()
    non_repeating_options=()
    __pawl_offer_flags_options 1

    # Offer positional completions
    case "${positional_number}" in
    1)
        __pawl_add_completions -W 'bash'$'\n''zsh'$'\n''fish'
        return
        ;;
    esac
}

_pawl_help() {
    repeating_flags=()
    non_repeating_flags=(--version)
    repeating_options=()
    non_repeating_options=()
    __pawl_offer_flags_options 1
    [[ "${positional_number}" -eq 1 ]] && __pawl_add_completions -W 'get'$'\n''all'$'\n''target'$'\n''lists'$'\n''queue'$'\n''sources'$'\n''trust'$'\n''limits'$'\n''ranges'$'\n''archives'$'\n''network'$'\n''server'$'\n''login'$'\n''output'$'\n''defaults'$'\n''exit-codes'$'\n''probe'$'\n''status'$'\n''verify'$'\n''clean'$'\n''extract'$'\n''list'$'\n''pack'$'\n''serve'$'\n''add'$'\n''ls'$'\n''show'$'\n''watch'$'\n''pause'$'\n''resume'$'\n''retry'$'\n''change'$'\n''rm'$'\n''move'$'\n''limit'$'\n''token'$'\n''completions'
}

complete -F _pawl pawl
