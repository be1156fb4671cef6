# Completions of pawl for fish. Generated from the program's options.

# Prints the words before the cursor, from the program on. "X=1" or "command" may stand before it.
function __pawl_words
    set -l words
    if string match -qr '^[0-3]\.' -- $FISH_VERSION
        set words (commandline -opc)
    else
        set words (commandline --tokens-expanded -pc)
    end
    for index in (seq (count $words))
        if string match -qr '(^|/)pawl$' -- $words[$index]
            set words $words[$index..-1]
            break
        end
    end
    printf '%s\n' $words
end

# Prints the options of a command that take a value.
function __pawl_valued
    switch $argv[1]
        case get
            printf '%s\n' -o --output -d --directory --if-exists -i --input-file -j --jobs --per-host --host-rate -x --connections --checksum --compute-checksum --max-filesize --on-change --max-speed --range --member --extract-to --max-unpacked --max-ratio --max-members --password-file --mirror --mirror-country --metalink --select --checksum-file --limit --header --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --cookie --netrc-file --cookies --save-cookies --user-agent --referer --timeout --retries --retry-max-time --max-time --sync --color --progress --on-complete
        case index
            printf '%s\n' --depth --header --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --cookie --netrc-file --cookies --save-cookies --user-agent --referer --timeout
        case probe
            printf '%s\n' --header --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --cookie --netrc-file --cookies --save-cookies --user-agent --referer --timeout
        case verify
            printf '%s\n' --header --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --cookie --netrc-file --cookies --save-cookies --user-agent --referer --timeout --checksum --checksum-file --metalink
        case clean
            printf '%s\n' --older-than
        case shard
            printf '%s\n' --to --shards --as --slice --max-failed --spool --host-rate --host-connections --spread --connect-timeout --user-agent --header --max-filesize --timeout --max-time --retries --retry-max-time --ca-certificate --proxy --no-proxy --bind-address --certificate --private-key
        case work
            printf '%s\n' --index --spool -j --jobs --limit --max-time --ca-certificate --proxy --no-proxy --bind-address --certificate --private-key
        case manifest
            printf '%s\n' --ca-certificate --proxy --no-proxy --bind-address --certificate --private-key --code
        case extract
            printf '%s\n' --max-unpacked --max-ratio --max-members --password-file --color -d --directory --member --if-exists
        case list
            printf '%s\n' --header --ca-certificate --proxy --no-proxy --connect-timeout --bind-address --certificate --private-key --user --bearer --bearer-file --bearer-env --cookie --netrc-file --cookies --save-cookies --user-agent --referer --timeout --password-file --max-members
        case pack
            printf '%s\n' --color --if-exists --level
        case add
            printf '%s\n' --priority --tag -o --output -d --directory --if-exists -i --input-file -x --connections --checksum --compute-checksum --max-filesize --on-change --max-speed --range --member --extract-to --max-unpacked --max-ratio --max-members --password-file --mirror --mirror-country --metalink --select --checksum-file --header --user --bearer --bearer-file --bearer-env --cookie --user-agent --referer --timeout --retries --retry-max-time --max-time --sync --color --service
        case ls
            printf '%s\n' --service --state --tag --search --sort -n --limit
        case show
            printf '%s\n' --service
        case watch
            printf '%s\n' --color --service
        case pause
            printf '%s\n' --service --state --tag --search
        case resume
            printf '%s\n' --service --state --tag --search
        case retry
            printf '%s\n' --service --state --tag --search
        case change
            printf '%s\n' --header --user --bearer --bearer-file --bearer-env --cookie --if-exists --service --url --mirror -x --connections --tag
        case rm
            printf '%s\n' --service --state --tag --search
        case move
            printf '%s\n' --service --before --after --up --down
        case limit
            printf '%s\n' --service
        case config
            printf '%s\n' --file
    end
end

# Sets the command, the words that are no options, the options that were given, and the one whose value is next.
# Each condition below asks for them, so they are kept for the line.
function __pawl_read
    set -l line (commandline -pc)
    test "$line" = "$__pawl_line"; and return
    set -g __pawl_line $line
    set -g __pawl_command get
    set -g __pawl_operands
    set -g __pawl_used
    set -g __pawl_pending
    set -l words (__pawl_words)
    set -e words[1]
    if contains -- "$words[1]" get index probe status verify clean shard work manifest extract list pack serve add ls show watch pause resume retry change rm move limit token config completions help
        set __pawl_command $words[1]
        set -e words[1]
    end
    set -l valued (__pawl_valued $__pawl_command)
    set -l ended
    for word in $words
        if set -q __pawl_pending[1]
            set -a __pawl_used $__pawl_pending
            set __pawl_pending
        else if set -q ended[1]; or not string match -qr -- '^-.' $word
            set -a __pawl_operands $word
        else if test "$word" = --
            set ended 1
        else if contains -- $word $valued
            set __pawl_pending $word
        else if string match -qr -- '^--' $word
            set -a __pawl_used (string replace -r '=.*' '' -- $word)
        else
            set -l letters (string split '' -- $word)
            for index in (seq 2 (count $letters))
                set -l name -$letters[$index]
                if contains -- $name $valued; and test $index -eq (count $letters)
                    set __pawl_pending $name
                else
                    set -a __pawl_used $name
                    contains -- $name $valued; and break
                end
            end
        end
    end
end

# Whether the first word is being typed.
function __pawl_starts
    test (count (__pawl_words)) -eq 1
end

# Whether an option of the command $argv[1] is offered. The names are those of one that may not be repeated.
function __pawl_offers
    __pawl_read
    test "$__pawl_command" = $argv[1]; or return
    for name in $argv[2..-1]
        contains -- $name $__pawl_used
        and not contains -- "$__pawl_pending" $argv[2..-1]
        and return 1
    end
    return 0
end

# Whether the operand number $argv[2] of the command $argv[1] is next, or with $argv[3] a later one.
function __pawl_operand
    __pawl_read
    set -q __pawl_pending[1]; and return 1
    test "$__pawl_command" = $argv[1]; or return
    set -l number (math (count $__pawl_operands) + 1)
    test $number -eq $argv[2]; and return
    set -q argv[3]; and test $number -gt $argv[2]
end

# Prints the value at the cursor as far as it was typed, behind "--name=" or "-n" as well.
function __pawl_value
    commandline -ct | string replace -r -- '^-(-[^=]*=|[^-])' ''
end

# fish completes paths for a command that it does not know.
function __pawl_directories
    set -l value (__pawl_value)
    complete -C"__pawl_no_command $value" | string match -r '.*/$'
end

# Prints the candidates that the program prints.
function __pawl_ask
    set -l words (__pawl_words)
    set -l program (string replace -r '^~(?=/)' $HOME -- $words[1])
    set -l value (__pawl_value | string unescape)
    $program ---complete $argv -- "$value" $words[2..-1] 2>/dev/null </dev/null
end

complete -c pawl -f
complete -c pawl -n __pawl_starts -a get -d 'Download files; rerun to resume.'
complete -c pawl -n __pawl_starts -a index -d 'Print the links of a directory page, as a list for \'pawl get -i\'.'
complete -c pawl -n __pawl_starts -a probe -d 'Show what a server says about a URL: length, ranges, validator, name, and how HEAD differs from GET.'
complete -c pawl -n __pawl_starts -a status -d 'Show how much of an unfinished download is stored, whether it is running or not.'
complete -c pawl -n __pawl_starts -a verify -d 'Check files against checksums or a Metalink, and repair them.'
complete -c pawl -n __pawl_starts -a clean -d 'Remove what downloads have left behind.'
complete -c pawl -n __pawl_starts -a shard -d 'Cut a long list into a batch for many machines.'
complete -c pawl -n __pawl_starts -a work -d 'Work through a shard of a batch: the task for engines that use many machines.'
complete -c pawl -n __pawl_starts -a manifest -d 'Show what has been done in a batch, what failed and why.'
complete -c pawl -n __pawl_starts -a extract -d 'Unpack an archive: zip, 7z, or tar, uncompressed or with gzip, bzip2, xz or zstd.'
complete -c pawl -n __pawl_starts -a list -d 'List what is in an archive, on disk or on a server; or unfinished downloads.'
complete -c pawl -n __pawl_starts -a pack -d 'Pack files and directories into a new archive.'
complete -c pawl -n __pawl_starts -a serve -d 'Run the service, whose downloads continue when terminals close.'
complete -c pawl -n __pawl_starts -a add -d 'Add downloads to the service and return at once.'
complete -c pawl -n __pawl_starts -a ls -d 'List the service\'s downloads.'
complete -c pawl -n __pawl_starts -a show -d 'Show a download of the service: its figures, sources and log.'
complete -c pawl -n __pawl_starts -a watch -d 'Watch the service\'s downloads live. Ctrl-C stops watching; downloads continue.'
complete -c pawl -n __pawl_starts -a pause -d 'Pause downloads of the service. Every stored byte is kept.'
complete -c pawl -n __pawl_starts -a resume -d 'Resume paused downloads of the service, and those that wait.'
complete -c pawl -n __pawl_starts -a retry -d 'Retry failed downloads of the service.'
complete -c pawl -n __pawl_starts -a change -d 'Give a download of the service a fresh URL, credentials or mirrors.'
complete -c pawl -n __pawl_starts -a rm -d 'Take downloads off the service\'s list.'
complete -c pawl -n __pawl_starts -a move -d 'Change the order of the service\'s queue.'
complete -c pawl -n __pawl_starts -a limit -d 'Show or set the service\'s speed limit, or that of one download.'
complete -c pawl -n __pawl_starts -a token -d 'Show the token that HTTP clients of the service need.'
complete -c pawl -n __pawl_starts -a config -d 'Show the configuration file, the options that are set, and where.'
complete -c pawl -n __pawl_starts -a completions -d 'Print the completions for a shell.'
complete -c pawl -n __pawl_starts -a help -d 'Explain a command or a topic.'
complete -c pawl -n '__pawl_offers get -o --output' -s o -l output -rF -d 'Save as this file, relative to the directory; - writes to stdout.'
complete -c pawl -n '__pawl_offers get -d --directory' -s d -l directory -x -a '(__pawl_directories)' -d 'Directory for the files. It must exist.'
complete -c pawl -n '__pawl_offers get --create-dirs' -l create-dirs -d 'Create the directory of -d, and those that -o names, if they do not exist.'
complete -c pawl -n '__pawl_offers get --keep-paths' -l keep-paths -d 'Store each file as HOST/PATH of its URL.'
complete -c pawl -n '__pawl_offers get --if-exists' -l if-exists -x -a 'fail skip rename replace' -d 'What to do if the target exists. When files are unpacked, that includes the directory: \'replace\' deletes its contents. Default: fail; skip for several files, and when they are unpacked.'
complete -c pawl -n '__pawl_offers get' -s i -l input-file -rF -d 'Download the URLs in this list; - is standard input.'
complete -c pawl -n '__pawl_offers get --no-glob' -l no-glob -d 'Do not expand [1-9], [a-f] and {one,two} in URLs.'
complete -c pawl -n '__pawl_offers get -j --jobs' -s j -l jobs -x -d 'Maximum number of files at once. Without it, up to 64 while files are at most 1 MiB long.'
complete -c pawl -n '__pawl_offers get --per-host' -l per-host -x -d 'Maximum number of connections to one host, for all files together. Without it, up to 32 while files are at most 1 MiB long, if more at once are faster.'
complete -c pawl -n '__pawl_offers get --host-rate' -l host-rate -x -d 'Maximum number of requests to one host, in a second or another time: 20, 0.5, 30/m, 100/h. They are spaced evenly.'
complete -c pawl -n '__pawl_offers get --fail-fast' -l fail-fast -d 'Stop at the first failure, and keep the progress of the others.'
complete -c pawl -n '__pawl_offers get --dry-run' -l dry-run -d 'Show what the run would do with each file, and download nothing; the exit code is that of the run. --dry-run=online also asks the servers, with one request for each file.'
complete -c pawl -n '__pawl_offers get -x --connections' -s x -l connections -x -d 'Maximum number of connections, 1 to 16. They are added only while they increase throughput.'
complete -c pawl -n '__pawl_offers get --checksum' -l checksum -x -d 'Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.'
complete -c pawl -n '__pawl_offers get --compute-checksum' -l compute-checksum -x -a 'sha-512 sha-256 sha-1 md5' -d 'Compute this checksum of the finished file, and tell it.'
complete -c pawl -n '__pawl_offers get --max-filesize' -l max-filesize -x -d 'Refuse files larger than this: 700M, 4GB.'
complete -c pawl -n '__pawl_offers get --on-change' -l on-change -x -a 'restart fail' -d 'What to do if the file has changed on the server: set the old data aside and restart, or fail.'
complete -c pawl -n '__pawl_offers get --adopt' -l adopt -d 'Resume a partial file of another URL or program, if samples match the server\'s.'
complete -c pawl -n '__pawl_offers get --allow-insecure-redirect' -l allow-insecure-redirect -d 'Follow redirects from https to http, without credentials.'
complete -c pawl -n '__pawl_offers get --allow-web-page' -l allow-web-page -d 'Store a web page although the URL names another kind of file.'
complete -c pawl -n '__pawl_offers get --require-complete' -l require-complete -d 'Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete.'
complete -c pawl -n '__pawl_offers get --max-speed' -l max-speed -x -d 'Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.'
complete -c pawl -n '__pawl_offers get --range' -l range -x -d 'Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.'
complete -c pawl -n '__pawl_offers get --sparse' -l sparse -d 'Keep the parts at their positions in the file, with holes between them.'
complete -c pawl -n '__pawl_offers get' -l member -x -d 'Download only these members of the zip archive at URL. \'*\' matches within a directory, \'**\' across directories. May be repeated.'
complete -c pawl -n '__pawl_offers get --extract' -l extract -d 'Unpack each archive once it is complete, beside it; --extract DIR unpacks into DIR.'
complete -c pawl -n '__pawl_offers get --extract-to' -l extract-to -x -a '(__pawl_directories)' -d 'The same as --extract DIR.'
complete -c pawl -n '__pawl_offers get --extract-keep' -l extract-keep -d 'Keep the archive after unpacking (the default).'
complete -c pawl -n '__pawl_offers get --extract-remove' -l extract-remove -d 'Remove the archive after unpacking.'
complete -c pawl -n '__pawl_offers get --max-unpacked' -l max-unpacked -x -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.'
complete -c pawl -n '__pawl_offers get --max-ratio' -l max-ratio -x -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.'
complete -c pawl -n '__pawl_offers get --max-members' -l max-members -x -d 'Maximum number of files to unpack. Default: 1000000.'
complete -c pawl -n '__pawl_offers get --no-links' -l no-links -d 'Refuse all symbolic links, even those that stay inside.'
complete -c pawl -n '__pawl_offers get --allow-twins' -l allow-twins -d 'Unpack names that differ only in case or Unicode form.'
complete -c pawl -n '__pawl_offers get --password-file' -l password-file -rF -d 'Read the password from the first line of this file. Otherwise Pawl asks for it.'
complete -c pawl -n '__pawl_offers get' -l mirror -x -d 'Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated.'
complete -c pawl -n '__pawl_offers get --server-mirrors' -l server-mirrors -d 'Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest.'
complete -c pawl -n '__pawl_offers get' -l mirror-country -x -d 'Prefer mirrors in this country (two letters), or in these, with commas. May be repeated, nearest first.'
complete -c pawl -n '__pawl_offers get' -l metalink -rF -d 'Download the files that this Metalink document names (docs/metalink.md). May be repeated.'
complete -c pawl -n '__pawl_offers get' -l select -x -d 'Download only this file of a Metalink: its name, a pattern such as \'*.iso\', or its number from 1. May be repeated.'
complete -c pawl -n '__pawl_offers get --checksum-file' -l checksum-file -rF -d 'Fail unless the file has the checksum that this list states; \'auto\' looks for a list beside the URL (docs/metalink.md).'
complete -c pawl -n '__pawl_offers get --limit' -l limit -x -d 'Maximum speed of all files together, in bytes per second or by the time of day: "08:00,512k 19:00,off"; \'pause\' as a speed downloads nothing.'
complete -c pawl -n '__pawl_offers get' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers get --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers get --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers get --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers get --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect. (default: 30)'
complete -c pawl -n '__pawl_offers get --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers get -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers get -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers get --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers get --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers get --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers get --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers get --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers get --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers get --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers get --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers get' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers get --netrc' -l netrc -d 'Take names and passwords from ~/.netrc, by host.'
complete -c pawl -n '__pawl_offers get --netrc-file' -l netrc-file -rF -d 'Take names and passwords from this file, by host.'
complete -c pawl -n '__pawl_offers get --cookies' -l cookies -rF -d 'Load cookies from this cookies.txt.'
complete -c pawl -n '__pawl_offers get --save-cookies' -l save-cookies -rF -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.'
complete -c pawl -n '__pawl_offers get --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers get --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers get --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers get --retries' -l retries -x -d 'Maximum number of retries in a row without progress, or \'unlimited\'. (default: 9, or 3 if the host does not answer at all)'
complete -c pawl -n '__pawl_offers get --retry-max-time' -l retry-max-time -x -d 'Stop retrying after this long without progress: 30s, 10m. (default: 1h if no server can be reached)'
complete -c pawl -n '__pawl_offers get --wait-for-network' -l wait-for-network -d 'Wait for the network even if nothing has come yet.'
complete -c pawl -n '__pawl_offers get --ignore-retry-after' -l ignore-retry-after -d 'Send requests even if the server asked clients to wait (Retry-After).'
complete -c pawl -n '__pawl_offers get --max-time' -l max-time -x -d 'Stop after this total time and keep the progress: 90s, 10m, 2h.'
complete -c pawl -n '__pawl_offers get --if-newer' -l if-newer -d 'Download only if the server\'s file is newer than the existing one, and replace that.'
complete -c pawl -n '__pawl_offers get --remote-time' -l remote-time -d 'Set the file\'s modification time to the server\'s.'
complete -c pawl -n '__pawl_offers get --xattr' -l xattr -d 'Record the file\'s URL and the checksum that matched in its extended attributes (user.xdg.*).'
complete -c pawl -n '__pawl_offers get --sync' -l sync -x -a 'file group none' -d 'Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files.'
complete -c pawl -n '__pawl_offers get --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers get -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers get --color' -l color -x -a 'auto always never' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.'
complete -c pawl -n '__pawl_offers get --progress' -l progress -x -a 'auto bar plain none' -d 'Show progress as a bar, as a line every ten seconds, or not at all; auto is a bar on a terminal and lines elsewhere.'
complete -c pawl -n '__pawl_offers get --notify' -l notify -d 'Notify of the end of the run: on the desktop through notify-send, or else by the terminal\'s bell.'
complete -c pawl -n '__pawl_offers get -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers get --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers get --on-complete' -l on-complete -x -d 'Run a program after each download, whether completed or failed. No shell is involved: blanks separate words, quotes keep them together.'
complete -c pawl -n '__pawl_offers get --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers get -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers index --depth' -l depth -x -d 'Also read the pages of directories, up to this depth beneath the URL.'
complete -c pawl -n '__pawl_offers index' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers index --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers index --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers index --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers index --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect. (default: 30)'
complete -c pawl -n '__pawl_offers index --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers index -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers index -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers index --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers index --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers index --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers index --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers index --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers index --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers index --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers index --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers index' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers index --netrc' -l netrc -d 'Take names and passwords from ~/.netrc, by host.'
complete -c pawl -n '__pawl_offers index --netrc-file' -l netrc-file -rF -d 'Take names and passwords from this file, by host.'
complete -c pawl -n '__pawl_offers index --cookies' -l cookies -rF -d 'Load cookies from this cookies.txt.'
complete -c pawl -n '__pawl_offers index --save-cookies' -l save-cookies -rF -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.'
complete -c pawl -n '__pawl_offers index --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers index --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers index --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers index -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers index --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers index --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers index -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers probe' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers probe --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers probe --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers probe --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers probe --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect. (default: 30)'
complete -c pawl -n '__pawl_offers probe --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers probe -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers probe -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers probe --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers probe --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers probe --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers probe --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers probe --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers probe --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers probe --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers probe --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers probe' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers probe --netrc' -l netrc -d 'Take names and passwords from ~/.netrc, by host.'
complete -c pawl -n '__pawl_offers probe --netrc-file' -l netrc-file -rF -d 'Take names and passwords from this file, by host.'
complete -c pawl -n '__pawl_offers probe --cookies' -l cookies -rF -d 'Load cookies from this cookies.txt.'
complete -c pawl -n '__pawl_offers probe --save-cookies' -l save-cookies -rF -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.'
complete -c pawl -n '__pawl_offers probe --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers probe --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers probe --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers probe -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers probe --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers probe --json' -l json -d 'Write one JSON object to stdout (docs/json-events.md).'
complete -c pawl -n '__pawl_offers probe --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers probe -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers status --json' -l json -d 'Write one JSON object to stdout (docs/json-events.md).'
complete -c pawl -n '__pawl_offers status --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers status -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand status 1' -F
complete -c pawl -n '__pawl_offers verify' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers verify --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers verify --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers verify --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers verify --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect. (default: 30)'
complete -c pawl -n '__pawl_offers verify --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers verify -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers verify -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers verify --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers verify --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers verify --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers verify --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers verify --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers verify --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers verify --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers verify --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers verify' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers verify --netrc' -l netrc -d 'Take names and passwords from ~/.netrc, by host.'
complete -c pawl -n '__pawl_offers verify --netrc-file' -l netrc-file -rF -d 'Take names and passwords from this file, by host.'
complete -c pawl -n '__pawl_offers verify --cookies' -l cookies -rF -d 'Load cookies from this cookies.txt.'
complete -c pawl -n '__pawl_offers verify --save-cookies' -l save-cookies -rF -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.'
complete -c pawl -n '__pawl_offers verify --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers verify --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers verify --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers verify -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers verify --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers verify --checksum' -l checksum -x -d 'The expected checksum. ALGO is sha-256, sha-512, sha-1 or md5.'
complete -c pawl -n '__pawl_offers verify --checksum-file' -l checksum-file -rF -d 'Fail unless the file has the checksum that this list states; \'auto\' looks for a list beside the URL (docs/metalink.md).'
complete -c pawl -n '__pawl_offers verify --metalink' -l metalink -rF -d 'Check against this Metalink document: length, pieces, checksum.'
complete -c pawl -n '__pawl_offers verify --repair' -l repair -d 'Download the wrong pieces again. The Metalink must have piece hashes.'
complete -c pawl -n '__pawl_offers verify --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers verify -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers verify --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers verify -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand verify 1 more' -F
complete -c pawl -n '__pawl_offers clean --unfinished' -l unfinished -d 'Also remove unfinished downloads, which then start from the beginning. Running ones are kept.'
complete -c pawl -n '__pawl_offers clean -r --recursive' -s r -l recursive -d 'Also in subdirectories. Links are not followed.'
complete -c pawl -n '__pawl_offers clean --older-than' -l older-than -x -d 'Only files and directories unchanged for at least this long: 12h, 30d.'
complete -c pawl -n '__pawl_offers clean -n --dry-run' -s n -l dry-run -d 'List what would be removed, and remove nothing.'
complete -c pawl -n '__pawl_offers clean -y --yes' -s y -l yes -d 'Do not ask.'
complete -c pawl -n '__pawl_offers clean --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers clean -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand clean 1' -a '(__pawl_directories)'
complete -c pawl -n '__pawl_offers shard --to' -l to -x -a '(__pawl_directories)' -d 'The batch: a directory, which is made if need be, or s3://bucket/prefix. It must be new or empty.'
complete -c pawl -n '__pawl_offers shard --shards' -l shards -x -d 'How many tasks can run at once.'
complete -c pawl -n '__pawl_offers shard --as' -l as -x -a 'tar files' -d 'How files are stored: in a tar for each slice, or each under a name of its own. (default: tar)'
complete -c pawl -n '__pawl_offers shard --slice' -l slice -x -d 'Files that are delivered together, and at most fetched again when a machine dies. (default: 10000; 100 as files)'
complete -c pawl -n '__pawl_offers shard --max-failed' -l max-failed -x -d 'A slice with more failures on our side (names not resolved, hosts not reached, TLS, time-outs) is not committed.'
complete -c pawl -n '__pawl_offers shard --without-conditions' -l without-conditions -d 'Accept a store that ignores that an object is there already. Then no two tasks may work on one shard at the same time.'
complete -c pawl -n '__pawl_offers shard --spool' -l spool -x -a '(__pawl_directories)' -d 'Where lines are sorted: three times the size of the list. Default: $TMPDIR, else $XDG_CACHE_HOME/pawl/work.'
complete -c pawl -n '__pawl_offers shard --host-rate' -l host-rate -x -d 'Maximum number of requests to one host, in a second or another time, for the whole batch: 20, 30/m.'
complete -c pawl -n '__pawl_offers shard --host-connections' -l host-connections -x -d 'Maximum number of connections to one host.'
complete -c pawl -n '__pawl_offers shard' -l spread -x -d 'The files of this host may be in all shards: for one that bears requests from all tasks. May be repeated.'
complete -c pawl -n '__pawl_offers shard --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect.'
complete -c pawl -n '__pawl_offers shard --allow-web-page' -l allow-web-page -d 'Store a web page although the URL names another kind of file.'
complete -c pawl -n '__pawl_offers shard --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers shard' -l header -x -d 'Send a header field to the origin of each URL and no other; not for secrets, which belong in the lines of a list. May be repeated.'
complete -c pawl -n '__pawl_offers shard --max-filesize' -l max-filesize -x -d 'Refuse files larger than this: 700M, 4GB. (default: 1 GiB)'
complete -c pawl -n '__pawl_offers shard --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m. (default: 8s)'
complete -c pawl -n '__pawl_offers shard --max-time' -l max-time -x -d 'Give a file up after this total time: 90s, 10m, 2h. (default: 5m)'
complete -c pawl -n '__pawl_offers shard --retries' -l retries -x -d 'Maximum number of retries in a row without progress. (default: 2)'
complete -c pawl -n '__pawl_offers shard --retry-max-time' -l retry-max-time -x -d 'Stop retrying after this long without progress, also where a server asks for a longer wait: 30s, 10m. (default: 2m)'
complete -c pawl -n '__pawl_offers shard --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers shard --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers shard --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers shard --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers shard -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers shard -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers shard --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers shard --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers shard --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers shard --json' -l json -d 'Write the forecast as a JSON object to stdout (docs/fleet.md).'
complete -c pawl -n '__pawl_offers shard -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers shard --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers shard -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand shard 1 more' -F
complete -c pawl -n '__pawl_offers work --index' -l index -x -d 'The shard, from 0, or \'all\': one after the other. Default: the first that is set of $PAWL_INDEX, $SLURM_ARRAY_TASK_ID, $JOB_COMPLETION_INDEX, $AWS_BATCH_JOB_ARRAY_INDEX, $BATCH_TASK_INDEX, $CLOUD_RUN_TASK_INDEX, $PBS_ARRAY_INDEX; else all.'
complete -c pawl -n '__pawl_offers work --spool' -l spool -x -a '(__pawl_directories)' -d 'Where files lie until they are delivered, on a local disk. Default: $TMPDIR, else $XDG_CACHE_HOME/pawl/work.'
complete -c pawl -n '__pawl_offers work -j --jobs' -s j -l jobs -x -d 'Maximum number of files at once.'
complete -c pawl -n '__pawl_offers work --limit' -l limit -x -d 'Maximum speed of all files together, as for \'pawl get\'.'
complete -c pawl -n '__pawl_offers work --max-time' -l max-time -x -d 'Begin no slice after this time, 30m or 8h, and end with exit code 75.'
complete -c pawl -n '__pawl_offers work --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers work --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers work --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers work --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers work -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers work -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers work --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers work --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers work --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers work --json' -l json -d 'Write JSON objects to stdout, one for each slice, and a summary (docs/fleet.md).'
complete -c pawl -n '__pawl_offers work -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers work -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers work --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers work --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers work -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand work 1' -a '(__pawl_directories)'
complete -c pawl -n '__pawl_offers manifest --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers manifest --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers manifest --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers manifest --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers manifest -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers manifest -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers manifest --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers manifest --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers manifest --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers manifest --failed' -l failed -d 'Print the lines of files that have failed.'
complete -c pawl -n '__pawl_offers manifest' -l code -x -d 'With --failed: only those that failed so, as \'network\'. May be repeated.'
complete -c pawl -n '__pawl_offers manifest --missing' -l missing -d 'Print the lines of slices that are not committed yet.'
complete -c pawl -n '__pawl_offers manifest --orphans' -l orphans -d 'List data that no manifest names: of attempts that were killed or too late.'
complete -c pawl -n '__pawl_offers manifest --delete' -l delete -d 'With --orphans: delete the data of slices that another attempt has committed. Other data is kept.'
complete -c pawl -n '__pawl_offers manifest --verify' -l verify -d 'Read all data, and compare its lengths and digests with the manifests.'
complete -c pawl -n '__pawl_offers manifest --json' -l json -d 'Write the counts as a JSON object to stdout.'
complete -c pawl -n '__pawl_offers manifest --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers manifest -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand manifest 1' -a '(__pawl_directories)'
complete -c pawl -n '__pawl_offers extract --max-unpacked' -l max-unpacked -x -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.'
complete -c pawl -n '__pawl_offers extract --max-ratio' -l max-ratio -x -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.'
complete -c pawl -n '__pawl_offers extract --max-members' -l max-members -x -d 'Maximum number of files to unpack. Default: 1000000.'
complete -c pawl -n '__pawl_offers extract --no-links' -l no-links -d 'Refuse all symbolic links, even those that stay inside.'
complete -c pawl -n '__pawl_offers extract --allow-twins' -l allow-twins -d 'Unpack names that differ only in case or Unicode form.'
complete -c pawl -n '__pawl_offers extract --password-file' -l password-file -rF -d 'Read the password from the first line of this file. Otherwise Pawl asks for it.'
complete -c pawl -n '__pawl_offers extract --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers extract -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers extract --color' -l color -x -a 'auto always never' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.'
complete -c pawl -n '__pawl_offers extract -d --directory' -s d -l directory -x -a '(__pawl_directories)' -d 'Create this directory and unpack into it. Default: beside the archive, with its name.'
complete -c pawl -n '__pawl_offers extract' -l member -x -d 'Unpack only members that match. \'*\' matches within a directory, \'**\' across directories. May be repeated.'
complete -c pawl -n '__pawl_offers extract --if-exists' -l if-exists -x -a 'fail rename replace skip' -d 'What to do if the directory exists and is not empty.'
complete -c pawl -n '__pawl_offers extract --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers extract -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand extract 1' -F
complete -c pawl -n '__pawl_offers list' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers list --ca-certificate' -l ca-certificate -rF -d 'Trust the certificate authorities in this PEM file instead of the system\'s.'
complete -c pawl -n '__pawl_offers list --proxy' -l proxy -x -d 'Use this proxy: http://, https://, socks5:// or socks5h://[user:password@]host[:port]; \'\' for none. Default: $http_proxy, $https_proxy, $all_proxy.'
complete -c pawl -n '__pawl_offers list --no-proxy' -l no-proxy -x -d 'Connect to these hosts directly: names, addresses, networks (10.0.0.0/8), or \'*\' for all. Default: $no_proxy.'
complete -c pawl -n '__pawl_offers list --connect-timeout' -l connect-timeout -x -d 'Maximum time to connect. (default: 30)'
complete -c pawl -n '__pawl_offers list --bind-address' -l bind-address -x -d 'Connect from this local address or network interface.'
complete -c pawl -n '__pawl_offers list -4 --ipv4-only' -s 4 -l ipv4-only -d 'Use IPv4 addresses only.'
complete -c pawl -n '__pawl_offers list -6 --ipv6-only' -s 6 -l ipv6-only -d 'Use IPv6 addresses only.'
complete -c pawl -n '__pawl_offers list --certificate' -l certificate -rF -d 'Client certificate (PEM) for servers that request one.'
complete -c pawl -n '__pawl_offers list --private-key' -l private-key -rF -d 'Private key of the certificate (PEM, not encrypted), if it is in another file.'
complete -c pawl -n '__pawl_offers list --insecure' -l insecure -d 'Accept any certificate. Anyone on the network path can then read and change the data.'
complete -c pawl -n '__pawl_offers list --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers list --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers list --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers list --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers list --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers list' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers list --netrc' -l netrc -d 'Take names and passwords from ~/.netrc, by host.'
complete -c pawl -n '__pawl_offers list --netrc-file' -l netrc-file -rF -d 'Take names and passwords from this file, by host.'
complete -c pawl -n '__pawl_offers list --cookies' -l cookies -rF -d 'Load cookies from this cookies.txt.'
complete -c pawl -n '__pawl_offers list --save-cookies' -l save-cookies -rF -d 'Save all cookies to this cookies.txt at the end, readable by its owner only.'
complete -c pawl -n '__pawl_offers list --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers list --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers list --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers list -v --verbose' -s v -l verbose -d 'Show each request, response and decision on stderr, even with -q. -vv also shows all fields of responses, connections and checkpoints.'
complete -c pawl -n '__pawl_offers list --no-config' -l no-config -d 'Ignore the defaults in pawl/config.toml and in $PAWL_… (docs/options.md).'
complete -c pawl -n '__pawl_offers list --partial' -l partial -d 'List what downloads have left in the directory: unfinished ones, and files that \'pawl clean\' removes.'
complete -c pawl -n '__pawl_offers list -r --recursive' -s r -l recursive -d 'With --partial: also in subdirectories.'
complete -c pawl -n '__pawl_offers list --password-file' -l password-file -rF -d 'Read the password from the first line of this file, for an archive that hides its names.'
complete -c pawl -n '__pawl_offers list --max-members' -l max-members -x -d 'Maximum number of members to list. Default: 1000000.'
complete -c pawl -n '__pawl_offers list --json' -l json -d 'Write one JSON object per member to stdout (docs/json-events.md).'
complete -c pawl -n '__pawl_offers list --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers list -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand list 1' -F
complete -c pawl -n '__pawl_offers pack --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers pack -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers pack --color' -l color -x -a 'auto always never' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.'
complete -c pawl -n '__pawl_offers pack --if-exists' -l if-exists -x -a 'fail rename replace' -d 'What to do if the archive exists.'
complete -c pawl -n '__pawl_offers pack --level' -l level -x -d 'Compression level: 1 to 9; for zip and xz 0 to 9, for zst 1 to 19.'
complete -c pawl -n '__pawl_offers pack --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers pack -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand pack 1' -F
complete -c pawl -n '__pawl_operand pack 2 more' -F
complete -c pawl -n '__pawl_offers serve --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers serve -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers add --priority' -l priority -x -d 'Downloads with a higher priority run first: -1000 to 1000.'
complete -c pawl -n '__pawl_offers add --paused' -l paused -d 'Add them paused.'
complete -c pawl -n '__pawl_offers add --top' -l top -d 'Add them at the top of the queue.'
complete -c pawl -n '__pawl_offers add --tag' -l tag -x -d 'A label to find them by, up to 64 characters.'
complete -c pawl -n '__pawl_offers add --wait' -l wait -d 'Watch until all have ended, and exit as \'pawl get\' would. Ctrl-C stops watching, not the downloads.'
complete -c pawl -n '__pawl_offers add -o --output' -s o -l output -rF -d 'Save as this file, relative to the directory. \'#1\' is the value of the URL\'s first pattern.'
complete -c pawl -n '__pawl_offers add -d --directory' -s d -l directory -x -a '(__pawl_directories)' -d 'Directory for the files. It must exist, and the service must allow it. Default: the service\'s.'
complete -c pawl -n '__pawl_offers add --keep-paths' -l keep-paths -d 'Store each file as HOST/PATH of its URL.'
complete -c pawl -n '__pawl_offers add --if-exists' -l if-exists -x -a 'fail skip rename replace' -d 'What to do if a file exists. With --extract it also applies to the directory; \'replace\' deletes its contents. Default: the service\'s setting.'
complete -c pawl -n '__pawl_offers add' -s i -l input-file -rF -d 'Download the URLs in this list; - is standard input.'
complete -c pawl -n '__pawl_offers add --no-glob' -l no-glob -d 'Do not expand [1-9], [a-f] and {one,two} in URLs.'
complete -c pawl -n '__pawl_offers add -x --connections' -s x -l connections -x -d 'Maximum number of connections, 1 to 16. They are added only while they increase throughput.'
complete -c pawl -n '__pawl_offers add --checksum' -l checksum -x -d 'Fail unless the file has this checksum. ALGO is sha-256, sha-512, sha-1 or md5.'
complete -c pawl -n '__pawl_offers add --compute-checksum' -l compute-checksum -x -a 'sha-512 sha-256 sha-1 md5' -d 'Compute this checksum of the finished file, and tell it.'
complete -c pawl -n '__pawl_offers add --max-filesize' -l max-filesize -x -d 'Refuse files larger than this: 700M, 4GB.'
complete -c pawl -n '__pawl_offers add --on-change' -l on-change -x -a 'restart fail' -d 'What to do if the file has changed on the server: set the old data aside and restart, or fail.'
complete -c pawl -n '__pawl_offers add --adopt' -l adopt -d 'Resume a partial file of another URL or program, if samples match the server\'s.'
complete -c pawl -n '__pawl_offers add --allow-insecure-redirect' -l allow-insecure-redirect -d 'Follow redirects from https to http, without credentials.'
complete -c pawl -n '__pawl_offers add --allow-web-page' -l allow-web-page -d 'Store a web page although the URL names another kind of file.'
complete -c pawl -n '__pawl_offers add --require-complete' -l require-complete -d 'Fail if neither a length, a clear end of the response, nor a checksum proves that the file is complete.'
complete -c pawl -n '__pawl_offers add --max-speed' -l max-speed -x -d 'Maximum speed of each file, in bytes per second: 500k, 2M, 1.5MB.'
complete -c pawl -n '__pawl_offers add --range' -l range -x -d 'Download only these bytes, counted from 0: 0-499, 500-, -500 (the last 500), or several with commas.'
complete -c pawl -n '__pawl_offers add --sparse' -l sparse -d 'Keep the parts at their positions in the file, with holes between them.'
complete -c pawl -n '__pawl_offers add' -l member -x -d 'Download only these members of the zip archive at URL. \'*\' matches within a directory, \'**\' across directories. May be repeated.'
complete -c pawl -n '__pawl_offers add --extract' -l extract -d 'Unpack each archive once it is complete, beside it; --extract DIR unpacks into DIR.'
complete -c pawl -n '__pawl_offers add --extract-to' -l extract-to -x -a '(__pawl_directories)' -d 'The same as --extract DIR.'
complete -c pawl -n '__pawl_offers add --extract-keep' -l extract-keep -d 'Keep the archive after unpacking (the default).'
complete -c pawl -n '__pawl_offers add --extract-remove' -l extract-remove -d 'Remove the archive after unpacking.'
complete -c pawl -n '__pawl_offers add --max-unpacked' -l max-unpacked -x -d 'Maximum unpacked size: 20G, or \'none\'. Default: 10G, or ten times the archive if more.'
complete -c pawl -n '__pawl_offers add --max-ratio' -l max-ratio -x -d 'Maximum ratio of unpacked to packed size, or \'none\'. Default: 100.'
complete -c pawl -n '__pawl_offers add --max-members' -l max-members -x -d 'Maximum number of files to unpack. Default: 1000000.'
complete -c pawl -n '__pawl_offers add --no-links' -l no-links -d 'Refuse all symbolic links, even those that stay inside.'
complete -c pawl -n '__pawl_offers add --allow-twins' -l allow-twins -d 'Unpack names that differ only in case or Unicode form.'
complete -c pawl -n '__pawl_offers add --password-file' -l password-file -rF -d 'Read the password from the first line of this file. Otherwise Pawl asks for it.'
complete -c pawl -n '__pawl_offers add' -l mirror -x -d 'Another URL of the same file. With a checksum, all are used at once; without, one after the other. May be repeated.'
complete -c pawl -n '__pawl_offers add --server-mirrors' -l server-mirrors -d 'Use the mirrors and the Metalink that the server names in Link headers (RFC 6249). Mirrors are used only if it also sends a digest.'
complete -c pawl -n '__pawl_offers add' -l mirror-country -x -d 'Prefer mirrors in this country (two letters), or in these, with commas. May be repeated, nearest first.'
complete -c pawl -n '__pawl_offers add' -l metalink -rF -d 'Download the files that this Metalink document names (docs/metalink.md). May be repeated.'
complete -c pawl -n '__pawl_offers add' -l select -x -d 'Download only this file of a Metalink: its name, a pattern such as \'*.iso\', or its number from 1. May be repeated.'
complete -c pawl -n '__pawl_offers add --checksum-file' -l checksum-file -rF -d 'Fail unless the file has the checksum that this list states; \'auto\' looks for a list beside the URL (docs/metalink.md).'
complete -c pawl -n '__pawl_offers add' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers add --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers add --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers add --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers add --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers add --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers add' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers add --user-agent' -l user-agent -x -d 'Set the User-Agent header; \'\' sends none.'
complete -c pawl -n '__pawl_offers add --referer' -l referer -x -d 'Set the Referer header. Other origins see only its origin.'
complete -c pawl -n '__pawl_offers add --timeout' -l timeout -x -d 'Drop a connection that is idle or unanswered for this long: 30, 30s, 5m.'
complete -c pawl -n '__pawl_offers add --retries' -l retries -x -d 'Maximum number of retries in a row without progress, or \'unlimited\'. (default: 9, or 3 if the host does not answer at all)'
complete -c pawl -n '__pawl_offers add --retry-max-time' -l retry-max-time -x -d 'Stop retrying after this long without progress: 30s, 10m. (default: 1h if no server can be reached)'
complete -c pawl -n '__pawl_offers add --wait-for-network' -l wait-for-network -d 'Wait for the network even if nothing has come yet.'
complete -c pawl -n '__pawl_offers add --ignore-retry-after' -l ignore-retry-after -d 'Send requests even if the server asked clients to wait (Retry-After).'
complete -c pawl -n '__pawl_offers add --max-time' -l max-time -x -d 'Stop after this total time and keep the progress: 90s, 10m, 2h.'
complete -c pawl -n '__pawl_offers add --if-newer' -l if-newer -d 'Download only if the server\'s file is newer than the existing one, and replace that.'
complete -c pawl -n '__pawl_offers add --remote-time' -l remote-time -d 'Set the file\'s modification time to the server\'s.'
complete -c pawl -n '__pawl_offers add --xattr' -l xattr -d 'Record the file\'s URL and the checksum that matched in its extended attributes (user.xdg.*).'
complete -c pawl -n '__pawl_offers add --sync' -l sync -x -a 'file group none' -d 'Sync each file to disk before it gets its name, sync small files in groups, or sync none: then a power cut may damage files.'
complete -c pawl -n '__pawl_offers add --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers add -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers add --color' -l color -x -a 'auto always never' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.'
complete -c pawl -n '__pawl_offers add --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers add --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers add -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers ls --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers ls' -l state -x -a 'running waiting queued paused failed completed' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.'
complete -c pawl -n '__pawl_offers ls --tag' -l tag -x -d 'Only downloads with this tag.'
complete -c pawl -n '__pawl_offers ls --search' -l search -x -d 'Only downloads with this text in their name, URL or tag.'
complete -c pawl -n '__pawl_offers ls --sort' -l sort -x -a 'position added name size state' -d 'Sort by position, added, name, size or state; a leading - reverses the order.'
complete -c pawl -n '__pawl_offers ls -n --limit' -s n -l limit -x -d 'Maximum number to list.'
complete -c pawl -n '__pawl_offers ls --json' -l json -d 'Write a snapshot of each to stdout, one JSON object per line (docs/api.md).'
complete -c pawl -n '__pawl_offers ls --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers ls -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers show --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers show --json' -l json -d 'Write one JSON object to stdout (docs/api.md).'
complete -c pawl -n '__pawl_offers show --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers show -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand show 1' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers watch --json' -l json -d 'Write JSON objects to stdout, one per line (docs/json-events.md).'
complete -c pawl -n '__pawl_offers watch -q --quiet' -s q -l quiet -d 'Show only errors.'
complete -c pawl -n '__pawl_offers watch --color' -l color -x -a 'auto always never' -d 'Colour messages: auto is on a terminal, unless $NO_COLOR is set.'
complete -c pawl -n '__pawl_offers watch --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers watch --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers watch -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand watch 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers pause --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers pause --all' -l all -d 'All downloads.'
complete -c pawl -n '__pawl_offers pause' -l state -x -a 'running waiting queued paused failed completed' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.'
complete -c pawl -n '__pawl_offers pause --tag' -l tag -x -d 'Only downloads with this tag.'
complete -c pawl -n '__pawl_offers pause --search' -l search -x -d 'Only downloads with this text in their name, URL or tag.'
complete -c pawl -n '__pawl_offers pause --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers pause -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand pause 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers resume --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers resume --all' -l all -d 'All downloads.'
complete -c pawl -n '__pawl_offers resume' -l state -x -a 'running waiting queued paused failed completed' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.'
complete -c pawl -n '__pawl_offers resume --tag' -l tag -x -d 'Only downloads with this tag.'
complete -c pawl -n '__pawl_offers resume --search' -l search -x -d 'Only downloads with this text in their name, URL or tag.'
complete -c pawl -n '__pawl_offers resume --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers resume -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand resume 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers retry --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers retry --all' -l all -d 'All downloads.'
complete -c pawl -n '__pawl_offers retry' -l state -x -a 'running waiting queued paused failed completed' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.'
complete -c pawl -n '__pawl_offers retry --tag' -l tag -x -d 'Only downloads with this tag.'
complete -c pawl -n '__pawl_offers retry --search' -l search -x -d 'Only downloads with this text in their name, URL or tag.'
complete -c pawl -n '__pawl_offers retry --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers retry -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand retry 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers change' -l header -x -d 'Send a header field to the URL\'s own origin and no other. May be repeated.'
complete -c pawl -n '__pawl_offers change --user' -l user -x -d 'Log in to the URL\'s own origin, by Basic or Digest. Asks for a missing password.'
complete -c pawl -n '__pawl_offers change --digest' -l digest -d 'Log in by Digest only, which never sends the password itself.'
complete -c pawl -n '__pawl_offers change --bearer' -l bearer -x -d 'Send this bearer token to the URL\'s own origin. Other users can see it in the process list.'
complete -c pawl -n '__pawl_offers change --bearer-file' -l bearer-file -rF -d 'Read the bearer token from the first line of this file.'
complete -c pawl -n '__pawl_offers change --bearer-env' -l bearer-env -x -d 'Read the bearer token from this environment variable.'
complete -c pawl -n '__pawl_offers change' -l cookie -x -d 'Send these cookies to the URL\'s own origin. May be repeated.'
complete -c pawl -n '__pawl_offers change --adopt' -l adopt -d 'Resume a partial file of another URL or program, if samples match the server\'s.'
complete -c pawl -n '__pawl_offers change --if-exists' -l if-exists -x -a 'fail skip rename replace' -d 'What to do if the target exists. When files are unpacked, that includes the directory: \'replace\' deletes its contents. Default: fail; skip for several files, and when they are unpacked.'
complete -c pawl -n '__pawl_offers change --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers change --url' -l url -x -d 'Download the same file from this URL. If it has another origin, headers and credentials must be given again.'
complete -c pawl -n '__pawl_offers change' -l mirror -x -d 'Add another URL of the same file. May be repeated.'
complete -c pawl -n '__pawl_offers change -x --connections' -s x -l connections -x -d 'Use up to this many connections.'
complete -c pawl -n '__pawl_offers change --tag' -l tag -x -d 'A label to find it by, up to 64 characters; \'\' removes it.'
complete -c pawl -n '__pawl_offers change --json' -l json -d 'Write one JSON object to stdout, a snapshot (docs/api.md).'
complete -c pawl -n '__pawl_offers change --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers change -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand change 1' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers rm --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers rm --all' -l all -d 'All downloads.'
complete -c pawl -n '__pawl_offers rm' -l state -x -a 'running waiting queued paused failed completed' -d 'Only downloads in this state: running, waiting, queued, paused, failed, completed. May be repeated, or several with commas.'
complete -c pawl -n '__pawl_offers rm --tag' -l tag -x -d 'Only downloads with this tag.'
complete -c pawl -n '__pawl_offers rm --search' -l search -x -d 'Only downloads with this text in their name, URL or tag.'
complete -c pawl -n '__pawl_offers rm --delete-files' -l delete-files -d 'Delete the files too, whether finished or not.'
complete -c pawl -n '__pawl_offers rm --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers rm -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand rm 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers move --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers move --top' -l top -d 'Move in front of all others of the same priority.'
complete -c pawl -n '__pawl_offers move --bottom' -l bottom -d 'Move behind all others of the same priority.'
complete -c pawl -n '__pawl_offers move --before' -l before -x -a '(__pawl_ask ids)' -d 'Move in front of this download, and take its priority.'
complete -c pawl -n '__pawl_offers move --after' -l after -x -a '(__pawl_ask ids)' -d 'Move behind this download, and take its priority.'
complete -c pawl -n '__pawl_offers move --up' -l up -x -d 'Move up by this many places.'
complete -c pawl -n '__pawl_offers move --down' -l down -x -d 'Move down by this many places.'
complete -c pawl -n '__pawl_offers move --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers move -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand move 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers limit --service' -l service -rF -d 'Use another service: its socket, or its http or https URL with the token in $PAWL_TOKEN. Default: $PAWL_SOCKET, or your own service.'
complete -c pawl -n '__pawl_offers limit --json' -l json -d 'Write the settings, or the download, as one JSON object to stdout (docs/api.md).'
complete -c pawl -n '__pawl_offers limit --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers limit -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand limit 1 more' -a '(__pawl_ask ids)'
complete -c pawl -n '__pawl_offers token --renew' -l renew -d 'Replace the token. Clients that use the old one must log in again.'
complete -c pawl -n '__pawl_offers token --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers token -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers config --all' -l all -d 'Also show the defaults of pawl get that are not set.'
complete -c pawl -n '__pawl_offers config --check' -l check -d 'Show only errors, each with its line. \'pawld --check\' checks more.'
complete -c pawl -n '__pawl_offers config --file' -l file -rF -d 'Read this file instead of pawl/config.toml in $XDG_CONFIG_HOME.'
complete -c pawl -n '__pawl_offers config --json' -l json -d 'Write one JSON object to stdout (docs/json-events.md).'
complete -c pawl -n '__pawl_offers config --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers config -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_offers completions --version' -l version -d 'Show the version.'
complete -c pawl -n '__pawl_offers completions -h --help' -s h -l help -d 'Show help information.'
complete -c pawl -n '__pawl_operand completions 1' -a 'bash zsh fish'
complete -c pawl -n '__pawl_operand help 1' -a target -d 'names and directories, and files that exist'
complete -c pawl -n '__pawl_operand help 1' -a lists -d 'many URLs: lists and patterns'
complete -c pawl -n '__pawl_operand help 1' -a queue -d 'files and connections at once'
complete -c pawl -n '__pawl_operand help 1' -a sources -d 'mirrors and Metalinks'
complete -c pawl -n '__pawl_operand help 1' -a trust -d 'checksums, and what is refused'
complete -c pawl -n '__pawl_operand help 1' -a limits -d 'speed, also by the time of day'
complete -c pawl -n '__pawl_operand help 1' -a ranges -d 'parts of a file, and streams'
complete -c pawl -n '__pawl_operand help 1' -a archives -d 'unpacking downloads; members of a zip'
complete -c pawl -n '__pawl_operand help 1' -a network -d 'proxies, addresses, TLS'
complete -c pawl -n '__pawl_operand help 1' -a server -d 'headers, certificates, times and retries'
complete -c pawl -n '__pawl_operand help 1' -a login -d 'names, passwords, tokens and cookies'
complete -c pawl -n '__pawl_operand help 1' -a output -d 'messages, JSON, and programs to run afterwards'
complete -c pawl -n '__pawl_operand help 1' -a defaults -d 'options that need not be typed each time'
complete -c pawl -n '__pawl_operand help 1' -a exit-codes -d 'the exit codes of the program'
complete -c pawl -n '__pawl_operand help 1' -a all -d 'every option of pawl get'
complete -c pawl -n '__pawl_operand help 1' -a get -d 'Download files; rerun to resume.'
complete -c pawl -n '__pawl_operand help 1' -a index -d 'Print the links of a directory page, as a list for \'pawl get -i\'.'
complete -c pawl -n '__pawl_operand help 1' -a probe -d 'Show what a server says about a URL: length, ranges, validator, name, and how HEAD differs from GET.'
complete -c pawl -n '__pawl_operand help 1' -a status -d 'Show how much of an unfinished download is stored, whether it is running or not.'
complete -c pawl -n '__pawl_operand help 1' -a verify -d 'Check files against checksums or a Metalink, and repair them.'
complete -c pawl -n '__pawl_operand help 1' -a clean -d 'Remove what downloads have left behind.'
complete -c pawl -n '__pawl_operand help 1' -a shard -d 'Cut a long list into a batch for many machines.'
complete -c pawl -n '__pawl_operand help 1' -a work -d 'Work through a shard of a batch: the task for engines that use many machines.'
complete -c pawl -n '__pawl_operand help 1' -a manifest -d 'Show what has been done in a batch, what failed and why.'
complete -c pawl -n '__pawl_operand help 1' -a extract -d 'Unpack an archive: zip, 7z, or tar, uncompressed or with gzip, bzip2, xz or zstd.'
complete -c pawl -n '__pawl_operand help 1' -a list -d 'List what is in an archive, on disk or on a server; or unfinished downloads.'
complete -c pawl -n '__pawl_operand help 1' -a pack -d 'Pack files and directories into a new archive.'
complete -c pawl -n '__pawl_operand help 1' -a serve -d 'Run the service, whose downloads continue when terminals close.'
complete -c pawl -n '__pawl_operand help 1' -a add -d 'Add downloads to the service and return at once.'
complete -c pawl -n '__pawl_operand help 1' -a ls -d 'List the service\'s downloads.'
complete -c pawl -n '__pawl_operand help 1' -a show -d 'Show a download of the service: its figures, sources and log.'
complete -c pawl -n '__pawl_operand help 1' -a watch -d 'Watch the service\'s downloads live. Ctrl-C stops watching; downloads continue.'
complete -c pawl -n '__pawl_operand help 1' -a pause -d 'Pause downloads of the service. Every stored byte is kept.'
complete -c pawl -n '__pawl_operand help 1' -a resume -d 'Resume paused downloads of the service, and those that wait.'
complete -c pawl -n '__pawl_operand help 1' -a retry -d 'Retry failed downloads of the service.'
complete -c pawl -n '__pawl_operand help 1' -a change -d 'Give a download of the service a fresh URL, credentials or mirrors.'
complete -c pawl -n '__pawl_operand help 1' -a rm -d 'Take downloads off the service\'s list.'
complete -c pawl -n '__pawl_operand help 1' -a move -d 'Change the order of the service\'s queue.'
complete -c pawl -n '__pawl_operand help 1' -a limit -d 'Show or set the service\'s speed limit, or that of one download.'
complete -c pawl -n '__pawl_operand help 1' -a token -d 'Show the token that HTTP clients of the service need.'
complete -c pawl -n '__pawl_operand help 1' -a config -d 'Show the configuration file, the options that are set, and where.'
complete -c pawl -n '__pawl_operand help 1' -a completions -d 'Print the completions for a shell.'
