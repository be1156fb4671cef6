package import Pawl
import PawlCore
import PawlSystem
package import PawlJobs

extension Downloader.Configuration {
    /// Applies the options of aria2 that concern all downloads together.
    ///
    /// - Parameter isFile: whether a path names a file.
    package mutating func set(
        _ given: Aria2Options, reading files: NamedFiles, home: String, isFile: (String) -> Bool
    ) throws(Aria2Failure) {
        do throws(ProxyParseError) {
            proxies = ProxySettings(variables: given.proxy)
            try proxies.check()
        } catch {
            throw Aria2Failure(error.message, status: Aria2Status.badOption)
        }
        proxies.except(given["no-proxy"] ?? "")
        if let seconds = given.number("connect-timeout") { connectTimeout = .seconds(seconds) }
        certificateAuthorityFile = given.text("ca-certificate")
        authorityVariables = AuthorityVariables(Environment.value)
        (clientCertificateFile, privateKeyFile) = (given.text("certificate"), given.text("private-key"))
        pemFiles = files.pem
        verifiesCertificates = !given.isFalse("check-certificate")
        if given.isTrue("disable-ipv6") { addressFamily = .ipv4 }
        bindAddress = given.text("interface")
        if let limit = given.number("max-overall-download-limit"), limit > 0 {
            speedLimit = SpeedSchedule(bytesPerSecond: limit)
        }
        do throws(DownloadError) {
            if let path = given.netrcPath(home: home, isFile: isFile) { netrc = try files.netrc(path).netrc }
            if let path = given.text("load-cookies") {
                cookies = try files.cookies(path).store
            } else if given.text("save-cookies") != nil {
                cookies = CookieStore()
            }
        } catch {
            throw Aria2Failure(error.message)
        }
    }
}

extension Aria2Options {
    /// The number of downloads at once.
    package var maximumRunning: Int { Int(min(number("max-concurrent-downloads") ?? 5, 100)) }

    /// Connections to one host, of all downloads together: aria2 has a limit for each alone.
    package func maximumConnectionsPerHost(of downloads: [Aria2Options]) -> Int {
        let each = ([self] + downloads).compactMap(\.connections).max() ?? 1
        return max(8, min(Int(each) * maximumRunning, 64))
    }

    /// Returns the value of an option; nil if it is missing or empty.
    fileprivate func text(_ name: StaticString) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns the path of the netrc file. aria2 reads the default one without being asked to; one that is named must
    /// exist.
    fileprivate func netrcPath(home: String, isFile: (String) -> Bool) -> String? {
        if isTrue("no-netrc") { return nil }
        if let path = text("netrc-path") { return path }
        return isFile(home + "/.netrc") ? home + "/.netrc" : nil
    }

    /// Returns a proxy by the name of its environment variable, with the user name and password given in options of
    /// their own.
    fileprivate func proxy(_ variable: String) -> String? {
        switch variable {
        case "http_proxy": url(self["http-proxy"], self["http-proxy-user"], self["http-proxy-passwd"])
        case "https_proxy": url(self["https-proxy"], self["https-proxy-user"], self["https-proxy-passwd"])
        case "all_proxy": url(self["all-proxy"], self["all-proxy-user"], self["all-proxy-passwd"])
        default: nil
        }
    }

    private func url(_ address: String?, _ user: String?, _ password: String?) -> String? {
        guard let address, !address.isEmpty else { return nil }
        let bytes = Array(address.utf8)
        let sign = bytes.indices.first { bytes[$0...].starts(with: "://".utf8) }
        let scheme = sign.map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? "http"
        let rest = sign.map { bytes[($0 + 3)...] } ?? bytes[...]
        guard let user, !user.isEmpty else { return "\(scheme)://\(String(decoding: rest, as: UTF8.self))" }
        // These hold instead of those in the URL.
        let host = rest.lastIndex(of: UInt8(ascii: "@")).map { rest[($0 + 1)...] } ?? rest
        let login = [user, password ?? ""].map(Self.percentEncoded).joined(separator: ":")
        return "\(scheme)://\(login)@\(String(decoding: host, as: UTF8.self))"
    }

    private static func percentEncoded(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap {
            ASCII.isAlphanumeric($0) ? [$0] : [UInt8(ascii: "%"), digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
