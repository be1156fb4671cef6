package import PawlCore

/// Signatures of AWS, version 4: `AWS4-HMAC-SHA256`, in the `Authorization` field.
///
/// As for S3: the path is signed as it is sent, and the digest of the content is a field.
package struct SignatureV4 {
    package let credentials: AWSCredentials
    package let region: String
    package let service: String

    package init(_ credentials: AWSCredentials, region: String, service: String = "s3") {
        (self.credentials, self.region, self.service) = (credentials, region, service)
    }

    /// Returns the fields of a request, signed.
    ///
    /// - Parameters:
    ///   - url: its query is in the order of its names, each with `=`.
    ///   - fields: all of them are signed.
    ///   - contentDigest: the SHA-256 of the content; of no content, that of no bytes.
    package func sign(
        _ method: String, _ url: HTTPURL, _ fields: [HTTPField], contentDigest: [UInt8], at time: HTTPDate
    ) -> [HTTPField] {
        let (time, digest) = (time.basicISO8601, contentDigest.hexadecimal)
        var fields = fields + [HTTPField("x-amz-content-sha256", digest), HTTPField("x-amz-date", time)]
        if let token = credentials.sessionToken { fields.append(HTTPField("x-amz-security-token", token)) }
        // The values are ours, without blanks to fold.
        let signed = (fields + [HTTPField("host", url.authority)]).map { (name: $0.name.lowercased(), value: $0.value) }
            .sorted { ExactText($0.name) < ExactText($1.name) }
        let names = signed.map(\.name).joined(separator: ";")
        let lines = signed.map { "\($0.name):\($0.value)\n" }.joined()
        let request = [method, url.path, url.query ?? "", lines, names, digest].joined(separator: "\n")
        let day = String(decoding: time.utf8.prefix(8), as: UTF8.self)
        let scope = "\(day)/\(region)/\(service)/aws4_request"
        let toSign = ["AWS4-HMAC-SHA256", time, scope, SHA256.hash(Array(request.utf8)).hexadecimal]
            .joined(separator: "\n")
        let key = [day, region, service, "aws4_request"].reduce(Array("AWS4\(credentials.secretAccessKey)".utf8)) {
            SHA256.authenticationCode(of: Array($1.utf8), key: $0)
        }
        let signature = SHA256.authenticationCode(of: Array(toSign.utf8), key: key).hexadecimal
        fields.append(
            HTTPField(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(names), Signature=\(signature)"
            ))
        return fields
    }
}
