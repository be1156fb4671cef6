function __pawl_should_offer_completions_for_flags_or_options -a expected_commands
    set -l non_repeating_flags_or_options $argv[2..]
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __pawl_parse_tokens
    test "$commands" = "$expected_commands"; and return $non_repeating_flags_or_options_absent
end

function __pawl_should_offer_completions_for_positional -a expected_commands positional_index_comparison expected_positional_index
    set -l non_repeating_flags_or_options
    set -l non_repeating_flags_or_options_absent 0
    set -l positional_index 0
    set -l commands
    __pawl_parse_tokens
    test "$commands" = "$expected_commands" -a \( "$positional_index" "$positional_index_comparison" "$expected_positional_index" \)
end

function __pawl_parse_tokens -S
    set -l unparsed_tokens (__pawl_tokens -pc)
    if set -q unparsed_tokens[2]
        contains -- $unparsed_tokens[2] get probe status verify clean extract list pack serve add ls show watch pause resume retry change rm move limit token completions help
        or set unparsed_tokens $unparsed_tokens[1] get $unparsed_tokens[2..]
    else if string match -q -- '-*' (commandline -ct)
        set -a unparsed_tokens get
    end
    switch $unparsed_tokens[1]
    case 'pawl'
        __pawl_parse_subcommand 0 'version' 'h/help'
        switch $unparsed_tokens[1]
        case 'get'
            __pawl_parse_subcommand -r 1 'o/output=' 'd/directory=' 'create-dirs' 'if-exists=' 'i/input-file=+' 'no-glob' 'j/jobs=' 'per-host=' 'fail-fast' 'dry-run' 'x/connections=' 'checksum=' 'max-filesize=' 'on-change=' 'adopt' 'allow-insecure-redirect' 'allow-web-page' 'require-complete' 'max-speed=' 'limit=' 'range=' 'sparse' 'member=+' 'extract' 'extract-to=' 'extract-keep' 'extract-remove' 'max-unpacked=' 'max-ratio=' 'max-members=' 'no-links' 'allow-twins' 'password-file=' 'mirror=+' 'server-mirrors' 'mirror-country=+' 'metalink=+' 'select=+' 'checksum-file=' 'header=+' 'ca-certificate=' 'proxy=' 'no-proxy=' 'connect-timeout=' 'bind-address=' '4/ipv4-only' '6/ipv6-only' 'certificate=' 'private-key=' 'insecure' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'netrc' 'netrc-file=' 'cookies=' 'save-cookies=' 'user-agent=' 'referer=' 'timeout=' 'retries=' 'retry-max-time=' 'ignore-retry-after' 'max-time=' 'if-newer' 'remote-time' 'xattr' 'sync=' 'json' 'q/quiet' 'color=' 'progress=' 'v/verbose' 'on-complete=' 'no-config' 'version' 'h/help'
        case 'probe'
            __pawl_parse_subcommand 1 'header=+' 'ca-certificate=' 'proxy=' 'no-proxy=' 'connect-timeout=' 'bind-address=' '4/ipv4-only' '6/ipv6-only' 'certificate=' 'private-key=' 'insecure' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'netrc' 'netrc-file=' 'cookies=' 'save-cookies=' 'user-agent=' 'referer=' 'timeout=' 'v/verbose' 'no-config' 'json' 'version' 'h/help'
        case 'status'
            __pawl_parse_subcommand 1 'json' 'version' 'h/help'
        case 'verify'
            __pawl_parse_subcommand -r 1 'checksum=' 'checksum-file=' 'metalink=' 'repair' 'header=+' 'ca-certificate=' 'proxy=' 'no-proxy=' 'connect-timeout=' 'bind-address=' '4/ipv4-only' '6/ipv6-only' 'certificate=' 'private-key=' 'insecure' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'netrc' 'netrc-file=' 'cookies=' 'save-cookies=' 'user-agent=' 'referer=' 'timeout=' 'v/verbose' 'no-config' 'json' 'q/quiet' 'version' 'h/help'
        case 'clean'
            __pawl_parse_subcommand 1 'unfinished' 'r/recursive' 'older-than=' 'n/dry-run' 'y/yes' 'version' 'h/help'
        case 'extract'
            __pawl_parse_subcommand 1 'd/directory=' 'member=+' 'if-exists=' 'max-unpacked=' 'max-ratio=' 'max-members=' 'no-links' 'allow-twins' 'password-file=' 'json' 'q/quiet' 'color=' 'version' 'h/help'
        case 'list'
            __pawl_parse_subcommand 1 'partial' 'r/recursive' 'password-file=' 'max-members=' 'json' 'header=+' 'ca-certificate=' 'proxy=' 'no-proxy=' 'connect-timeout=' 'bind-address=' '4/ipv4-only' '6/ipv6-only' 'certificate=' 'private-key=' 'insecure' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'netrc' 'netrc-file=' 'cookies=' 'save-cookies=' 'user-agent=' 'referer=' 'timeout=' 'v/verbose' 'no-config' 'version' 'h/help'
        case 'pack'
            __pawl_parse_subcommand -r 2 'if-exists=' 'level=' 'json' 'q/quiet' 'color=' 'version' 'h/help'
        case 'serve'
            __pawl_parse_subcommand -r 1 'version' 'h/help'
        case 'add'
            __pawl_parse_subcommand -r 1 'priority=' 'paused' 'top' 'tag=' 'wait' 'o/output=' 'd/directory=' 'if-exists=' 'i/input-file=+' 'no-glob' 'x/connections=' 'checksum=' 'max-filesize=' 'on-change=' 'adopt' 'allow-insecure-redirect' 'allow-web-page' 'require-complete' 'max-speed=' 'range=' 'sparse' 'member=+' 'extract' 'extract-to=' 'extract-keep' 'extract-remove' 'max-unpacked=' 'max-ratio=' 'max-members=' 'no-links' 'allow-twins' 'password-file=' 'mirror=+' 'server-mirrors' 'mirror-country=+' 'metalink=+' 'select=+' 'checksum-file=' 'header=+' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'user-agent=' 'referer=' 'timeout=' 'retries=' 'retry-max-time=' 'ignore-retry-after' 'max-time=' 'if-newer' 'remote-time' 'xattr' 'sync=' 'json' 'q/quiet' 'color=' 'service=' 'version' 'h/help'
        case 'ls'
            __pawl_parse_subcommand 0 'state=+' 'tag=' 'search=' 'sort=' 'n/limit=' 'json' 'service=' 'version' 'h/help'
        case 'show'
            __pawl_parse_subcommand 1 'json' 'service=' 'version' 'h/help'
        case 'watch'
            __pawl_parse_subcommand -r 1 'json' 'q/quiet' 'color=' 'service=' 'version' 'h/help'
        case 'pause'
            __pawl_parse_subcommand -r 1 'all' 'state=+' 'tag=' 'search=' 'service=' 'version' 'h/help'
        case 'resume'
            __pawl_parse_subcommand -r 1 'all' 'state=+' 'tag=' 'search=' 'service=' 'version' 'h/help'
        case 'retry'
            __pawl_parse_subcommand -r 1 'all' 'state=+' 'tag=' 'search=' 'service=' 'version' 'h/help'
        case 'change'
            __pawl_parse_subcommand 1 'url=' 'mirror=+' 'x/connections=' 'tag=' 'header=+' 'user=' 'digest' 'bearer=' 'bearer-file=' 'bearer-env=' 'cookie=+' 'json' 'service=' 'version' 'h/help'
        case 'rm'
            __pawl_parse_subcommand -r 1 'all' 'state=+' 'tag=' 'search=' 'delete-files' 'service=' 'version' 'h/help'
        case 'move'
            __pawl_parse_subcommand -r 1 'top' 'bottom' 'before=' 'after=' 'up=' 'down=' 'service=' 'version' 'h/help'
        case 'limit'
            __pawl_parse_subcommand -r 1 'json' 'service=' 'version' 'h/help'
        case 'token'
            __pawl_parse_subcommand 0 'renew' 'version' 'h/help'
        case 'completions'
            __pawl_parse_subcommand 1 'version' 'h/help'
        case 'help'
            __pawl_parse_subcommand -r 1 'version'
        end
    end
end

function __pawl_tokens
    if test (string split -m 1 -f 1 -- . "$FISH_VERSION") -gt 3
        commandline --tokens-raw $argv
    else
        commandline -o $argv
    end
end

function __pawl_parse_subcommand -S -a positional_count
    argparse -s r -- $argv
    set -l option_specs $argv[2..]
    set -l is_repeating_positional $_flag_r
    set -el _flag_r
    set -a commands $unparsed_tokens[1]
    set positional_index 0
    while true
        set -e unparsed_tokens[1]
        argparse -sn "$commands" $option_specs -- $unparsed_tokens 2> /dev/null
        set unparsed_tokens $argv
        set positional_index (math $positional_index + 1)
        for non_repeating_flag_or_option in $non_repeating_flags_or_options
            if set -ql "_flag_$(string replace -a - _ -- $non_repeating_flag_or_option)"
                set non_repeating_flags_or_options_absent 1
                break
            end
        end
        test (count $unparsed_tokens) -eq 0 -o \( -z "$is_repeating_positional" -a "$positional_index" -gt "$positional_count" \) && break
    end
end

function __pawl_complete_directories
    set -l token (commandline -t)
    string match -- '*/' $token
    set -l subdirs $token*/
    printf %s\n $subdirs
end

function __pawl_custom_completion
    set -x SAP_SHELL fish
    set -x SAP_SHELL_VERSION $FISH_VERSION
    set -l tokens (__pawl_tokens -p)
    if test -z "$(__pawl_tokens -t)"
        set -l index (count (__pawl_tokens -pc))
        set tokens $tokens[..$index] \'\' $tokens[(math $index + 1)..]
    end
    command $tokens[1] $argv $tokens
end

complete -c 'pawl' -f
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'get' -d 'Download files; rerun to resume.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'probe' -d 'Show what a server says about a URL: length, ranges, validator, name, and how HEAD differs from GET.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'status' -d 'Show how much of an unfinished download is stored, whether it is running or not.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'verify' -d 'Check files against checksums or a Metalink, and repair them.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'clean' -d 'Remove what downloads have left behind.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'extract' -d 'Unpack an archive: zip, 7z, or tar, uncompressed or with gzip, bzip2, xz or zstd.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'list' -d 'List what is in an archive, on disk or on a server; or unfinished downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'pack' -d 'Pack files and directories into a new archive.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'serve' -d 'Run the service, whose downloads continue when terminals close.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'add' -d 'Add downloads to the service and return at once.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'ls' -d 'List the service\'s downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'show' -d 'Show a download of the service: its figures, sources and log.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'watch' -d 'Watch the service\'s downloads live. Ctrl-C stops watching, and no download.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'pause' -d 'Pause downloads of the service. Every stored byte is kept.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'resume' -d 'Resume paused downloads of the service, and those that wait.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'retry' -d 'Retry failed downloads of the service.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'change' -d 'Give a download of the service a fresh URL, credentials or mirrors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'rm' -d 'Take downloads off the service\'s list.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'move' -d 'Change the order of the service\'s queue.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'limit' -d 'Show or set the service\'s speed limit, or that of one download.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'token' -d 'Show the token that HTTP clients of the service need.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'completions' -d 'Print the completions for a shell.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl" -eq 1' -fa 'help' -d 'Show subcommand help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" o output' -s 'o' -l 'output' -d 'Name of the file, beneath -d; - is standard output.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" d directory' -s 'd' -l 'directory' -d 'Directory for the files. It must exist.' -rfa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" create-dirs' -l 'create-dirs' -d 'Create the directory of -d, and those that -o names, if they do not exist.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" if-exists' -l 'if-exists' -d 'What to do if a file exists; with --extract also for the directory, whose contents \'replace\' deletes. Default: fail; skip for several files and with --extract.' -rfka 'fail skip rename replace'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -s 'i' -l 'input-file' -d 'Download the URLs in this list; - is standard input.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" no-glob' -l 'no-glob' -d 'Do not expand [1-9], [a-f] and {one,two} in URLs.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" j jobs' -s 'j' -l 'jobs' -d 'Maximum number of files at once.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" per-host' -l 'per-host' -d 'Maximum number of connections to one host, for all files together.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" fail-fast' -l 'fail-fast' -d 'Stop at the first failure, and keep the progress of the others.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" dry-run' -l 'dry-run' -d 'Show what would be downloaded and where to, and download nothing.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" connections x' -s 'x' -l 'connections' -d 'Maximum number of connections, 1 to 16. They are added only while they increase throughput.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" checksum' -l 'checksum' -d 'Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-filesize' -l 'max-filesize' -d 'Refuse files larger than this: 700M, 4GB.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" on-change' -l 'on-change' -d 'What to do if the file has changed on the server: set the old data aside and restart, or fail.' -rfka 'restart fail'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" adopt' -l 'adopt' -d 'Resume a partial file of another program, after comparing its end with the server\'s.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" allow-insecure-redirect' -l 'allow-insecure-redirect' -d 'Follow redirects from https to http, without credentials.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" allow-web-page' -l 'allow-web-page' -d 'Store a web page although the URL names another kind of file.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" require-complete' -l 'require-complete' -d 'Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-speed' -l 'max-speed' -d 'Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" limit' -l 'limit' -d 'Maximum speed of all files together, in bytes per second or by the time of day: "08:00,512k 19:00,off".' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" range' -l 'range' -d 'Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" sparse' -l 'sparse' -d 'Keep the parts at their positions in the file, with holes between them.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'member' -d 'Download only these members of the zip archive at URL. \'*\' matches within a directory, \'**\' across directories. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" extract' -l 'extract' -d 'Unpack each archive once it is complete, beside it; --extract DIR unpacks into DIR.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" extract-to' -l 'extract-to' -d 'The same as --extract DIR.' -rfa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" extract-keep' -l 'extract-keep' -d 'Keep the archive after unpacking (the default).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" extract-remove' -l 'extract-remove' -d 'Remove the archive after unpacking.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-unpacked' -l 'max-unpacked' -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-ratio' -l 'max-ratio' -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-members' -l 'max-members' -d 'Maximum number of files to unpack. Default: 1000000.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" no-links' -l 'no-links' -d 'Refuse all symbolic links, even those that stay inside.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" allow-twins' -l 'allow-twins' -d 'Unpack names that differ only in case or Unicode form.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" password-file' -l 'password-file' -d 'Read the password from the first line of this file. Otherwise it is asked for.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'mirror' -d 'Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" server-mirrors' -l 'server-mirrors' -d 'Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'mirror-country' -d 'Prefer mirrors in this country (two letters). May be repeated, nearest first.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'metalink' -d 'Download the files that this Metalink document names (docs/metalink.md). May be repeated.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'select' -d 'Download only this file of a Metalink: its name, a pattern such as \'*.iso\', or its number from 1. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" checksum-file' -l 'checksum-file' -d 'Fail unless the file has the checksum that this list states (docs/metalink.md).' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" ca-certificate' -l 'ca-certificate' -d 'Trust the certificate authorities in this PEM file instead of the system\'s.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" proxy' -l 'proxy' -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" no-proxy' -l 'no-proxy' -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" connect-timeout' -l 'connect-timeout' -d 'Maximum time to connect. (default: 30)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" bind-address' -l 'bind-address' -d 'Connect from this local address or network interface.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" 4 ipv4-only' -s '4' -l 'ipv4-only' -d 'Use IPv4 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" 6 ipv6-only' -s '6' -l 'ipv6-only' -d 'Use IPv6 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" certificate' -l 'certificate' -d 'Client certificate (PEM) for servers that request one.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" private-key' -l 'private-key' -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" insecure' -l 'insecure' -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" netrc' -l 'netrc' -d 'Take names and passwords from ~/.netrc, by host.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" netrc-file' -l 'netrc-file' -d 'Take names and passwords from this file, by host.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" cookies' -l 'cookies' -d 'Load cookies from this cookies.txt.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" save-cookies' -l 'save-cookies' -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" user-agent' -l 'user-agent' -d 'Set the User-Agent header; \'\' sends none.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" referer' -l 'referer' -d 'Set the Referer header. Other origins see only its origin.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" timeout' -l 'timeout' -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" retries' -l 'retries' -d 'Maximum number of retries in a row without progress. (default: 9, or 3 if the host does not answer at all)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" retry-max-time' -l 'retry-max-time' -d 'Stop retrying when there has been no progress for this long: 30s, 10m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" ignore-retry-after' -l 'ignore-retry-after' -d 'Send requests even if the server asked clients to wait (Retry-After).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" max-time' -l 'max-time' -d 'Stop after this total time and keep the progress: 90s, 10m, 2h.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" if-newer' -l 'if-newer' -d 'Download only if the server\'s file is newer than the existing one, and replace that.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" remote-time' -l 'remote-time' -d 'Set the file\'s modification time to the server\'s.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" xattr' -l 'xattr' -d 'Record the file\'s URL and the checksum that matched in its extended attributes (user.xdg.*).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" sync' -l 'sync' -d 'Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files.' -rfka 'file group none'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" color' -l 'color' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.' -rfka 'auto always never'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" progress' -l 'progress' -d 'Show progress as a bar, as a line every ten seconds, or not at all; auto is a bar on a terminal and lines elsewhere.' -rfka 'auto bar plain none'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get"' -s 'v' -l 'verbose' -d 'Show each request, response and decision on stderr, even with -q. -vv also shows connections and checkpoints.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" on-complete' -l 'on-complete' -d 'Run a program after each download, whether completed or failed. No shell is involved: blanks separate words, quotes keep them together.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" no-config' -l 'no-config' -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl get" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" ca-certificate' -l 'ca-certificate' -d 'Trust the certificate authorities in this PEM file instead of the system\'s.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" proxy' -l 'proxy' -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" no-proxy' -l 'no-proxy' -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" connect-timeout' -l 'connect-timeout' -d 'Maximum time to connect. (default: 30)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" bind-address' -l 'bind-address' -d 'Connect from this local address or network interface.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" 4 ipv4-only' -s '4' -l 'ipv4-only' -d 'Use IPv4 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" 6 ipv6-only' -s '6' -l 'ipv6-only' -d 'Use IPv6 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" certificate' -l 'certificate' -d 'Client certificate (PEM) for servers that request one.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" private-key' -l 'private-key' -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" insecure' -l 'insecure' -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" netrc' -l 'netrc' -d 'Take names and passwords from ~/.netrc, by host.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" netrc-file' -l 'netrc-file' -d 'Take names and passwords from this file, by host.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" cookies' -l 'cookies' -d 'Load cookies from this cookies.txt.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" save-cookies' -l 'save-cookies' -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" user-agent' -l 'user-agent' -d 'Set the User-Agent header; \'\' sends none.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" referer' -l 'referer' -d 'Set the Referer header. Other origins see only its origin.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" timeout' -l 'timeout' -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe"' -s 'v' -l 'verbose' -d 'Show each request, response and decision on stderr, even with -q. -vv also shows connections and checkpoints.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" no-config' -l 'no-config' -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" json' -l 'json' -d 'Write one JSON object to stdout (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl probe" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl status" -eq 1' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl status" json' -l 'json' -d 'Write one JSON object to stdout (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl status" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl status" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl verify" -ge 1' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" checksum' -l 'checksum' -d 'The expected checksum. ALGO is sha-256, sha-512, sha-1 or md5.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" checksum-file' -l 'checksum-file' -d 'Fail unless the file has the checksum that this list states (docs/metalink.md).' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" metalink' -l 'metalink' -d 'Check against what this Metalink document says of the file: length, pieces, checksum.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" repair' -l 'repair' -d 'Download the wrong pieces again. The Metalink must have piece hashes.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" ca-certificate' -l 'ca-certificate' -d 'Trust the certificate authorities in this PEM file instead of the system\'s.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" proxy' -l 'proxy' -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" no-proxy' -l 'no-proxy' -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" connect-timeout' -l 'connect-timeout' -d 'Maximum time to connect. (default: 30)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" bind-address' -l 'bind-address' -d 'Connect from this local address or network interface.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" 4 ipv4-only' -s '4' -l 'ipv4-only' -d 'Use IPv4 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" 6 ipv6-only' -s '6' -l 'ipv6-only' -d 'Use IPv6 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" certificate' -l 'certificate' -d 'Client certificate (PEM) for servers that request one.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" private-key' -l 'private-key' -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" insecure' -l 'insecure' -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" netrc' -l 'netrc' -d 'Take names and passwords from ~/.netrc, by host.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" netrc-file' -l 'netrc-file' -d 'Take names and passwords from this file, by host.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" cookies' -l 'cookies' -d 'Load cookies from this cookies.txt.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" save-cookies' -l 'save-cookies' -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" user-agent' -l 'user-agent' -d 'Set the User-Agent header; \'\' sends none.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" referer' -l 'referer' -d 'Set the Referer header. Other origins see only its origin.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" timeout' -l 'timeout' -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify"' -s 'v' -l 'verbose' -d 'Show each request, response and decision on stderr, even with -q. -vv also shows connections and checkpoints.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" no-config' -l 'no-config' -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl verify" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl clean" -eq 1' -fa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" unfinished' -l 'unfinished' -d 'Also remove unfinished downloads, which then start from the beginning. Those that a process is working on stay.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" r recursive' -l 'recursive' -s 'r' -d 'Also in the directories beneath. Links are not followed.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" older-than' -l 'older-than' -d 'Only what has not changed for this long: 12h, 30d.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" dry-run n' -s 'n' -l 'dry-run' -d 'List what would be removed, and remove nothing.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" y yes' -l 'yes' -s 'y' -d 'Do not ask.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl clean" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl extract" -eq 1' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" d directory' -s 'd' -l 'directory' -d 'Create this directory and unpack into it. Default: beside the archive, with its name.' -rfa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract"' -l 'member' -d 'Unpack only members that match. \'*\' matches within a directory, \'**\' across directories. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" if-exists' -l 'if-exists' -d 'What to do if the directory exists and is not empty.' -rfka 'fail rename replace skip'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" max-unpacked' -l 'max-unpacked' -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" max-ratio' -l 'max-ratio' -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" max-members' -l 'max-members' -d 'Maximum number of files to unpack. Default: 1000000.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" no-links' -l 'no-links' -d 'Refuse all symbolic links, even those that stay inside.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" allow-twins' -l 'allow-twins' -d 'Unpack names that differ only in case or Unicode form.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" password-file' -l 'password-file' -d 'Read the password from the first line of this file. Otherwise it is asked for.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" color' -l 'color' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.' -rfka 'auto always never'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl extract" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl list" -eq 1' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" partial' -l 'partial' -d 'List what downloads have left in the directory: unfinished ones, and files that \'pawl clean\' removes.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" r recursive' -l 'recursive' -s 'r' -d 'With --partial: also in the directories beneath.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" password-file' -l 'password-file' -d 'Read the password from the first line of this file, for an archive that hides its names.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" max-members' -l 'max-members' -d 'Maximum number of members to list. Default: 1000000.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" json' -l 'json' -d 'Write one JSON object per member to stdout (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" ca-certificate' -l 'ca-certificate' -d 'Trust the certificate authorities in this PEM file instead of the system\'s.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" proxy' -l 'proxy' -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" no-proxy' -l 'no-proxy' -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" connect-timeout' -l 'connect-timeout' -d 'Maximum time to connect. (default: 30)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" bind-address' -l 'bind-address' -d 'Connect from this local address or network interface.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" 4 ipv4-only' -s '4' -l 'ipv4-only' -d 'Use IPv4 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" 6 ipv6-only' -s '6' -l 'ipv6-only' -d 'Use IPv6 addresses only.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" certificate' -l 'certificate' -d 'Client certificate (PEM) for servers that request one.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" private-key' -l 'private-key' -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" insecure' -l 'insecure' -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" netrc' -l 'netrc' -d 'Take names and passwords from ~/.netrc, by host.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" netrc-file' -l 'netrc-file' -d 'Take names and passwords from this file, by host.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" cookies' -l 'cookies' -d 'Load cookies from this cookies.txt.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" save-cookies' -l 'save-cookies' -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" user-agent' -l 'user-agent' -d 'Set the User-Agent header; \'\' sends none.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" referer' -l 'referer' -d 'Set the Referer header. Other origins see only its origin.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" timeout' -l 'timeout' -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list"' -s 'v' -l 'verbose' -d 'Show each request, response and decision on stderr, even with -q. -vv also shows connections and checkpoints.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" no-config' -l 'no-config' -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl list" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl pack" -eq 1' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl pack" -ge 2' -F
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" if-exists' -l 'if-exists' -d 'What to do if the archive exists.' -rfka 'fail rename replace'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" level' -l 'level' -d 'Compression level: 1 to 9; for zip and xz 0 to 9, for zst 1 to 19.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" color' -l 'color' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.' -rfka 'auto always never'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pack" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl serve" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl serve" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" priority' -l 'priority' -d 'Downloads with a higher priority run first: -1000 to 1000.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" paused' -l 'paused' -d 'Add them paused.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" top' -l 'top' -d 'Add them at the top of the queue.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" tag' -l 'tag' -d 'A label to find them by, up to 64 characters.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" wait' -l 'wait' -d 'Watch until all have ended, and exit as \'pawl get\' would. Ctrl-C stops watching, not the downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" o output' -s 'o' -l 'output' -d 'Name of the file, beneath the directory. \'#1\' is the value of the URL\'s first pattern.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" d directory' -s 'd' -l 'directory' -d 'Directory for the files. It must exist, and the service must allow it. Default: the service\'s.' -rfa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" if-exists' -l 'if-exists' -d 'What to do if a file exists. With --extract it also applies to the directory; \'replace\' deletes its contents. Default: the service\'s setting.' -rfka 'fail skip rename replace'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -s 'i' -l 'input-file' -d 'Download the URLs in this list; - is standard input.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" no-glob' -l 'no-glob' -d 'Do not expand [1-9], [a-f] and {one,two} in URLs.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" connections x' -s 'x' -l 'connections' -d 'Maximum number of connections, 1 to 16. They are added only while they increase throughput.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" checksum' -l 'checksum' -d 'Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-filesize' -l 'max-filesize' -d 'Refuse files larger than this: 700M, 4GB.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" on-change' -l 'on-change' -d 'What to do if the file has changed on the server: set the old data aside and restart, or fail.' -rfka 'restart fail'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" adopt' -l 'adopt' -d 'Resume a partial file of another program, after comparing its end with the server\'s.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" allow-insecure-redirect' -l 'allow-insecure-redirect' -d 'Follow redirects from https to http, without credentials.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" allow-web-page' -l 'allow-web-page' -d 'Store a web page although the URL names another kind of file.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" require-complete' -l 'require-complete' -d 'Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-speed' -l 'max-speed' -d 'Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" range' -l 'range' -d 'Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" sparse' -l 'sparse' -d 'Keep the parts at their positions in the file, with holes between them.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'member' -d 'Download only these members of the zip archive at URL. \'*\' matches within a directory, \'**\' across directories. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" extract' -l 'extract' -d 'Unpack each archive once it is complete, beside it; --extract DIR unpacks into DIR.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" extract-to' -l 'extract-to' -d 'The same as --extract DIR.' -rfa '(__pawl_complete_directories)'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" extract-keep' -l 'extract-keep' -d 'Keep the archive after unpacking (the default).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" extract-remove' -l 'extract-remove' -d 'Remove the archive after unpacking.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-unpacked' -l 'max-unpacked' -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-ratio' -l 'max-ratio' -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-members' -l 'max-members' -d 'Maximum number of files to unpack. Default: 1000000.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" no-links' -l 'no-links' -d 'Refuse all symbolic links, even those that stay inside.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" allow-twins' -l 'allow-twins' -d 'Unpack names that differ only in case or Unicode form.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" password-file' -l 'password-file' -d 'Read the password from the first line of this file. Otherwise it is asked for.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'mirror' -d 'Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" server-mirrors' -l 'server-mirrors' -d 'Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'mirror-country' -d 'Prefer mirrors in this country (two letters). May be repeated, nearest first.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'metalink' -d 'Download the files that this Metalink document names (docs/metalink.md). May be repeated.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'select' -d 'Download only this file of a Metalink: its name, a pattern such as \'*.iso\', or its number from 1. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" checksum-file' -l 'checksum-file' -d 'Fail unless the file has the checksum that this list states (docs/metalink.md).' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" user-agent' -l 'user-agent' -d 'Set the User-Agent header; \'\' sends none.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" referer' -l 'referer' -d 'Set the Referer header. Other origins see only its origin.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" timeout' -l 'timeout' -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" retries' -l 'retries' -d 'Maximum number of retries in a row without progress. (default: 9, or 3 if the host does not answer at all)' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" retry-max-time' -l 'retry-max-time' -d 'Stop retrying when there has been no progress for this long: 30s, 10m.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" ignore-retry-after' -l 'ignore-retry-after' -d 'Send requests even if the server asked clients to wait (Retry-After).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" max-time' -l 'max-time' -d 'Stop after this total time and keep the progress: 90s, 10m, 2h.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" if-newer' -l 'if-newer' -d 'Download only if the server\'s file is newer than the existing one, and replace that.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" remote-time' -l 'remote-time' -d 'Set the file\'s modification time to the server\'s.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" xattr' -l 'xattr' -d 'Record the file\'s URL and the checksum that matched in its extended attributes (user.xdg.*).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" sync' -l 'sync' -d 'Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files.' -rfka 'file group none'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" color' -l 'color' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.' -rfka 'auto always never'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl add" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls"' -l 'state' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.' -rfka 'running waiting queued paused failed completed'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" tag' -l 'tag' -d 'Only downloads with this tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" search' -l 'search' -d 'Only downloads with this text in their name, URL or tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" sort' -l 'sort' -d 'Sort by position, added, name, size or state; a leading - reverses the order.' -rfka 'position added name size state'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" limit n' -s 'n' -l 'limit' -d 'Maximum number to list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" json' -l 'json' -d 'Write a snapshot of each to stdout, one JSON object per line (docs/api.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl ls" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl show" -eq 1' -fka '(__pawl_custom_completion ---completion show -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl show" json' -l 'json' -d 'Write one JSON object to stdout (docs/api.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl show" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl show" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl show" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl watch" -ge 1' -fka '(__pawl_custom_completion ---completion watch -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" json' -l 'json' -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" q quiet' -s 'q' -l 'quiet' -d 'Show only errors.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" color' -l 'color' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.' -rfka 'auto always never'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl watch" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl pause" -ge 1' -fka '(__pawl_custom_completion ---completion pause -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" all' -l 'all' -d 'All downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause"' -l 'state' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.' -rfka 'running waiting queued paused failed completed'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" tag' -l 'tag' -d 'Only downloads with this tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" search' -l 'search' -d 'Only downloads with this text in their name, URL or tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl pause" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl resume" -ge 1' -fka '(__pawl_custom_completion ---completion resume -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" all' -l 'all' -d 'All downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume"' -l 'state' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.' -rfka 'running waiting queued paused failed completed'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" tag' -l 'tag' -d 'Only downloads with this tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" search' -l 'search' -d 'Only downloads with this text in their name, URL or tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl resume" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl retry" -ge 1' -fka '(__pawl_custom_completion ---completion retry -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" all' -l 'all' -d 'All downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry"' -l 'state' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.' -rfka 'running waiting queued paused failed completed'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" tag' -l 'tag' -d 'Only downloads with this tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" search' -l 'search' -d 'Only downloads with this text in their name, URL or tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl retry" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl change" -eq 1' -fka '(__pawl_custom_completion ---completion change -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" url' -l 'url' -d 'Download the same file from this URL. If it has another origin, headers and credentials must be given again.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change"' -l 'mirror' -d 'Add another URL of the same file. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" connections x' -s 'x' -l 'connections' -d 'Use up to this many connections.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" tag' -l 'tag' -d 'A label to find it by, up to 64 characters; \'\' removes it.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change"' -l 'header' -d 'Send a header field to the URL\'s own origin and no other. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" user' -l 'user' -d 'Log in to the URL\'s own origin, by Basic or Digest. A missing password is asked for.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" digest' -l 'digest' -d 'Log in by Digest only, which never sends the password itself.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" bearer' -l 'bearer' -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" bearer-file' -l 'bearer-file' -d 'Read the bearer token from the first line of this file.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" bearer-env' -l 'bearer-env' -d 'Read the bearer token from this environment variable.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change"' -l 'cookie' -d 'Send these cookies to the URL\'s own origin. May be repeated.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" json' -l 'json' -d 'Write one JSON object to stdout, a snapshot (docs/api.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl change" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl rm" -ge 1' -fka '(__pawl_custom_completion ---completion rm -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" all' -l 'all' -d 'All downloads.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm"' -l 'state' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.' -rfka 'running waiting queued paused failed completed'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" tag' -l 'tag' -d 'Only downloads with this tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" search' -l 'search' -d 'Only downloads with this text in their name, URL or tag.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" delete-files' -l 'delete-files' -d 'Delete the files too, whether finished or not.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl rm" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl move" -ge 1' -fka '(__pawl_custom_completion ---completion move -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" top' -l 'top' -d 'Move in front of all others of the same priority.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" bottom' -l 'bottom' -d 'Move behind all others of the same priority.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" before' -l 'before' -d 'Move in front of this download, and take its priority.' -rfka '(__pawl_custom_completion ---completion move -- --before (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" after' -l 'after' -d 'Move behind this download, and take its priority.' -rfka '(__pawl_custom_completion ---completion move -- --after (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" up' -l 'up' -d 'Move up by this many places.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" down' -l 'down' -d 'Move down by this many places.' -rfka ''
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl move" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl limit" -ge 1' -fka '(__pawl_custom_completion ---completion limit -- positional@0 (count (__pawl_tokens -pc)) (__pawl_tokens -tC))'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl limit" json' -l 'json' -d 'Write the settings, or the download, as one JSON object to stdout (docs/api.md).'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl limit" service' -l 'service' -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.' -rF
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl limit" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl limit" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl token" renew' -l 'renew' -d 'Replace the token. Whatever uses the old one must log in again.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl token" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl token" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl completions" -eq 1' -fka 'bash zsh fish'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl completions" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl completions" h help' -s 'h' -l 'help' -d 'Show help information.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_flags_or_options "pawl help" version' -l 'version' -d 'Show the version.'
complete -c 'pawl' -n '__pawl_should_offer_completions_for_positional "pawl help" -eq 1' -fa 'get all target lists queue sources trust limits ranges archives network server login output defaults exit-codes probe status verify clean extract list pack serve add ls show watch pause resume retry change rm move limit token completions'
