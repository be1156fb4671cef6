package import PawlCore

/// A URL as tests write it. One that cannot be read ends the test.
extension HTTPURL: ExpressibleByStringInterpolation {
    package init(stringLiteral text: String) {
        guard let url = try? HTTPURL(parsing: text) else { preconditionFailure("“\(text)” is not a URL") }
        self = url
    }
}
