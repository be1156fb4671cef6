internal import NIOSSL
internal import PawlCore
internal import PawlEngine
internal import PawlSystem

/// The certificate authorities that variables of the environment name, read as curl reads them: `CURL_CA_BUNDLE`, else
/// `SSL_CERT_FILE` and `SSL_CERT_DIR`, which are OpenSSL's.
///
/// ```swift
/// import Foundation
///
/// var configuration = Downloader.Configuration()
/// configuration.authorityVariables = AuthorityVariables { ProcessInfo.processInfo.environment[$0] }
/// ```
public struct AuthorityVariables: Hashable, Sendable {
    struct Variable: Hashable, Sendable {
        let name: String
        let path: String
    }

    /// A PEM file, whose authorities are trusted instead of those in the system's file.
    let file: Variable?
    /// Directories with colons between, each with names that `openssl rehash` makes.
    let directories: Variable?

    /// - Parameter value: the value of a variable.
    /// - Returns: nil if none of the variables has a value.
    public init?(_ value: (String) -> String?) {
        func variable(_ name: String) -> Variable? {
            guard let path = value(name), !path.isEmpty else { return nil }
            return Variable(name: name, path: path)
        }
        let bundle = variable("CURL_CA_BUNDLE")
        file = bundle ?? variable("SSL_CERT_FILE")
        directories = bundle == nil ? variable("SSL_CERT_DIR") : nil
        if file == nil, directories == nil { return nil }
    }

    /// The system's directory, which a file does not replace.
    private static let systemDirectory = "/etc/ssl/certs"

    func apply(to configuration: inout TLSConfiguration, _ files: PEMFiles) throws(TransportError) {
        let paths = directories?.path ?? (file == nil ? "" : Self.systemDirectory)
        var directories = paths.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
            .filter(FileKind.isDirectory)[...]
        var found: [NIOSSLCertificate] = []
        if let file {
            found = try CertificateAuthorities.read(file.path, "$\(file.name) file", files)
            // OpenSSL looks authorities up in one directory, when a server's certificate needs them.
            configuration.trustRoots = directories.popFirst().map { .file($0) } ?? .certificates([])
        }
        found += directories.flatMap { CertificateAuthorities.read(inDirectory: $0, files) }
        configuration.additionalTrustRoots.append(.certificates(found))
    }

    /// The variables, for the message about a certificate that none of their authorities has signed.
    var shown: String {
        let names = [file, directories].compactMap { $0.map { "$\($0.name) (\($0.path))" } }
        return "the trusted authorities are those of \(names.joined(separator: " and "))"
    }
}
