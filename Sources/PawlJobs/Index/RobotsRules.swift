package import PawlCore

/// The rules of a server's robots.txt for a program of one name (RFC 9309).
package struct RobotsRules: Hashable, Sendable {
    private struct Rule: Hashable, Sendable {
        var pattern: [UInt8]
        var allows: Bool
    }

    private var rules: [Rule] = []

    /// The rules of a server that has no robots.txt (§2.3.1.3).
    package static let everything = RobotsRules(rules: [])

    private init(rules: [Rule]) { self.rules = rules }

    /// - Parameter agent: the product token; in lower case.
    package init(parsing bytes: [UInt8], for agent: String) {
        var own: [Rule]?
        var others: [Rule] = []
        // Of the group that is being read: whom it is for, and whether its rules have begun.
        var (isOwn, isOthers, hasRules) = (false, false, false)
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            let line = line.prefix { $0 != UInt8(ascii: "#") }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let field = ASCII.lowercased(Substring(decoding: ASCII.trimmingBlanks(line[..<colon]), as: UTF8.self).utf8)
            let value = Array(ASCII.trimmingBlanks(line[(colon + 1)...]))
            switch field {
            case "user-agent":
                if hasRules { (isOwn, isOthers, hasRules) = (false, false, false) }
                let name = value.prefix { ASCII.isAlphanumeric($0) || "-_*".utf8.contains($0) }.map {
                    ASCII.lowercased($0)
                }
                if name.elementsEqual(agent.utf8) {
                    isOwn = true
                    own = own ?? []
                }
                if name.elementsEqual("*".utf8) { isOthers = true }
            case "allow", "disallow":
                hasRules = true
                guard !value.isEmpty else { continue }
                let rule = Rule(pattern: value, allows: field.isExactly("allow"))
                if isOwn { own?.append(rule) }
                if isOthers { others.append(rule) }
            default: break
            }
        }
        rules = own ?? others
    }

    /// Whether the longest rule that matches allows the URL; of two as long, the one that allows (§2.2.2).
    ///
    /// - Parameter budget: lowered by the number of bytes that were compared. Hostile rules take many: once it is used
    ///   up, nothing is allowed.
    package func allows(_ url: HTTPURL, _ budget: inout Int) -> Bool {
        let target = Array(url.requestTarget.utf8)
        var (longest, isAllowed) = (-1, true)
        for rule in rules where rule.pattern.count >= longest {
            if rule.pattern.count == longest, isAllowed { continue }
            guard Self.matches(rule.pattern[...], target[...], &budget) else { continue }
            (longest, isAllowed) = (rule.pattern.count, rule.allows)
        }
        return isAllowed && budget > 0
    }

    /// `*` stands for any bytes, and `$` at the end for the end.
    private static func matches(
        _ pattern: ArraySlice<UInt8>, _ target: ArraySlice<UInt8>, _ budget: inout Int
    ) -> Bool {
        let isWhole = pattern.last == UInt8(ascii: "$")
        var parts = (isWhole ? pattern.dropLast() : pattern).split(
            separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
        let first = parts.removeFirst()
        guard starts(target, with: first, &budget) else { return false }
        var rest = target.dropFirst(first.count)
        guard let last = parts.popLast() else { return !isWhole || rest.isEmpty }
        for part in parts {
            guard let found = place(of: part, in: rest, &budget) else { return false }
            rest = rest[(found + part.count)...]
        }
        guard isWhole else { return place(of: last, in: rest, &budget) != nil }
        return rest.count >= last.count && starts(rest.suffix(last.count), with: last, &budget)
    }

    private static func place(
        of part: ArraySlice<UInt8>, in bytes: ArraySlice<UInt8>, _ budget: inout Int
    ) -> Int? {
        guard bytes.count >= part.count else { return nil }
        for start in bytes.startIndex...(bytes.endIndex - part.count)
        where starts(bytes[start...], with: part, &budget) { return start }
        return nil
    }

    private static func starts(
        _ bytes: ArraySlice<UInt8>, with part: ArraySlice<UInt8>, _ budget: inout Int
    ) -> Bool {
        budget -= 1
        guard budget > 0, bytes.count >= part.count else { return false }
        for (byte, expected) in zip(bytes, part) {
            budget -= 1
            if byte != expected { return false }
        }
        return true
    }
}
