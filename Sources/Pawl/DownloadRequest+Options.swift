import PawlCore
import PawlEngine

/// A request as the session keeps it: text, and only what differs from the default.
extension DownloadRequest {
    /// - Returns: the options, and whether something had to be left out without which it is another request: because it is secret, or
    ///   because a session cannot hold it.
    func storedOptions(withSecrets: Bool) -> (options: [StoredOption], isIncomplete: Bool) {
        let plain = DownloadRequest(url, in: directory)
        var options: [StoredOption] = []
        func add(_ name: String, _ value: String?, _ usual: String?) {
            if let value, value != usual { options.append(StoredOption(name, value)) }
        }
        if withSecrets {
            for header in headers { options.append(StoredOption("header", header.name + ": " + header.value)) }
        }
        add("connections", "\(maximumConnections)", "\(plain.maximumConnections)")
        add("digest", digest?.description, nil)
        for mirror in mirrors where withSecrets || !(mirror.hasSecrets) {
            options.append(StoredOption("mirror", "\(mirror.priority) \(mirror.location ?? "-") \(mirror.url)"))
        }
        for location in preferredLocations { options.append(StoredOption("location", location)) }
        if let pieceHashes {
            options.append(StoredOption("piece-length", "\(pieceHashes.pieceLength)"))
            options.append(StoredOption("piece-algorithm", pieceHashes.algorithm.rawValue))
            for hash in pieceHashes.hashes { options.append(StoredOption("piece", Self.hexadecimal(hash))) }
        }
        add("size", expectedSize.map { "\($0)" }, nil)
        add("server-mirrors", "\(usesServerMirrors)", "\(plain.usesServerMirrors)")
        add("maximum-size", maximumFileSize.map { "\($0)" }, nil)
        add("web-page", "\(allowsWebPage)", "\(plain.allowsWebPage)")
        add("rate", maximumBytesPerSecond.map { "\($0)" }, nil)
        add("on-change", onChange.rawValue, plain.onChange.rawValue)
        add("if-exists", ifExists.rawValue, plain.ifExists.rawValue)
        add("adopts", "\(adoptsPartialFile)", "\(plain.adoptsPartialFile)")
        add("insecure-redirect", "\(allowsInsecureRedirect)", "\(plain.allowsInsecureRedirect)")
        add("stall-timeout", "\(stallTimeout.wholeNanoseconds)", "\(plain.stallTimeout.wholeNanoseconds)")
        let isSecret = !withSecrets && (!headers.isEmpty || mirrors.contains(where: \.hasSecrets))
        return (options, isSecret || hasOtherOptions(than: plain))
    }

    /// Something differs that is not among the options above: a property that came later, or one that no text can say.
    private func hasOtherOptions(than plain: DownloadRequest) -> Bool {
        zip(Swift.Mirror(reflecting: self).children, Swift.Mirror(reflecting: plain).children).contains { mine, usual in
            guard let name = mine.label, !Self.known.contains(name) else { return false }
            return String(describing: mine.value) != String(describing: usual.value)
        }
    }

    private static let known: Set<String> = [
        "url", "directory", "fileName", "headers", "maximumConnections", "digest", "mirrors", "preferredLocations", "pieceHashes",
        "expectedSize", "usesServerMirrors", "maximumFileSize", "allowsWebPage", "maximumBytesPerSecond", "onChange", "ifExists",
        "adoptsPartialFile", "allowsInsecureRedirect", "stallTimeout",
        // Without it the request can still be made.
        "refreshURL",
    ]

    /// The inverse. An option that this version does not know is an error: without it the file might be another one.
    mutating func take(_ options: [StoredOption]) throws(DownloadError) {
        var pieces: [[UInt8]] = []
        var pieceLength: Int64 = 0
        var algorithm: DigestAlgorithm?
        for option in options {
            func bad() -> DownloadError {
                DownloadError(
                    .journal, "The session has an option “\(option.name)” of a download that cannot be read.", recovery: .giveUp)
            }
            func number() throws(DownloadError) -> Int64 {
                guard let number = Int64(option.value) else { throw bad() }
                return number
            }
            switch option.name {
            case "header":
                guard let colon = option.value.firstRange(of: ": ") else { throw bad() }
                headers.append((String(option.value[..<colon.lowerBound]), String(option.value[colon.upperBound...])))
            case "connections": maximumConnections = Int(clamping: try number())
            case "digest":
                guard let digest = try? Digest(parsing: option.value) else { throw bad() }
                self.digest = digest
            case "mirror":
                let words = option.value.split(separator: " ", maxSplits: 2)
                guard words.count == 3, let priority = Int(words[0]) else { throw bad() }
                mirrors.append(Mirror(String(words[2]), priority: priority, location: words[1] == "-" ? nil : String(words[1])))
            case "location": preferredLocations.append(option.value)
            case "piece-length": pieceLength = try number()
            case "piece-algorithm": algorithm = DigestAlgorithm(name: option.value)
            case "piece":
                guard let hash = Self.bytes(hexadecimal: option.value) else { throw bad() }
                pieces.append(hash)
            case "size": expectedSize = try number()
            case "server-mirrors": usesServerMirrors = option.value == "true"
            case "maximum-size": maximumFileSize = try number()
            case "web-page": allowsWebPage = option.value == "true"
            case "rate": maximumBytesPerSecond = try number()
            case "on-change":
                guard let policy = ChangePolicy(rawValue: option.value) else { throw bad() }
                onChange = policy
            case "if-exists":
                guard let policy = ExistingFilePolicy(rawValue: option.value) else { throw bad() }
                ifExists = policy
            case "adopts": adoptsPartialFile = option.value == "true"
            case "insecure-redirect": allowsInsecureRedirect = option.value == "true"
            case "stall-timeout": stallTimeout = .nanoseconds(try number())
            default: throw bad()
            }
        }
        if let algorithm {
            do throws(PieceHashesError) {
                pieceHashes = try PieceHashes(algorithm: algorithm, pieceLength: pieceLength, hashes: pieces)
            } catch {
                throw DownloadError(.journal, "The session has piece hashes that cannot be read: \(error.message)", recovery: .giveUp)
            }
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }

    private static func bytes(hexadecimal text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == text.utf8.count, digits.count % 2 == 0 else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension Mirror {
    fileprivate var hasSecrets: Bool { (try? HTTPURL(parsing: url))?.hasSecrets ?? true }
}
