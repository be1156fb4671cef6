import PawlCore
import Testing

/// FAULTS A.6 said a second time, as plainly as can be, and compared with the rule in every world of files of up to four bytes.
@Suite struct ResponseRuleSmallWorldTests {
    private enum Tag: String, CaseIterable {
        case strong = "\"v\""
        case weak = "W/\"v\""
        case other = "\"w\""
    }

    private struct Part {
        var first: Int64
        var last: Int64
        var total: Int64?
        var length: Int64?
        var tag: Tag?

        var head: ResponseHead {
            var fields = [HTTPField("Content-Range", "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")")]
            if let length { fields.append(HTTPField("Content-Length", "\(length)")) }
            if let tag { fields.append(HTTPField("ETag", tag.rawValue)) }
            return ResponseHead(status: 206, fields: fields)
        }
    }

    private static let totals: [Int64?] = [nil, 2, 3, 4]
    private static let tags: [Tag?] = [nil] + Tag.allCases

    private static let requests: [RangeRequest] = {
        var requests = [RangeRequest(start: 0, end: nil, isRanged: false)]
        for start in Int64(0)...1 {
            requests.append(RangeRequest(start: start, end: nil))
            for end in start + 1...3 { requests.append(RangeRequest(start: start, end: end)) }
        }
        return requests
    }()

    /// What may be known, and the condition that it allows or none.
    private static let knowledge: [(Representation?, RangeCondition)] = {
        var all: [(Representation?, RangeCondition)] = [(nil, .none)]
        for total in [nil, 2, 3] as [Int64?] {
            for tag in [nil, .strong, .weak] as [Tag?] {
                let known = Representation(total: total, entityTag: tag.flatMap { EntityTag(parsing: $0.rawValue) })
                all.append((known, .none))
                if tag == .strong { all.append((known, known.condition)) }
            }
        }
        return all
    }()

    private func forEachRule(_ body: (ResponseRule) -> Void) {
        for request in Self.requests {
            for (known, condition) in Self.knowledge {
                for digest in [false, true] {
                    for whole in [false, true] where !whole || known != nil {
                        var request = request
                        request.condition = condition
                        body(ResponseRule(request: request, known: known, hasExpectedDigest: digest, holdsEverything: whole))
                    }
                }
            }
        }
    }

    // MARK: 206

    /// A.6.2, a line for each of its demands.
    private func mayStore(_ part: Part, _ rule: ResponseRule) -> Bool {
        let known = rule.known
        guard rule.request.isRanged, part.first <= part.last else { return false }
        if let total = part.total, part.last >= total { return false }
        guard part.first == rule.request.start else { return false }
        if let end = rule.request.end, part.last >= end { return false }
        if let length = part.length, length != part.last - part.first + 1 { return false }
        if let total = known?.total {
            guard part.last < total, part.total == nil || part.total == total else { return false }
        }
        let isAll = part.total == part.last + 1
        guard let known else { return rule.hasExpectedDigest || isAll || part.tag == .strong || part.tag == .other }
        let isKnownStrong = known.entityTag.map { !$0.isWeak } ?? false
        if part.tag == .other, known.entityTag != nil {
            // V04: a digest of the whole excuses another node's tag, but not another length or none.
            return rule.hasExpectedDigest && part.total != nil && part.total == known.total
        }
        if isKnownStrong, part.tag == .strong { return true }
        if rule.hasExpectedDigest { return true }
        // Left out in answer to If-Range.
        if isKnownStrong { return rule.request.condition != .none && part.tag == nil && part.total != nil }
        // Nothing proves anything, so only what needs no proof: the whole, from byte zero.
        return part.first == 0 && isAll
    }

    @Test("R05 R06 R07 R08 R10 R11 R12 R13 a part is stored if it is all that A.6 demands, and else not")
    func parts() {
        var parts: [(Part, ResponseHead)] = []
        for first in Int64(0)...2 {
            for last in Int64(0)...3 {
                for total in Self.totals {
                    for tag in Self.tags {
                        // One tag is enough to see what a length does.
                        let lengths = tag == .strong ? [nil, last - first + 1, last - first + 2] : [nil]
                        for length in lengths where length ?? 0 >= 0 {
                            let part = Part(first: first, last: last, total: total, length: length, tag: tag)
                            parts.append((part, part.head))
                        }
                    }
                }
            }
        }
        var stored = 0
        forEachRule { rule in
            if rule.holdsEverything { return }
            for (part, head) in parts {
                let verdict = rule.judge(head)
                if case .partial(let range, let found) = verdict {
                    stored += 1
                    let isRight =
                        mayStore(part, rule) && range == ByteRange(part.first..<part.last + 1) && found.total == part.total
                    if !isRight { Issue.record("stored: \(part) for \(rule)") }
                } else if mayStore(part, rule) {
                    Issue.record("\(verdict): \(part) for \(rule)")
                }
                switch verdict {
                case .whole, .empty, .alreadyComplete, .redirect, .refused: Issue.record("\(verdict): \(part) for \(rule)")
                default: break
                }
            }
        }
        #expect(stored > 500, "the world is too small")
    }

    // MARK: 200

    @Test("R01 R02 R04 a 200 is the file from byte zero, and only where it can be the same file")
    func wholes() {
        forEachRule { rule in
            for total in Self.totals + [0] {
                for tag in Self.tags {
                    for isSlice in [false, true] {
                        var fields = total.map { [HTTPField("Content-Length", "\($0)")] } ?? []
                        if let tag { fields.append(HTTPField("ETag", tag.rawValue)) }
                        if isSlice { fields.append(HTTPField("Content-Range", "bytes 0-0/3")) }
                        let verdict = rule.judge(ResponseHead(status: 200, fields: fields))
                        let what = "\(verdict): 200 of \(String(describing: total)), \(String(describing: tag)) for \(rule)"
                        let differs = rule.known?.total.flatMap { known in total.map { $0 != known } } ?? false
                        switch verdict {
                        case .whole:
                            let isOther = rule.known?.entityTag != nil && tag == .other
                            if isSlice || differs || isOther || rule.request.condition != .none { Issue.record("\(what)") }
                            let isSame = tag == .strong && rule.known?.strongEntityTag != nil
                            let isFree = !(rule.known?.isCombinable ?? false) || rule.hasExpectedDigest
                            if !isSame, !isFree { Issue.record("\(what)") }
                        case .empty: if isSlice || rule.known != nil || total != 0 { Issue.record("\(what)") }
                        case .changed: if rule.known == nil || isSlice { Issue.record("\(what)") }
                        case .askWithoutRange: if !rule.request.isRanged { Issue.record("\(what)") }
                        case .askWithoutCondition: if rule.request.condition == .none { Issue.record("\(what)") }
                        case .bad: break
                        case .partial, .several, .startsEarly, .alreadyComplete, .redirect, .refused: Issue.record("\(what)")
                        }
                    }
                }
            }
        }
    }

    // MARK: 416

    @Test("R18 R20 R22 a 416 is an end only where all is held, or where no length was known and this is it")
    func unsatisfiable() {
        forEachRule { rule in
            for total in [nil, 0, 2, 3, 4] as [Int64?] {
                let fields = total.map { [HTTPField("Content-Range", "bytes */\($0)")] } ?? []
                let verdict = rule.judge(ResponseHead(status: 416, fields: fields))
                let what = "\(verdict): 416 of \(String(describing: total)) for \(rule)"
                switch verdict {
                case .alreadyComplete:
                    let isHeld = rule.holdsEverything && (total == nil || rule.known?.total == nil || total == rule.known?.total)
                    let isFound = rule.known != nil && rule.known?.total == nil && total == rule.request.start
                    if !isHeld, !isFound { Issue.record("\(what)") }
                case .empty: if total != 0 || rule.request.start != 0 || rule.known?.total ?? 0 != 0 { Issue.record("\(what)") }
                case .changed: if total == nil || rule.known == nil || total == rule.known?.total { Issue.record("\(what)") }
                case .askWithoutRange, .bad, .refused: break
                case .partial, .several, .whole, .startsEarly, .askWithoutCondition, .redirect: Issue.record("\(what)")
                }
            }
        }
    }
}
