/// Options of curl and wget that downloads rarely have: a test holds that each option of both has an answer.
extension PeerOption {
    static let rest = quiet + places + identities + encryption + protocols + recursion

    private static let quiet = [
        PeerOption("--url", [.curl], .any("URL"), .argument),
        PeerOption("--progress", [.wget], .display, .needless("--progress chooses among bar, plain and none")),
        PeerOption("--stderr", [.curl], .any("FILE"), .instead("2>FILE redirects messages")),
        PeerOption("-a --output-file --append-output", [.wget], .any("FILE"), .instead("2>FILE redirects messages")),
        PeerOption("--debug", [.wget], .none, .instead("-v shows requests and answers")),
        PeerOption(
            "--include --save-headers --trace-config", [.curl, .wget], .none,
            .instead("-v shows requests and answers")),
        PeerOption(
            "--styled-output --no-styled-output --suppress-connect-headers --trace-time --trace-ids --no-buffer",
            [.curl], .none, .needless("output is written at once, for a terminal or a log")),
        PeerOption("--report-speed", [.wget], .any("TYPE"), .needless("speeds are shown in bytes")),
        PeerOption("--libcurl", [.curl], .any("FILE"), .instead("Pawl does not generate code; use curl")),
        PeerOption("-M --manual", [.curl], .none, .instead("pawl help all shows all options")),
        PeerOption("--disable", [.curl], .none, .needless(".curlrc is not read")),
        PeerOption("--variable", [.curl], .any("NAME=VALUE"), .instead("use shell variables")),
        PeerOption("-: --next", [.curl], .none, .instead("a list for -i can have options for each URL")),
        PeerOption("--out-null", [.curl], .none, .instead("-o - writes to stdout: pawl -o - URL >/dev/null")),
        PeerOption("--delete-after", [.wget], .none, .instead("-o - writes to stdout: pawl -o - URL >/dev/null")),
    ]

    private static let places = [
        PeerOption("--no-host-directories", [.wget], .none, .needless("files go into one directory")),
        PeerOption("--cut-dirs", [.wget], .any("N"), .needless("files go into one directory")),
        PeerOption(
            "--protocol-directories", [.wget], .none, .instead("--keep-paths has directories for the host and the path")
        ),
        PeerOption("--default-page", [.wget], .any("NAME"), .instead("-o NAME names the file")),
        PeerOption("--adjust-extension", [.wget], .none, .instead("-o NAME names the file")),
        PeerOption("--restrict-file-names", [.wget], .any("OS"), .needless("names are made safe for every system")),
        PeerOption("--unlink", [.wget], .none, .needless("a new file replaces the old one")),
        PeerOption("--backups", [.wget], .any("N"), .instead("--if-exists=rename keeps the old file")),
        PeerOption("--create-file-mode", [.curl], .any("MODE"), .instead("the umask decides; chmod changes it")),
        PeerOption("--use-ascii", [.curl], .none, .needless("bytes are stored as received")),
        PeerOption("--no-if-modified-since", [.wget], .none, .needless("--if-newer compares the times")),
        PeerOption(
            "--etag-compare --etag-save", [.curl], .any("FILE"),
            .instead("--if-newer downloads only if the server's file is newer than the existing one")),
        PeerOption("-Q --quota", [.wget], .any("N"), .instead("--max-filesize N limits the size of a file")),
        PeerOption(
            "--ignore-content-length --ignore-length", [.curl, .wget], .none,
            .instead("the length shows whether a file is complete; leave it out")),
        PeerOption("--content-on-error", [.wget], .none, .instead("an error page is not the file; leave it out")),
        PeerOption("--compression", [.wget], .words("none"), .needless("files are stored as the server keeps them")),
        PeerOption(
            "--compression", [.wget], .any("TYPE"),
            .instead("files are stored as the server keeps them, never decoded; leave it out")),
        PeerOption("--raw --tr-encoding", [.curl], .none, .needless("files are stored as the server keeps them")),
        PeerOption(
            "--rate", [.curl], .any("N/UNIT"), .instead("--host-rate limits the requests to one host: 2, 30/m, 100/h")),
        PeerOption("--parallel-max-host", [.curl], .number, .same("--per-host")),
        PeerOption("--random-wait", [.wget], .none, .needless("there are no pauses between files")),
    ]

    private static let identities = [
        PeerOption("--no-cookies", [.wget], .none, .needless("a server's cookies go back to it in this run only")),
        PeerOption(
            "--junk-session-cookies", [.curl], .none, .instead("all cookies of a file are sent; leave them out of it")),
        PeerOption("--netrc-optional", [.curl], .none, .same("--netrc")),
        PeerOption("--proxy-basic", [.curl], .none, .needless("proxies are sent the user name and password by Basic")),
        PeerOption(
            "--proxy-anyauth --proxy-digest --proxy-ntlm --proxy-negotiate --socks5-gssapi --socks5-gssapi-nec",
            [.curl],
            .none, .instead("proxies are sent a user name and password by Basic or SOCKS5 only; leave it out")),
        PeerOption("--socks5-basic", [.curl], .none, .needless("SOCKS5 proxies are sent the user name and password")),
        PeerOption(
            "--ntlm --ntlm-wb --negotiate --sasl-ir", [.curl], .none,
            .instead("NTLM and Kerberos are not supported; use curl")),
        PeerOption(
            """
            --delegation --krb --service-name --proxy-service-name --socks5-gssapi-service --sasl-authzid \
            --login-options --aws-sigv4
            """, [.curl], .any("VALUE"), .instead("this login method is not supported; use curl")),
        PeerOption(
            "--location-trusted", [.curl], .none,
            .instead("credentials are sent only to the origin of the URL; leave it out")),
        PeerOption(
            "--disallow-username-in-url", [.curl], .none, .instead("a login in a URL is used; leave it out")),
        PeerOption("--use-askpass", [.wget], .any("COMMAND"), .instead("--user NAME asks for the password")),
        PeerOption(
            "--proxy-password", [.wget], .any("TEXT"),
            .instead("the login of a proxy is part of its URL: --proxy http://NAME:PASSWORD@HOST:PORT")),
        PeerOption(
            "--proxy-header", [.curl], .any("FIELD"), .instead("custom headers are not sent to proxies; leave it out")),
        PeerOption("--proxytunnel", [.curl], .none, .instead("https URLs go through a tunnel; leave it out")),
        PeerOption("--preproxy", [.curl], .any("URL"), .instead("only one proxy is supported")),
        PeerOption(
            "--proxy1.0 --socks4 --socks4a", [.curl], .any("HOST:PORT"),
            .instead("use --proxy http://HOST:PORT or socks5://HOST:PORT")),
        PeerOption("--path-as-is", [.curl], .none, .instead("dots in a path are resolved; leave it out")),
        PeerOption("--request-target", [.curl], .any("PATH"), .instead("the URL determines the request")),
        PeerOption("-G --get", [.curl], .none, .instead("put the query into the URL")),
        PeerOption("--url-query", [.curl], .any("DATA"), .instead("put the query into the URL")),
        PeerOption("--post301 --post302 --post303", [.curl], .none, .needless("downloads are GET requests")),
        PeerOption(
            "--data-ascii --data-urlencode --form-string --body-data --body-file", [.curl, .wget], .any("DATA"),
            .instead("Pawl downloads and never uploads; use curl")),
        PeerOption(
            "--append --crlf --form-escape", [.curl], .none, .instead("Pawl downloads and never uploads; use curl")),
        PeerOption(
            "--expect100-timeout", [.curl], .any("SECONDS"), .needless("Pawl downloads and never uploads")),
    ]

    private static let encryption = [
        PeerOption(
            "--secure-protocol", [.wget], .words("auto TLSv1 TLSv1_1 TLSv1_2 PFS"),
            .needless("connections use TLS 1.2 or newer")),
        PeerOption(
            "--secure-protocol", [.wget], .any("PROTOCOL"),
            .instead("the server chooses TLS 1.2 or 1.3; leave it out")),
        PeerOption("--ssl --ssl-reqd", [.curl], .none, .needless("https URLs are always encrypted")),
        PeerOption("--tlsv1 --proxy-tlsv1", [.curl], .none, .needless("connections use TLS 1.2 or newer")),
        PeerOption("-2 -3 --sslv2 --sslv3", [.curl], .none, .instead("connections use TLS 1.2 or newer; leave it out")),
        PeerOption("--no-hsts", [.wget], .none, .needless("HSTS is not supported")),
        PeerOption(
            "--hsts --hsts-file", [.curl, .wget], .any("FILE"), .needless("HSTS is not supported; give https URLs")),
        PeerOption("--alt-svc", [.curl], .any("FILE"), .needless("alternative services are not supported")),
        PeerOption(
            "--ca-native --proxy-ca-native", [.curl], .none, .needless("the system's authorities are trusted")),
        PeerOption(
            "--capath --proxy-capath --ca-directory", [.curl, .wget], .any("DIR"),
            .instead("$SSL_CERT_DIR names directories of authorities")),
        PeerOption(
            "--proxy-cacert", [.curl], .any("FILE"), .instead("--ca-certificate FILE is for servers and proxies")),
        PeerOption(
            "--cert-type --key-type --certificate-type --private-key-type --proxy-cert-type --proxy-key-type",
            [.curl, .wget], .words("PEM pem"), .needless("certificates and keys are PEM files")),
        PeerOption(
            "--cert-type --key-type --certificate-type --private-key-type --proxy-cert-type --proxy-key-type",
            [.curl, .wget], .any("TYPE"), .instead("certificates and keys are PEM files; openssl converts them")),
        PeerOption(
            "--pass --proxy-pass", [.curl], .any("PHRASE"),
            .instead("the key must not be encrypted: openssl pkey -in KEY -out COPY")),
        PeerOption(
            "--proxy-cert --proxy-key", [.curl], .any("FILE"),
            .instead("--certificate and --private-key are for servers and proxies")),
        PeerOption("--proxy-insecure", [.curl], .none, .instead("--insecure is for servers and proxies")),
        PeerOption(
            """
            --crlfile --crl-file --proxy-crlfile --pinnedpubkey --proxy-pinnedpubkey --curves --sigalgs --tls13-ciphers \
            --proxy-tls13-ciphers --proxy-ciphers --engine --ech --tlsauthtype --tlspassword --tlsuser \
            --proxy-tlsauthtype --proxy-tlspassword --proxy-tlsuser
            """, [.curl, .wget], .any("VALUE"), .instead("Pawl cannot check or choose this; use curl")),
        PeerOption("--cert-status --doh-cert-status", [.curl], .none, .instead("Pawl cannot check this; use curl")),
        PeerOption(
            "--egd-file --random-file", [.curl, .wget], .any("FILE"), .needless("random bytes come from the system")),
        PeerOption(
            """
            --false-start --no-alpn --no-npn --no-sessionid --ssl-allow-beast --proxy-ssl-allow-beast --ssl-no-revoke \
            --ssl-revoke-best-effort --ssl-auto-client-cert --proxy-ssl-auto-client-cert --tls-earlydata
            """, [.curl], .none, .needless("it has no effect on Pawl")),
    ]

    private static let protocols = [
        PeerOption("--prefer-family", [.wget], .any("FAMILY"), .needless("the address that answers first is used")),
        PeerOption(
            "--happy-eyeballs-timeout-ms --keepalive-cnt --ip-tos --vlan-priority", [.curl], .any("N"),
            .needless("Pawl sets this itself")),
        PeerOption("--no-keepalive --mptcp", [.curl], .none, .needless("connections are kept and reused")),
        PeerOption("--no-http-keep-alive", [.wget], .none, .needless("connections are kept and reused")),
        PeerOption("--no-dns-cache", [.wget], .none, .needless("the system resolves names")),
        PeerOption(
            "--dns-interface --dns-ipv4-addr --dns-ipv6-addr --doh-url --bind-dns-address", [.curl, .wget],
            .any("VALUE"), .instead("the system resolves names; /etc/hosts can set an address")),
        PeerOption("--doh-insecure", [.curl], .none, .instead("the system resolves names")),
        PeerOption("--local-port", [.curl], .any("N"), .instead("the system chooses the port")),
        PeerOption("--haproxy-protocol", [.curl], .none, .instead("this is not supported; use curl")),
        PeerOption("--haproxy-clientip", [.curl], .any("ADDRESS"), .instead("this is not supported; use curl")),
        PeerOption(
            "--unix-socket --abstract-unix-socket", [.curl], .any("PATH"),
            .instead("Unix sockets are not supported; use curl")),
        PeerOption("--follow", [.curl], .none, .needless("redirects are followed")),
        PeerOption("--http0.9", [.curl], .none, .instead("only HTTP/1.1 is supported; leave it out")),
        PeerOption(
            "--http2-prior-knowledge --http3-only", [.curl], .none,
            .instead("only HTTP/1.1 is supported; leave it out")),
        PeerOption(
            "--proto-default --ipfs-gateway", [.curl], .any("VALUE"), .instead("give a complete http or https URL")),
        PeerOption("--iri --no-iri", [.wget], .none, .needless("URLs are sent in UTF-8")),
        PeerOption(
            "--local-encoding --remote-encoding", [.wget], .any("ENCODING"), .needless("URLs are sent in UTF-8")),
        PeerOption("--passive-ftp --no-passive-ftp", [.wget], .none, .needless("it applies only to FTP")),
        PeerOption(
            """
            --compressed-ssh --disable-eprt --disable-epsv --ftp-create-dirs --ftp-pasv --ftp-pret --ftp-skip-pasv-ip \
            --ftp-ssl-ccc --ftp-ssl-control --list-only --mail-rcpt-allowfails --tftp-no-options --no-remove-listing \
            --preserve-permissions --retr-symlinks --ftps-implicit --ftps-resume-ssl --ftps-clear-data-connection \
            --ftps-fallback-to-ftp
            """, [.curl, .wget], .none, .instead("only HTTP and HTTPS are supported; use curl")),
        PeerOption(
            """
            --ftp-account --ftp-alternative-to-user --ftp-method --ftp-port --ftp-ssl-ccc-mode --hostpubmd5 \
            --hostpubsha256 --knownhosts --mail-auth --mail-from --mail-rcpt --pubkey --quote --telnet-option \
            --tftp-blksize --upload-flags --ftp-user --ftp-password
            """, [.curl, .wget], .any("VALUE"), .instead("only HTTP and HTTPS are supported; use curl")),
    ]

    private static let recursion = [
        PeerOption(
            """
            --force-html --convert-links --convert-file-only --backup-converted --strict-comments --follow-ftp \
            --span-hosts --relative --ignore-case
            """, [.wget], .none, .instead("links in pages are not followed; wget does that")),
        PeerOption(
            """
            --accept --reject --accept-regex --reject-regex --regex-type --domains --exclude-domains --follow-tags \
            --ignore-tags --include-directories --exclude-directories --rejected-log --base
            """, [.wget], .any("LIST"), .instead("links in pages are not followed; wget does that")),
        PeerOption(
            "--warc-file --warc-header --warc-max-size --warc-dedup --warc-tempdir", [.wget], .any("VALUE"),
            .instead("WARC files are not written; use wget")),
        PeerOption(
            "--warc-cdx --no-warc-compression --no-warc-digests --no-warc-keep-log", [.wget], .none,
            .instead("WARC files are not written; use wget")),
    ]
}
