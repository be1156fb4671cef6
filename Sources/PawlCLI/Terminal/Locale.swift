import PawlSystem

/// The characters that the terminal can show.
enum Locale: Sendable {
    case utf8
    case ascii

    static let current = Locale(environment: Environment.value)

    /// Reads the locale: the first of these variables that is set and not empty decides (POSIX.1-2024 §8.2).
    init(environment: (String) -> String?) {
        let name = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty } ?? ""
        let codeset = name.lowercased()
        self = codeset.contains("utf-8") || codeset.contains("utf8") ? .utf8 : .ascii
    }
}
