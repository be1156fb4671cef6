/// The completions that a shell offers for a word.
package enum OptionCompletion: Hashable, Sendable {
    /// The choices of the option, if it has any.
    case none
    case file
    case directory
    case words([String])
    /// The ids of the service's downloads.
    case ids
}
