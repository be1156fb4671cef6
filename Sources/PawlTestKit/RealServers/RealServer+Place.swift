package import PawlCore

extension RealServer {
    /// A path beneath which the server behaves in one particular way.
    package struct Place: Hashable, Sendable {
        package var name: String
        /// The rate of each connection.
        package var bytesPerSecond: Int?
        package var ranges = true
        /// Whether to compress for clients that accept it.
        package var compression = false
        package var access = Access.everyone
        /// The value of a `Link` field of each answer; nginx only.
        package var link: String?
        /// The name of another place that this one proxies; nginx only.
        package var proxies: String?

        package init(_ name: String) { self.name = name }

        /// 512 KiB/s for each connection.
        package static var slow: Place { slow(bytesPerSecond: 512 << 10) }

        package static func slow(bytesPerSecond: Int) -> Place {
            var place = Place("slow")
            place.bytesPerSecond = bytesPerSecond
            return place
        }

        package static var rangeless: Place {
            var place = Place("rangeless")
            place.ranges = false
            return place
        }

        package static var compressed: Place {
            var place = Place("compressed")
            place.compression = true
            return place
        }

        package static var plain: Place { Place("plain") }

        /// Each file is described by the Metalink `FILE.meta4` beside it (RFC 6249 §4).
        package static var described: Place {
            var place = Place("described")
            place.link = "<$uri.meta4>; rel=describedby; type=\\\"application/metalink4+xml\\\""
            return place
        }

        /// Files only for requests that prove their right to them.
        package static func guarded(_ access: Access, bytesPerSecond: Int? = nil) -> Place {
            var place = Place("guarded")
            place.access = access
            place.bytesPerSecond = bytesPerSecond
            return place
        }
    }

    /// The requests that get the files of a place.
    package enum Access: Hashable, Sendable {
        case everyone
        /// ``Login/name`` with ``Login/password``.
        case basic
        /// The same login, by RFC 7616.
        /// - nonceSeconds: How soon a nonce is stale; nil leaves that to the server. Apache httpd only.
        case digest(DigestAlgorithm, nonceSeconds: Int? = nil)
        /// Requests that send ``Login/token``.
        case bearer
        /// Requests that send the cookie that ``Login/gate`` sets. All others are redirected there and back.
        case cookie
    }

    /// The credentials that all guarded places accept.
    package enum Login {
        package static let name = "user"
        package static let password = "secret"
        package static let token = "open-sesame"
        package static let cookie = "pass=open-sesame"
        static let realm = "pawl"
        static let gate = "gate"

        /// `openssl passwd -apr1 -salt pawltest secret`
        static let basicLine = "user:$apr1$pawltest$llcOtcwpT2mKBu.CJ2Wgk."

        /// RFC 7616 §3.4.2: H(username ":" realm ":" password)
        static func digestLine(_ algorithm: DigestAlgorithm) -> String {
            let hash =
                switch algorithm {
                case .sha256: "d18b14345225c69b0b9dde74c499dfb5a54ce07105c49ffd5c12a10a6ec3203a"
                case .md5, .sha1, .sha512: "c63e91e72fe7bdfb113d6b0251275955"
                }
            return "\(name):\(realm):\(hash)"
        }
    }
}
