import PawlCore

extension MeddlingStory.World {
    typealias Trouble = MeddlingStory.Trouble

    /// A server with these troubles.
    static func origin(_ troubles: Set<Trouble>, main: Trouble, _ random: inout SplitMix64) -> SimulatedOrigin {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        func bytes(_ count: Int) -> [UInt8] { SimulatedOrigin.content(count, seed: random.next()) }
        let size = 8192 + pick([20_000, 90_000][pick(2)])
        var origin = SimulatedOrigin(versions: [
            .init(bytes: bytes(size), entityTag: "\"one\"", lastModified: "Sat, 01 Jan 2022 00:00:00 GMT")
        ])
        if pick(3) == 0 || !troubles.isDisjoint(with: [.sameSecond, .oddTags, .denials, .shorter]) {
            let newSize = pick(2) == 0 || !troubles.isDisjoint(with: [.sameSecond, .oddTags]) ? size : 1 + pick(size)
            origin.versions.append(
                .init(bytes: bytes(newSize), entityTag: "\"two\"", lastModified: "Sun, 01 Jan 2023 00:00:00 GMT"))
            origin.replacedAt = .zero + .milliseconds(pick(6000))
        }
        origin.bytesPerSecond = Int64([8000, 30_000, 200_000][pick(3)] + pick(20_000))
        origin.chunk = [700, 1448, 4096][pick(3)]
        origin.latency = .milliseconds(1 + pick(60))
        if pick(4) == 0 { origin.diesMidBody = 0.2 }
        if pick(6) == 0 { origin.refuses = 0.1 }
        if pick(6) == 0 { origin.redirects = 1 + pick(2) }
        if pick(8) == 0 { origin.validator = [.weakAndDate, .dateOnly, .none][pick(3)] }
        if pick(10) == 0 { origin.sendsLength = false }
        if pick(10) == 0 { origin.honoursIfRange = false }
        if troubles.contains(.sameSecond) { makeSameSecond(&origin, &random) }
        if troubles.contains(.oddTags) { makeOddTags(&origin, &random) }
        if troubles.contains(.stale) { makeStale(&origin, &random) }
        if main == .denials { makeDenials(&origin, &random) }
        if main == .shorter { makeShorter(&origin, &random) }
        return origin
    }

    /// Tags and dates derived from the modification time in seconds and the length, as nginx does.
    private static func makeSameSecond(_ origin: inout SimulatedOrigin, _ random: inout SplitMix64) {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        origin.replacements = [.zero + .milliseconds(20 + pick(970))]
        if pick(2) == 0 {
            // A third version, which anyone can tell from the others.
            let bytes = SimulatedOrigin.content(origin.versions[1].bytes.count, seed: random.next())
            origin.versions.append(.init(bytes: bytes, entityTag: "", lastModified: ""))
            origin.replacements.append(.zero + .milliseconds(1000 + pick(5000)))
        }
        for index in origin.versions.indices {
            let changed = 1_700_000_000 + (index == 0 ? 0 : origin.replacements[index - 1].nanoseconds / 1_000_000_000)
            origin.versions[index].entityTag =
                "\"\(String(changed, radix: 16))-\(String(origin.versions[index].bytes.count, radix: 16))\""
            origin.versions[index].lastModified = HTTPDate(secondsSinceEpoch: changed).imfFixdate
        }
        origin.validator = pick(5) == 0 ? .dateOnly : .strong
        origin.clock = [.right, .right, .behind(seconds: Int64(1 + pick(90))), .none][pick(4)]
    }

    private static func makeOddTags(_ origin: inout SimulatedOrigin, _ random: inout SplitMix64) {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        origin.validator = .strong
        origin.tagStyle = [.empty, .empty, .empty, .unquoted, .twoLines][pick(5)]
        origin.honoursIfRange = pick(2) == 0
    }

    private static func makeStale(_ origin: inout SimulatedOrigin, _ random: inout SplitMix64) {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        origin.closesKept = 1 + pick(4)
        if pick(3) > 0 { origin.redirects = 1 + pick(2) }
        if pick(3) == 0 { origin.asksForLogin = true }
    }

    /// A file of unknown length whose bodies are cut where a later version ends.
    private static func makeDenials(_ origin: inout SimulatedOrigin, _ random: inout SplitMix64) {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        origin.sendsLength = false
        origin.showsTotal = pick(4) == 0
        let cut = min(origin.versions[1].bytes.count, origin.versions[0].bytes.count - 1)
        if pick(3) > 0 { origin.cutsAt = cut }
        if pick(2) == 0 { origin.replacements[0] = .zero + .milliseconds(pick(1000)) }
        origin.showsTagOf416 = pick(3) > 0
        switch pick(3) {
        case 0: origin.honoursIfRange = false
        case 1: origin.refusesIfRange = true
        default: break
        }
    }

    private static func makeShorter(_ origin: inout SimulatedOrigin, _ random: inout SplitMix64) {
        func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
        origin.validator = [.none, .none, .weakOnly, .strong][pick(4)]
        origin.ranges = [.ignored, .ignored, .honoured][pick(3)]
        origin.sendsLength = pick(2) == 0
        origin.sendsLengthOfLast = pick(2) == 0
        origin.showsTotal = origin.sendsLength
        let count = origin.versions[0].bytes.count
        origin.versions[1].bytes = Array(origin.versions[1].bytes.prefix(1 + pick(count - 1)))
        if pick(2) == 0 {
            origin.cutsAt = origin.versions[1].bytes.count + pick(count - origin.versions[1].bytes.count)
        }
    }
}
