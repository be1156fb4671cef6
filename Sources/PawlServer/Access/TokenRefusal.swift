/// The reason why a client was not let in by the token.
enum TokenRefusal: Hashable, Sendable {
    case tokenRequired, wrongToken
    /// The token is wrong, and its address has sent too many wrong ones.
    case tooManyAttempts(seconds: Int)

    /// The code of the HTTP API.
    var code: String {
        switch self {
        case .tokenRequired: "tokenRequired"
        case .wrongToken: "wrongToken"
        case .tooManyAttempts: "tooManyAttempts"
        }
    }

    /// Waits before a refusal is answered, because guesses are to take time.
    static func holdBack() async { try? await Task.sleep(for: .seconds(1)) }
}
