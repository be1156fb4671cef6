package import PawlCore

/// The name that a small file has until it is whole: `.NAME.` 16 random digits, 16 digits that follow from them and
/// NAME, `.new`.
///
/// No two runs choose the same, so what a killed one left is in nobody's way. The last digits tell it from what
/// others have named alike.
package struct TemporaryName: Hashable, Sendable {
    package let text: String

    private static let digits = 16
    private static let end = ".new"
    /// A file system takes 255 bytes.
    private static let maximumStemLength = 200

    package init(for target: String, random: UInt64) {
        let chosen = Self.hexadecimal(random)
        text = Self.start(target) + chosen + Self.check(chosen, target) + Self.end
    }

    /// Whether the name was made here, for that file.
    package static func isOne(_ name: String, for target: String) -> Bool {
        let (start, bytes) = (start(target), Array(name.utf8))
        guard bytes.count == start.utf8.count + 2 * digits + end.utf8.count, bytes.starts(with: start.utf8) else {
            return false
        }
        let chosen = String(decoding: bytes.dropFirst(start.utf8.count).prefix(digits), as: UTF8.self)
        return bytes.elementsEqual((start + chosen + check(chosen, target) + end).utf8)
    }

    /// Whether the name was made here, for a file whose name is not too long to be part of it.
    package static func isOne(_ name: String) -> Bool {
        guard name.utf8.first == UInt8(ascii: "."), name.utf8.suffix(end.utf8.count).elementsEqual(end.utf8) else {
            return false
        }
        let target = String(name.utf8.dropFirst().dropLast(1 + 2 * digits + end.utf8.count))
        return target.map { isOne(name, for: $0) } ?? false
    }

    private static func start(_ target: String) -> String {
        "." + (isShort(target) ? target : "pawl") + "."
    }

    /// Whether the name of a file is part of the name that it has until then.
    package static func isShort(_ target: String) -> Bool { target.utf8.count <= maximumStemLength }

    private static func check(_ chosen: String, _ target: String) -> String {
        hexadecimal(Array("pawl \(chosen) \(target)".utf8).withUnsafeBytes(XXHash64.hash))
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}

extension StorageDirectory {
    /// Puts a new file, for its owner alone, in the place of what has the name. Whatever comes between, one of the
    /// two is there whole.
    ///
    /// - Parameters:
    ///   - isDurable: the new one is on the disk when this returns.
    ///   - random: for the name it has until then.
    package func replace(_ name: String, with bytes: [UInt8], isDurable: Bool, random: UInt64) throws(StorageError) {
        removeLeftovers(of: name)
        let (file, temporary) = try createTemporary(for: name, random)
        // To the end: the lock goes with it.
        defer { try? file.close() }
        do throws(StorageError) {
            try file.write(bytes, at: 0)
            if isDurable { try file.sync() }
            try rename(temporary, to: name, replacing: true)
            if isDurable { try sync() }
        } catch {
            if let identity = try? file.status().identity { try? remove(temporary, ifStill: identity) }
            throw error
        }
    }

    /// Creates a file, for its owner alone, with the name that it has until it is whole. Locked, so that no other run
    /// takes it for left behind.
    package func createTemporary(
        for name: String, _ random: UInt64
    ) throws(StorageError) -> (any StorageFile, name: String) {
        for attempt in 0..<16 as Range<UInt64> {
            let temporary = TemporaryName(for: name, random: random &+ attempt).text
            let file = try create(temporary)
            // Where there are no locks nothing is removed either.
            if (try? file.lock()) ?? true, try names(file, temporary) { return (file, temporary) }
            // Between the two calls another run took it for left behind.
            try? file.close()
        }
        throw StorageError(operation: "lock", name: name, reason: .busy)
    }

    private func removeLeftovers(of name: String) {
        remove((try? names())?.filter { TemporaryName.isOne($0, for: name) } ?? [])
    }

    /// Removes the files that killed runs left and no run holds. Failing to remove one is harmless.
    package func remove(_ leftovers: [String]) {
        for leftover in leftovers {
            guard let file = try? open(leftover, writable: true) else { continue }
            defer { try? file.close() }
            guard (try? file.lock()) == true, let identity = try? file.status().identity else { continue }
            try? remove(leftover, ifStill: identity)
        }
    }
}
