import Logging
import PawlCore

/// The line for what an answer means, where it means more than that its bytes are stored or that something else will
/// say it.
struct VerdictLine {
    let message: Logger.Message
    var metadata: Logger.Metadata = [:]

    init?(_ verdict: Verdict?, status: Int) {
        switch verdict {
        // Told when the bytes are stored, when the redirect is followed.
        case .partial, .several, .whole, .redirect: return nil
        case .empty: message = "The file is empty"
        case .changed(let difference, _):
            message = "The server has a different file now"
            metadata["difference"] = "\(difference.rawValue)"
        case .unproven: message = "Nothing proves that this is the same file"
        case .alreadyComplete: message = "The file is complete already"
        case .startsEarly(let position):
            message = "The part starts too early; asking from there"
            metadata["position"] = "\(position)"
        case .askForLastBytes: message = "Asking for the last bytes again to compare them"
        case .askWithoutRange(let problem):
            message = "Asking again without a range"
            metadata["problem"] = "\(problem.rawValue)"
        case .askWithoutCondition: message = "Asking again without If-Range"
        case .refused(let refusal): (message, metadata) = Self.refused(refusal)
        case .bad(let problem):
            message = "The answer cannot be used"
            metadata["problem"] = "\(problem.rawValue)"
        case nil: return nil
        }
    }

    private static func refused(_ refusal: Refusal) -> (Logger.Message, Logger.Metadata) {
        switch refusal {
        case .unauthorized: ("The server requires credentials, or other ones", [:])
        case .notFound: ("The server does not have the file", [:])
        case .busy: ("The server is busy", [:])
        case .temporary: ("The server has a temporary error", [:])
        case .captivePortal: ("The network requires a login first", [:])
        case .other: ("The server refuses the request", [:])
        }
    }
}
