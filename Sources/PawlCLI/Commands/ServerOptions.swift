import ArgumentParser
import Pawl
import PawlCore

/// What every command that asks a server takes.
struct ServerOptions: RequestOptions {
    @Option(
        help: ArgumentHelp("Send a header to the URL's own origin, never to another. May be repeated.", valueName: "Name: value"))
    var header: [String] = []

    @Option(help: ArgumentHelp("Trust the authorities in this PEM file instead of the system's.", valueName: "file"))
    var caCertificate: String?

    func apply(to request: inout DownloadRequest) throws(UsageError) {
        for text in header {
            let header = try Header(parsing: text)
            request.headers.append(HTTPField(header.name, header.value))
        }
    }

    func apply(to configuration: inout Downloader.Configuration, reading files: NamedFiles) {
        configuration.certificateAuthorityFile = caCertificate
        configuration.pemFiles = files.pem
    }

    var holdsSecrets: Bool { !header.isEmpty }
}

/// A header field as the user gave it. Whether it may be sent is for the library to say.
struct Header: Hashable, Sendable {
    var name: String
    var value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init(parsing text: String) throws(UsageError) {
        let bytes = text.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > bytes.startIndex else {
            // Not repeated: a header without its colon may be a bare token.
            throw UsageError("--header takes 'Name: value'; what was given has no name with a colon after it.")
        }
        name = String(decoding: bytes[..<colon], as: UTF8.self)
        // RFC 9112 §5: spaces and tabs around the value are no part of it. By bytes, as they are sent.
        value = String(decoding: ASCII.trimmingBlanks(Array(bytes[colon...].dropFirst())[...]), as: UTF8.self)
    }
}
