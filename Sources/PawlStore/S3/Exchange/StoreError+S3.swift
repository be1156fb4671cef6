import PawlCore

extension StoreError {
    /// The error that a response means.
    ///
    /// - Parameter place: what was asked for, for people.
    init(_ response: S3Response, _ place: String) {
        let (status, document) = (response.head.status, response.document)
        let code = document.errorCode
        let short = code.isEmpty ? "status \(status)" : "\(Self.shown(code)), status \(status)"
        let said = document.text("Message").map { "\(Self.shown($0)) (\(short))" } ?? short
        switch (status, code) {
        case (_, "NoSuchBucket"):
            self.init(.refused, "There is no bucket for “\(place)”.")
        case (_, "InvalidAccessKeyId"), (_, "SignatureDoesNotMatch"), (_, "InvalidToken"), (_, "ExpiredToken"):
            self.init(.refused, "The store does not accept the credentials: \(said).")
        case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "XAmzContentChecksumMismatch"),
            (_, "InvalidDigest"):
            self.init(.damaged, "The bytes of “\(place)” changed on their way to the store.")
        case (403, _):
            self.init(.refused, "There are no rights to use “\(place)”: \(said).")
        case (501, _), (_, "NotImplemented"):
            self.init(.refused, "The store cannot do what a batch needs: \(said).")
        case (200..<300, _), (408, _), (409, _), (425, _), (429, _), (500..., _), (_, "RequestTimeout"),
            (_, "SlowDown"),
            (404, "NoSuchUpload"):
            self.init(.unavailable, "The store fails at “\(place)”: \(said).")
        default:
            self.init(.refused, "The store refuses “\(place)”: \(said).")
        }
    }

    /// - Parameter host: that was asked.
    init(_ failure: StoreExchange.Failure, _ host: String) {
        switch failure {
        case .transport(let error):
            self.init(.unavailable, "The store at “\(host)” is not reached: \(error.detail).")
        case .silent(let time):
            self.init(.unavailable, "The store at “\(host)” has said nothing for \(time.components.seconds) seconds.")
        case .storage(let error): self.init(error)
        }
    }

    /// A text of a server, in one line.
    private static func shown(_ text: String) -> String {
        var line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }.prefix(200)
        while let last = line.last, last == "." || last == " " { line.removeLast() }
        return String(String.UnicodeScalarView(line))
    }
}
