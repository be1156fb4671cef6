import PawlCore

extension HTTPURL {
    /// Returns the text as it is: what converts a host is a library of the system, and no parser of ours.
    static func convertingHost(_ text: String) -> String { text }
}
