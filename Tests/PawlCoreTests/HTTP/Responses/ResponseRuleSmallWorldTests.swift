import PawlCore
import Testing

/// An independent, literal restatement of the response rule, compared with the code in every world of files of up to
/// four bytes.
@Suite struct ResponseRuleSmallWorldTests {
    /// The `ETag` lines of an answer.
    private enum Tag: CaseIterable {
        case absent, strong, weak, other, empty, twice

        var lines: [String] {
            switch self {
            case .absent: []
            case .strong: ["\"v\""]
            case .weak: ["W/\"v\""]
            case .other: ["\"w\""]
            case .empty: ["\"\""]
            case .twice: ["\"v\"", "\"w\""]
            }
        }

        /// Whether the tag identifies a version, or would if it were strong.
        var isUsable: Bool { self == .strong || self == .weak || self == .other }
    }

    /// When the file was modified, according to an answer. Ten seconds settle an entity tag but prove nothing by
    /// themselves; an hour is proof.
    private enum Age: CaseIterable {
        case untold, settled, old, recent, undated

        var fields: [HTTPField] {
            let modified = HTTPField("Last-Modified", "Sat, 01 Jan 2022 00:00:00 GMT")
            return switch self {
            case .untold: []
            case .settled: [modified, HTTPField("Date", "Sat, 01 Jan 2022 00:00:10 GMT")]
            case .old: [modified, HTTPField("Date", "Sat, 01 Jan 2022 01:00:00 GMT")]
            case .recent: [modified, HTTPField("Date", "Sat, 01 Jan 2022 00:00:02 GMT")]
            case .undated: [modified]
            }
        }

        var isDoubtful: Bool { self == .recent || self == .undated }
        var showsDate: Bool { self == .settled || self == .old }
    }

    private struct Known {
        var total: Int64?
        var tag: Tag
        var age: Age

        var isCombinable: Bool { (tag == .strong || tag == .other) && !age.isDoubtful || age == .old }

        var representation: Representation {
            Representation(fields: tag.lines.map { HTTPField("ETag", $0) } + age.fields, total: total)
        }
    }

    private struct World {
        var known: Known?
        var rule: ResponseRule
    }

    private struct Answer {
        var tag: Tag
        var age: Age

        var fields: [HTTPField] { tag.lines.map { HTTPField("ETag", $0) } + age.fields }

        /// By a strong tag, or by a date that was an hour old when first shown, unless a tag stands beside it that was
        /// not there before.
        func isShownSame(as known: Known) -> Bool {
            guard known.isCombinable, !age.isDoubtful, !isShownOther(than: known) else { return false }
            if tag == known.tag, tag == .strong || tag == .other { return true }
            return known.age == .old && age.showsDate && (!tag.isUsable || known.tag.isUsable)
        }

        /// Weaker evidence, sufficient only in answer to a precondition: the weak tag of the first answer, or the date
        /// beside a new tag.
        func isLike(_ known: Known) -> Bool {
            guard known.age == .old, known.tag != .strong, known.tag != .other, !age.isDoubtful else { return false }
            return known.tag == .weak && (tag == .strong || tag == .weak) || age.showsDate
        }

        func isShownOther(than known: Known) -> Bool {
            tag.isUsable && known.tag.isUsable && (tag == .other) != (known.tag == .other)
        }
    }

    private struct Part {
        var first: Int64
        var last: Int64
        var total: Int64?
        var length: Int64?
        var answer: Answer

        var head: ResponseHead {
            var fields = [HTTPField("Content-Range", "bytes \(first)-\(last)/\(total.map(String.init) ?? "*")")]
            if let length { fields.append(HTTPField("Content-Length", "\(length)")) }
            return ResponseHead(status: 206, fields: fields + answer.fields)
        }
    }

    private static let totals: [Int64?] = [nil, 2, 3, 4]
    /// All ages for tags that count, and fewer for the others.
    private static let answers = Tag.allCases.flatMap { tag in
        (tag == .strong || tag == .absent ? Age.allCases : [.untold, .old, .recent]).map { Answer(tag: tag, age: $0) }
    }

    private static let requests: [RangeRequest] = {
        var requests = [RangeRequest(start: 0, end: nil, isRanged: false)]
        for start in Int64(0)...1 {
            requests.append(RangeRequest(start: start, end: nil))
            for end in start + 1...3 { requests.append(RangeRequest(start: start, end: end)) }
        }
        return requests
    }()

    private static let knowledge: [Known?] = {
        let tags: [Tag] = [.absent, .strong, .weak, .empty]
        return [nil]
            + [nil, 3].flatMap { total in
                tags.flatMap { tag in
                    (tag == .strong ? Age.allCases : [.untold, .old, .recent]).map {
                        Known(total: total, tag: tag, age: $0)
                    }
                }
            }
    }()

    private static let worlds: [World] = requests.flatMap { request in
        knowledge.flatMap { known in
            [false, true].flatMap { digest in
                [false, true].flatMap { whole in worlds(request, known, digest, whole) }
            }
        }
    }

    private static func worlds(_ request: RangeRequest, _ known: Known?, _ digest: Bool, _ whole: Bool) -> [World] {
        guard !whole || known != nil else { return [] }
        let conditions: [RangeCondition] =
            known.map { $0.isCombinable ? [.none, $0.representation.condition] : [.none] } ?? [.none]
        return conditions.map { condition in
            var request = request
            request.condition = condition
            return World(
                known: known,
                rule: ResponseRule(
                    request: request, known: known?.representation, hasExpectedDigest: digest, holdsEverything: whole))
        }
    }

    // MARK: 206

    /// Demands on the position of a part, one per line.
    private func isWhereAsked(_ part: Part, _ world: World) -> Bool {
        let request = world.rule.request
        guard request.isRanged, part.first <= part.last, part.first == request.start else { return false }
        if let total = part.total, part.last >= total { return false }
        if let end = request.end, part.last >= end { return false }
        if let length = part.length, length != part.last - part.first + 1 { return false }
        guard let total = world.known?.total else { return true }
        return part.last < total && (part.total == nil || part.total == total)
    }

    /// Demands on the identity of a part's bytes.
    private func mayStore(_ part: Part, _ world: World) -> Bool {
        guard isWhereAsked(part, world) else { return false }
        let digest = world.rule.hasExpectedDigest
        let isAll = part.total == part.last + 1
        guard let known = world.known else {
            let identifiesItself =
                (part.answer.tag == .strong || part.answer.tag == .other) && !part.answer.age.isDoubtful
                || part.answer.age == .old
            return digest || isAll || identifiesItself
        }
        // V04: a digest of the whole excuses another node's tag, but neither a different length nor a missing one.
        if part.answer.isShownOther(than: known) { return digest && part.total != nil && part.total == known.total }
        if part.answer.isShownSame(as: known) || digest { return true }
        // V22: a server may have compared the condition, but may as well have ignored it.
        if known.isCombinable {
            return world.rule.request.condition != .none && part.total != nil && part.answer.isLike(known)
        }
        // Without any proof, only the whole file from byte zero is acceptable.
        return part.first == 0 && isAll
    }

    private static let parts: [Part] = (Int64(0)...2).flatMap { first in
        (Int64(0)...3).flatMap { last in
            totals.flatMap { total in
                answers.flatMap { answer in
                    // One answer suffices to show the effect of a length.
                    let lengths =
                        answer.tag == .strong && answer.age == .untold
                        ? [nil, last - first + 1, last - first + 2] : [nil]
                    return lengths.filter { $0 ?? 0 >= 0 }.map {
                        Part(first: first, last: last, total: total, length: $0, answer: answer)
                    }
                }
            }
        }
    }

    @Test
    func
        `R05 R06 R07 R08 R10 R11 R12 R13 V19 V20 V21 V22 a part is stored exactly if it meets every demand of the rule`()
    {
        let heads = Self.parts.map { ($0, $0.head) }
        var stored = 0
        for world in Self.worlds where !world.rule.holdsEverything {
            for (part, head) in heads {
                let verdict = world.rule.judge(head)
                if case .partial(let range, let found) = verdict {
                    stored += 1
                    let isRight =
                        mayStore(part, world) && range == ByteRange(part.first..<part.last + 1)
                        && found.total == part.total
                    if !isRight { Issue.record("stored: \(part) for \(world)") }
                } else if mayStore(part, world) {
                    Issue.record("\(verdict): \(part) for \(world)")
                }
                switch verdict {
                case .whole, .empty, .alreadyComplete, .askForLastBytes, .redirect, .refused:
                    Issue.record("\(verdict): \(part) for \(world)")
                default: break
                }
            }
        }
        #expect(stored > 5000, "the world is too small")
    }

    // MARK: 200

    @Test func `R01 R02 R04 V19 V20 V21 a 200 is the file from byte zero, and only if it can be the same file`() {
        for world in Self.worlds {
            for total in Self.totals + [0] {
                for answer in Self.answers {
                    for isSlice in [false, true] { judgeWhole(world, total, answer, isSlice: isSlice) }
                }
            }
        }
    }

    private func judgeWhole(_ world: World, _ total: Int64?, _ answer: Answer, isSlice: Bool) {
        var fields = total.map { [HTTPField("Content-Length", "\($0)")] } ?? []
        if isSlice { fields.append(HTTPField("Content-Range", "bytes 0-0/3")) }
        let rule = world.rule
        let verdict = rule.judge(ResponseHead(status: 200, fields: fields + answer.fields))
        func demand(_ holds: Bool) {
            if !holds { Issue.record("\(verdict): 200 of \(String(describing: total)), \(answer) for \(world)") }
        }
        let differs = world.known?.total.flatMap { known in total.map { $0 != known } } ?? false
        switch verdict {
        case .whole:
            let isOther = world.known.map(answer.isShownOther) ?? false
            demand(!isSlice && !differs && !isOther && rule.request.condition == .none)
            demand(world.known.map { answer.isShownSame(as: $0) || !$0.isCombinable } ?? true || rule.hasExpectedDigest)
        case .empty: demand(!isSlice && world.known == nil && total == 0)
        case .changed: demand(world.known != nil && !isSlice)
        case .askWithoutRange: demand(rule.request.isRanged)
        case .askWithoutCondition: demand(rule.request.condition != .none)
        // Some known bytes exist, and a request for a part would bring no more.
        case .unproven: demand(world.known != nil && !rule.request.isRanged && !isSlice && !differs)
        case .bad: break
        case .partial, .several, .startsEarly, .alreadyComplete, .askForLastBytes, .redirect, .refused: demand(false)
        }
    }

    // MARK: 416

    @Test
    func
        `R18 R20 R22 R29 a 416 ends the download only if all bytes are held, or if it belongs to this file, whose length was unknown`()
    {
        for world in Self.worlds {
            for total in [nil, 0, 2, 3, 4] as [Int64?] {
                for answer in Self.answers { judgeUnsatisfiable(world, total, answer) }
            }
        }
    }

    private func judgeUnsatisfiable(_ world: World, _ total: Int64?, _ answer: Answer) {
        let fields = total.map { [HTTPField("Content-Range", "bytes */\($0)")] } ?? []
        let rule = world.rule
        let verdict = rule.judge(ResponseHead(status: 416, fields: fields + answer.fields))
        func demand(_ holds: Bool) {
            if !holds { Issue.record("\(verdict): 416 of \(String(describing: total)), \(answer) for \(world)") }
        }
        let isAtEnd = world.known.map { $0.total == nil && total == rule.request.start } ?? false
        let isOther = world.known.map(answer.isShownOther) ?? false
        let isProven = world.known.map(answer.isShownSame) ?? false || rule.hasExpectedDigest
        switch verdict {
        case .alreadyComplete:
            let isHeld =
                rule.holdsEverything && (total == nil || world.known?.total == nil || total == world.known?.total)
            demand(isHeld && !(total != nil && isOther && !rule.hasExpectedDigest) || isAtEnd && isProven && !isOther)
        case .askForLastBytes: demand(isAtEnd && !isProven && !isOther)
        case .empty: demand(total == 0 && rule.request.start == 0 && world.known?.total ?? 0 == 0)
        case .changed:
            let isShorter =
                world.known == nil && rule.request.start > 0 && total.map { $0 <= rule.request.start } ?? false
            demand(total != nil && (isShorter || isOther || world.known != nil && total != world.known?.total))
        case .askWithoutRange, .bad, .refused: break
        case .partial, .several, .whole, .unproven, .startsEarly, .askWithoutCondition, .redirect: demand(false)
        }
    }
}
