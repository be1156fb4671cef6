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
        case (403, _):
            self.init(.refused, "There are no rights to use “\(place)”: \(said).")
        case (501, _), (_, "NotImplemented"):
            self.init(.refused, "The store cannot do what a batch needs: \(said).")
        case (200..<300, ""):
            self.init(.unavailable, "For “\(place)” there was an answer that no store gives (\(short)).")
        case (301, _):
            let server = document.text("Endpoint").map { " at “\(Self.shown($0))”" } ?? ""
            self.init(
                .refused, "“\(place)” is elsewhere\(server): set $AWS_REGION, or $AWS_ENDPOINT_URL_S3 (\(short)).")
        // The bytes had the right digest when they left.
        case (_, "BadDigest"), (_, "XAmzContentSHA256Mismatch"), (_, "XAmzContentChecksumMismatch"),
            (_, "InvalidDigest"):
            self.init(.unavailable, "The bytes of “\(place)” changed on their way to the store.")
        case (200..<300, _), (307, _), (408, _), (409, _), (425, _), (429, _), (500..., _), (_, "RequestTimeout"),
            (_, "SlowDown"), (404, "NoSuchUpload"):
            self.init(.unavailable, "The store fails at “\(place)”: \(said).")
        default:
            self.init(.refused, "The store refuses “\(place)”: \(said).")
        }
    }

    /// - Parameter host: that was asked.
    init(_ failure: StoreExchange.Failure, _ host: String) {
        switch failure {
        case .transport(let error):
            // No other try helps where something else listens, or nobody may pass.
            let isFinal = [.notTLS, .denied, .proxyRefused].contains(error.reason)
            self.init(isFinal ? .refused : .unavailable, "“\(host)” is not reached: \(error.detail).")
        case .silent(let time):
            self.init(.unavailable, "“\(host)” has said nothing for \(time.components.seconds) seconds.")
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
