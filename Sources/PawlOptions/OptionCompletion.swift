/// The completions that a shell offers for a word.
package enum OptionCompletion: Hashable, Sendable {
    /// Nothing, or the choices of the option.
    case none
    case file
    case directory
    case words([String])
    /// The ids of the service's downloads.
    case ids
}
