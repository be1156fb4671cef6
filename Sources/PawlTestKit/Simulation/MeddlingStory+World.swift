import PawlCore
import PawlEngine

extension MeddlingStory {
    /// A download that the story wants, and the server of it.
    struct Wanted: Sendable {
        var settings: DownloadSettings
        /// The caller's choice; nil leaves the name to the server.
        var fileName: String?
        /// The name that the file should get, whoever chooses it.
        var name: String
        /// The route to its server.
        var route: String
    }

    /// Servers and wanted downloads: everything that stays the same from one life to the next.
    struct World {
        private(set) var wanted: [Wanted] = []
        private(set) var origins: [String: SimulatedOrigin] = [:]
        /// Answers every request that none of `origins` is for.
        private(set) var anyone = SimulatedOrigin(versions: [])
        let ifExists: ExistingFilePolicy
        /// Only where there are two files, whose names a disk may take for one.
        let folding: SimulatedDisk.NameFolding
        /// Every server has reached its last version by then.
        let settledAt = Instant.zero + .seconds(12)

        init(
            _ troubles: Set<Trouble>, main: Trouble, blindness: Blindness?, _ folding: SimulatedDisk.NameFolding,
            _ random: inout SplitMix64
        ) {
            ifExists = [.fail, .fail, .rename, .skip, .replace][Int(random.next() % 5)]
            let form = Int(random.next() % 3)
            var names =
                troubles.contains(.twins)
                ? [["a.bin", "b.bin"], ["file.bin", "file.bin"]][Int(random.next() % 2)] : ["file.bin"]
            self.folding = names.first == "a.bin" ? folding : .none
            switch self.folding {
            case .none: break
            case .forms: names = ["\u{e9}.bin", "e\u{301}.bin"]
            case .caseAndForms: names = ["A.bin", "a.bin"]
            }
            // The name comes from the server, the caller or the URL.
            let naming = Int(random.next() % 3)
            if naming == 2 { names = names.map { _ in "file.bin" } }
            for (index, name) in names.enumerated() {
                var origin = Self.origin(troubles, main: main, &random)
                if blindness == .clock { origin.clock = .behind(seconds: -300) }
                if blindness == .tags { origin.tagStyle = .constant }
                if naming == 0 {
                    origin.fields = [HTTPField("Content-Disposition", "attachment; filename=\"\(name)\"")]
                }
                var (text, route) = ("http://files.example/file.bin", "")
                if names.count > 1 {
                    origin.redirectsKeepQuery = true
                    if form == 2 { origin.asksForLogin = true }
                    (text, route) = Self.twin(index, form)
                } else if origin.asksForLogin {
                    text = "http://user:word@files.example/file.bin"
                }
                let settings = Self.settings(text, origin, troubles, main: main, &random)
                wanted.append(Wanted(settings: settings, fileName: naming == 1 ? name : nil, name: name, route: route))
                if names.count > 1 { origins[route] = origin }
                if index == 0 { anyone = origin }
            }
        }

        /// Whether the disk takes the two for one name.
        func areOne(_ name: String, _ other: String) -> Bool {
            folding == .caseAndForms ? name.lowercased() == other.lowercased() : name == other
        }

        func origin(of index: Int) -> SimulatedOrigin { origins[wanted[index].route] ?? anyone }

        func network(isHealed: Bool, _ runtime: SimulatedRuntime) -> SimulatedNetwork {
            SimulatedNetwork(
                isHealed ? anyone.healed : anyone, others: isHealed ? origins.mapValues(\.healed) : origins,
                runtime: runtime,
                route: { $0.url.query ?? $0.fields.first("authorization") ?? "" })
        }

        /// Two URLs that differ only in a secret, or in what looks like one.
        private static func twin(_ index: Int, _ form: Int) -> (text: String, route: String) {
            let letter = ["A", "B"][index]
            switch form {
            case 0: return ("http://files.example/file.bin?token=\(letter)", "token=\(letter)")
            case 1: return ("http://files.example/file.bin?st=2&e=\(index)", "st=2&e=\(index)")
            default:
                return (
                    "http://\(letter):x@files.example/file.bin", "Basic " + Base64.encode(Array("\(letter):x".utf8))
                )
            }
        }

        private static func settings(
            _ text: String, _ origin: SimulatedOrigin, _ troubles: Set<Trouble>, main: Trouble,
            _ random: inout SplitMix64
        ) -> DownloadSettings {
            func pick(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
            // A constant except for one letter, so it parses.
            guard let url = try? HTTPURL(parsing: text) else { preconditionFailure("the simulated URL does not parse") }
            var settings = DownloadSettings(url: url)
            settings.maximumConnections = 1 + pick(6)
            settings.smallestPiece = 4096
            // An adopted file is compared with the server's over this overlap, or not at all.
            settings.overlap = Int64(troubles.contains(.users) ? [512, 4096][pick(2)] : [0, 512, 4096][pick(3)])
            settings.onChange = pick(5) == 0 ? .fail : .restart
            settings.stallTimeout = .seconds(5)
            if main == .shorter || pick(8) == 0 {
                settings.digest = origin.versions.last.flatMap { SimulatedDigests().digest($0.bytes) }
            }
            if troubles.contains(.twins), pick(3) == 0, let last = origin.versions.last,
                let digest = SimulatedDigests().digest(last.bytes)
            {
                settings.digest = digest
                var mirror = url
                (mirror.host, mirror.userinfo) = ("mirror.example", nil)
                settings.mirrors = [Source(url: mirror)]
            }
            return settings
        }

        var description: [String] {
            wanted.indices.map { index in
                let origin = origin(of: index)
                let replaced = origin.replacements.map { $0.nanoseconds / 1_000_000 }
                return
                    "\(index): \(wanted[index].settings.url.serialized), versions of \(origin.versions.map(\.bytes.count)) bytes, replaced at \(replaced) ms,"
                    + " tags \(origin.versions.map(\.entityTag)) \(origin.tagStyle) \(origin.validator), dates \(origin.versions.map(\.lastModified)),"
                    + " clock \(origin.clock), ranges \(origin.ranges), lengths \(origin.sendsLength) \(origin.sendsLengthOfLast) \(origin.showsTotal), cut at \(origin.cutsAt ?? -1),"
                    + " If-Range \(origin.honoursIfRange) \(origin.refusesIfRange), 416 \(origin.showsTagOf416), closes \(origin.closesKept),"
                    + " redirects \(origin.redirects), login \(origin.asksForLogin), \(wanted[index].settings.maximumConnections) connections,"
                    + " overlap \(wanted[index].settings.overlap), digest \(wanted[index].settings.digest != nil), \(origin.bytesPerSecond) bytes a second"
            }
        }
    }
}
