import PawlSystem

/// libarchive takes names through the locale, and asks it whether they are UTF-8 (the zip writer's flag bit 11). A
/// library does not change the process's: only this thread gets one, and only for as long as needed (uselocale(3)).
enum TextLocale {
    /// Runs `body` with names being UTF-8, where the system has such a locale; every one of today has.
    static func withUTF8<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard let locale else { return try body() }
        let previous = uselocale(locale)
        defer { uselocale(previous) }
        return try body()
    }

    /// The locale for the life of the process, as making one opens and maps a file each time. It never changes, and any
    /// number of threads may use it (newlocale(3)).
    nonisolated(unsafe) private static let locale: locale_t? = {
        #if canImport(Darwin)
        let mask = Int32(LC_CTYPE_MASK)
        #else
        // Glibc's definition is an expression that Swift does not import; `1 << LC_CTYPE` is what it says.
        let mask = Int32(1) << Int32(LC_CTYPE)
        #endif
        for name in ["C.UTF-8", "UTF-8", "en_US.UTF-8"] {
            if let locale = newlocale(mask, name, nil) { return locale }
        }
        return nil
    }()
}
