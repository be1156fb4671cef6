/// The list of domains under which anybody can have a name of their own, such as `co.uk` and `github.io`
/// (publicsuffix.org): a cookie for one of those would be sent to strangers.
package struct PublicSuffixList: Hashable, Sendable {
    private var names: Set<String> = []
    /// Suffixes with a wildcard, without it: `ck` for the rule `*.ck`.
    private var wildcards: Set<String> = []
    /// Exceptions from wildcards, without the mark: `www.ck` for the rule `!www.ck`.
    private var exceptions: Set<String> = []

    /// Parses a list: one rule a line, up to the first blank; `//` begins a comment.
    package init(parsing text: String) {
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let word = line.drop(while: ASCII.isBlank).prefix { !ASCII.isBlank($0) }
            guard let first = word.first, !word.starts(with: "//".utf8) else { continue }
            let isException = first == UInt8(ascii: "!")
            let isWildcard = word.starts(with: "*.".utf8)
            let name = word.dropFirst(isException ? 1 : isWildcard ? 2 : 0)
            guard let rule = Punycode.encode(domain: String(decoding: name, as: UTF8.self).lowercased()), !rule.isEmpty
            else { continue }
            if isException {
                exceptions.insert(rule)
            } else if isWildcard {
                wildcards.insert(rule)
            } else {
                names.insert(rule)
            }
        }
    }

    /// Whether the list holds any rule. A truncated file, or another kind of file, must not make every domain private.
    package var isEmpty: Bool { names.isEmpty }

    /// Whether strangers can have names below `domain`, which is in lower case and ASCII. The root's dot at its end
    /// changes nothing: `co.uk.` is as public as `co.uk` (CVE-2022-27779).
    package func isPublic(_ domain: String) -> Bool { isPublicName(Self.withoutRoot(domain)) }

    private func isPublicName(_ domain: String) -> Bool {
        if exceptions.contains(domain) { return false }
        // Names below `*.kobe.jp` are registered by strangers, so `kobe.jp` is public as well.
        if names.contains(domain) || wildcards.contains(domain) { return true }
        guard let dot = domain.firstIndex(of: ".") else {
            // The rule that is always there is `*`: a name without a dot is a top-level domain.
            return true
        }
        return wildcards.contains(String(domain[domain.index(after: dot)...]))
    }

    /// The domain that somebody has registered and `host` belongs to: one label more than the longest public suffix.
    /// A host that is itself a public suffix, or has no other name above it, is its own.
    package func registrableDomain(of host: String) -> String {
        let labels = Self.withoutRoot(host).split(separator: ".", omittingEmptySubsequences: false)
        var found = labels.suffix(Self.maximumLabels).joined(separator: ".")
        for count in stride(from: min(labels.count, Self.maximumLabels), to: 0, by: -1) {
            let suffix = labels.suffix(count).joined(separator: ".")
            if isPublicName(suffix) { return found }
            found = suffix
        }
        return found
    }

    /// No rule of the list is as long.
    private static let maximumLabels = 8

    /// Returns a domain without one dot at the end.
    package static func withoutRoot(_ domain: String) -> String {
        domain.utf8.last == UInt8(ascii: ".") ? String(domain.utf8.dropLast()) ?? domain : domain
    }
}
