/// The words of one remedy: half a sentence for each shell, so that several remedies make one sentence.
package struct RemedyWords: Hashable, Sendable {
    /// The command that resumes a failed download of the service after the remedy, around the download's id.
    package enum NextStep: Hashable, Sendable {
        case retry
        case change(String)
    }

    /// The words for clients of the API.
    package let service: String
    /// The words for the command, which name a flag or a command.
    package let command: String
    /// The command that resumes the download; nil if none does.
    package let nextStep: NextStep?

    /// - Parameter command: defaults to the words of the service.
    init(_ service: String, command: String? = nil, then nextStep: NextStep? = nil) {
        (self.service, self.command, self.nextStep) = (service, command ?? service, nextStep)
    }

    /// - Parameter flag: what the command's words name in addition.
    init(_ service: String, with flag: String, then nextStep: NextStep? = nil) {
        self.init(service, command: "\(service) with \(flag)", then: nextStep)
    }

    /// Returns a remedy after which the download is started once more.
    static func repeating(_ clause: String, then nextStep: NextStep = .retry) -> Self {
        .init("\(clause) and retry", command: "\(clause) and run it again", then: nextStep)
    }

    /// Joins clauses: `Use this, do that, or try the other.`
    ///
    /// - Returns: nil if there are none.
    package static func sentence(_ clauses: [String]) -> String? {
        guard let last = clauses.last else { return nil }
        let text = clauses.count == 1 ? last : clauses.dropLast().joined(separator: ", ") + ", or " + last
        // Clauses begin with a letter of ASCII.
        return String(decoding: text.utf8.prefix(1), as: UTF8.self).uppercased()
            + String(decoding: text.utf8.dropFirst(), as: UTF8.self) + "."
    }
}
