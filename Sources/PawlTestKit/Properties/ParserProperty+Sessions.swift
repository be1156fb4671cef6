internal import PawlCore

extension ParserProperty {
    /// One download of a session, as a store hands it over. The decoded record is within bounds, and survives being
    /// written and read again.
    static func sessionRecord(_ bytes: [UInt8]) throws(Violation) {
        let (now, wallClock) = (Instant.zero + .seconds(1000), Int64(1_700_000_000))
        let record = SessionRecord(id: DownloadID(7), bytes: bytes)
        guard let found = SessionCoding.decode(record, at: now, wallClock: wallClock) else { return }
        try claim(
            found.entry.id == record.id && found.entry.total >= -1 && found.entry.stored >= 0, "an entry out of bounds")
        try claim(abs(found.entry.position) <= 1 << 60, "a place \(found.entry.position)")
        if case .waiting(.backOff(let until, _)) = found.entry.state {
            try claim(until >= now && until - now <= .seconds(86_400), "a wait until \(until)")
        }
        let again = SessionCoding.encode(found, at: now, wallClock: wallClock)
        let read = SessionCoding.decode(again, at: now, wallClock: wallClock)
        try claim(read == found, "written and read, it is another")
        // A queue accepts whatever a session contains.
        var queue = QueueMachine()
        _ = queue.handle(.restore([found.entry]), at: now)
        _ = queue.handle(.resume(record.id), at: now)
    }

    /// Decodes the bytes as a file, as a slot, as a log, and as the content of a frame with a valid checksum.
    static func sessionLog(_ bytes: [UInt8]) throws(Violation) {
        _ = SessionLog.readHeader(bytes)
        let half = bytes.count / 2
        _ = SessionLog.isTorn([Array(bytes[..<half]), Array(bytes[half...])])
        if let commit = SessionLog.newestCommit([Array(bytes[..<half]), Array(bytes[half...])]) {
            try claim(
                SessionLog.newestCommit([SessionLog.slot(commit)]) == commit, "a slot that is another when it is read")
        }
        for offset in [-1, 0, 1, bytes.count - 1, bytes.count, .max] {
            guard let frame = SessionLog.frame(in: bytes, at: offset) else { continue }
            try claim(frame.size > 0 && offset + frame.size <= bytes.count, "a frame of \(frame.size) bytes")
            try claim(
                SessionLog.frame(frame.change) == Array(bytes[offset..<offset + frame.size]),
                "another frame of the same change")
        }
        let change = SessionChange.put(SessionRecord(id: DownloadID(UInt64(bytes.count)), bytes: bytes))
        let whole = SessionLog.frame(change)
        let read = SessionLog.frame(in: whole, at: 0)
        try claim(read?.change == change && read?.size == whole.count, "written and read, it is another")
        try claim(SessionLog.frame(in: Array(whole.dropLast()), at: 0) == nil, "one that was cut off is read")
    }

    /// Decodes the bytes as a file, and as the content of one whose header and checksum are valid.
    static func hostMemory(_ bytes: [UInt8]) throws(Violation) {
        _ = HostMemoryCoding.decode(bytes)
        let content = Array("PAWLHOST".utf8) + [1] + bytes
        let sum = content.withUnsafeBytes(XXHash64.hash)
        guard
            let memory = HostMemoryCoding.decode(
                content + (0..<8).map { UInt8(truncatingIfNeeded: sum >> UInt64($0 * 8)) })
        else { return }
        try claim(HostMemoryCoding.decode(HostMemoryCoding.encode(memory)) == memory, "written and read, it is another")
        let now = Instant.zero + .seconds(1000)
        for wallClock in [0, 1_700_000_000, Int64.max] {
            let current = memory.current(wallClock: wallClock)
            try claim(current.hosts.count <= memory.hosts.count, "more hosts than there were")
            for name in memory.hosts.keys {
                guard let url = try? HTTPURL(parsing: name + "/") else { continue }
                let hints = memory.hints(for: url, at: now, wallClock: wallClock)
                try claim(hints.connectionCap ?? 1 >= 1, "a cap of \(hints.connectionCap ?? 0)")
                try claim(
                    hints.rest.map { $0.until - now <= .seconds(HostMemory.maximumRest) } ?? true, "rests for too long")
                var learned = memory
                learned.learn(.connectionCap(2), of: url, at: now, wallClock: wallClock)
                learned.learn(.busy(until: now + .seconds(5)), of: url, at: now, wallClock: 1_700_000_000)
            }
        }
    }
}
