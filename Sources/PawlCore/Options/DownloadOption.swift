/// An option of ``DownloadOptions``: its name, and its value as text.
package struct DownloadOption: Sendable {
    /// The type of the value, for encoders that do not store text.
    package enum Kind: Sendable {
        /// `true` or `false`.
        case flag
        /// A 64-bit integer.
        case integer
        /// Nanoseconds.
        case duration
        case text
        /// Several texts.
        case list
    }

    /// The name in sessions (docs/session-format.md); never changed.
    package let name: String
    /// The word that people type, and the JSON of jobs has; nil if it is the name.
    private var flag: String?
    package let kind: Kind
    /// Requests that differ in it cannot share a download.
    package let isGuarantee: Bool
    /// The property of ``DownloadOptions``.
    package let path: any PartialKeyPath<DownloadOptions> & Sendable
    /// Returns the value as texts; empty for the default.
    package let texts: @Sendable (DownloadOptions) -> [String]
    /// Sets the value from a text. Returns false if it is not a value of this option.
    package let take: @Sendable (String, inout DownloadOptions) -> Bool
    /// Returns a sentence that says why the value is impossible; nil if it is not.
    let problem: @Sendable (DownloadOptions) -> String?
    let copy: @Sendable (DownloadOptions, inout DownloadOptions) -> Void

    /// The name in flags, lists, the configuration and JSON.
    package var word: String { flag ?? name }

    package static let byName = Dictionary(uniqueKeysWithValues: DownloadOptions.all.map { ($0.name, $0) })
}

/// Options whose values are impossible, alone or together.
package struct OptionProblem: Hashable, Sendable {
    /// The names of the options concerned.
    package let options: [String]
    package let message: String
}

// MARK: - Kinds of values

extension DownloadOption {
    /// The same option with a word that differs from its name.
    func called(_ word: String) -> DownloadOption {
        var option = self
        option.flag = word
        return option
    }

    typealias Path<Value> = any WritableKeyPath<DownloadOptions, Value> & Sendable

    static func value<Value: Equatable & Sendable>(
        _ name: String, _ kind: Kind, _ path: Path<Value>, isGuarantee: Bool = false,
        write: @escaping @Sendable (Value) -> String,
        problem: @escaping @Sendable (Value) -> String? = { _ in nil }, read: @escaping @Sendable (String) -> Value?
    ) -> DownloadOption {
        let usual = DownloadOptions()[keyPath: path]
        return DownloadOption(name: name, flag: nil, kind: kind, isGuarantee: isGuarantee, path: path) { options in
            let value = options[keyPath: path]
            return value == usual ? [] : [write(value)]
        } take: { text, options in
            guard let value = read(text) else { return false }
            options[keyPath: path] = value
            return true
        } problem: {
            problem($0[keyPath: path])
        } copy: {
            $1[keyPath: path] = $0[keyPath: path]
        }
    }

    static func text<Value: Equatable & Sendable>(
        _ name: String, _ path: Path<Value?>, kind: Kind = .text, isGuarantee: Bool = false,
        write: @escaping @Sendable (Value) -> String,
        problem: @escaping @Sendable (Value) -> String? = { _ in nil }, read: @escaping @Sendable (String) -> Value?
    ) -> DownloadOption {
        value(
            name, kind, path, isGuarantee: isGuarantee, write: { $0.map(write) ?? "" },
            problem: { $0.flatMap(problem) },
            read: { read($0).map(Optional.some) })
    }

    static func flag(_ name: String, _ path: Path<Bool>, isGuarantee: Bool = false) -> DownloadOption {
        value(name, .flag, path, isGuarantee: isGuarantee, write: { "\($0)" }, read: { Bool($0) })
    }

    static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: Path<Number>, isGuarantee: Bool = false,
        problem: @escaping @Sendable (Number) -> String? = { _ in nil }
    ) -> DownloadOption {
        value(
            name, .integer, path, isGuarantee: isGuarantee, write: { "\($0)" }, problem: problem, read: { Number($0) })
    }

    static func number<Number: FixedWidthInteger & Sendable>(
        _ name: String, _ path: Path<Number?>, isGuarantee: Bool = false,
        problem: @escaping @Sendable (Number) -> String?
    ) -> DownloadOption {
        text(name, path, kind: .integer, isGuarantee: isGuarantee, write: \.description, problem: problem) {
            Number($0)
        }
    }

    static func duration(
        _ name: String, _ path: Path<Duration>, problem: @escaping @Sendable (Duration) -> String?
    ) -> DownloadOption {
        value(
            name, .duration, path, write: { "\($0.wholeNanoseconds)" }, problem: problem,
            read: { Int64($0).map { .nanoseconds($0) } })
    }

    static func duration(
        _ name: String, _ path: Path<Duration?>, problem: @escaping @Sendable (Duration) -> String?
    ) -> DownloadOption {
        text(name, path, kind: .duration, write: { "\($0.wholeNanoseconds)" }, problem: problem) {
            Int64($0).map { .nanoseconds($0) }
        }
    }

    static func word<Word: RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ path: Path<Word>, isGuarantee: Bool = false
    ) -> DownloadOption {
        value(name, .text, path, isGuarantee: isGuarantee, write: \.rawValue, read: { Word(rawValue: $0) })
    }

    static func word<Word: RawRepresentable<String> & Equatable & Sendable>(
        _ name: String, _ path: Path<Word?>
    ) -> DownloadOption {
        text(name, path, write: \.rawValue) { Word(rawValue: $0) }
    }

    /// Creates an option whose value is a list of words.
    static func words(_ name: String, _ path: Path<[String]>) -> DownloadOption {
        DownloadOption(name: name, flag: nil, kind: .list, isGuarantee: false, path: path) {
            $0[keyPath: path]
        } take: { text, options in
            options[keyPath: path].append(text)
            return true
        } problem: { _ in
            nil
        } copy: {
            $1[keyPath: path] = $0[keyPath: path]
        }
    }
}

extension PieceHashes {
    /// Algorithm, length of a piece, and all hashes one after the other.
    var text: String { "\(algorithm.rawValue) \(pieceLength) \(hashes.map(\.hexadecimal).joined())" }

    init?(text: String) {
        let words = text.utf8.split(separator: UInt8(ascii: " "))
        guard words.count == 3, let algorithm = DigestAlgorithm(name: String(Substring(words[0]))),
            let length = Int64(String(Substring(words[1])))
        else { return nil }
        let digits = Array(words[2])
        let width = 2 * algorithm.byteCount
        guard digits.count % width == 0 else { return nil }
        var hashes: [[UInt8]] = []
        for start in stride(from: 0, to: digits.count, by: width) {
            guard let hash = Digest(algorithm: algorithm, hexadecimal: digits[start..<start + width])?.bytes else {
                return nil
            }
            hashes.append(hash)
        }
        guard let pieces = try? PieceHashes(algorithm: algorithm, pieceLength: length, hashes: hashes) else {
            return nil
        }
        self = pieces
    }
}
