import PawlClient
import PawlCore

/// Ids as people type them: a UUID, or enough of its beginning.
struct DownloadIDs {
    /// The shortest beginning of an id: shorter ones are mistyped too easily.
    static let shortest = 4
    private static let length = 36
    /// The length of the beginning that is shown, unless others begin so.
    static let usual = 8

    let client: ServiceClient

    /// The whole ids, in the order of `words`.
    func resolve(_ words: [String]) async throws -> [String] {
        let words = words.map { $0.lowercased() }
        for word in words where word.utf8.count < Self.shortest || word.utf8.contains(where: { !Self.isOfID($0) }) {
            throw UsageError(
                "“\(word)” is not a download id. Give at least the first four characters of one listed by 'pawl ls'.")
        }
        guard words.contains(where: { $0.utf8.count < Self.length }) else { return words }
        let known = try await all()
        return try words.map { try Self.whole($0, known) }
    }

    static func whole(_ word: String, _ known: [String]) throws(UsageError) -> String {
        guard word.utf8.count < length else { return word }
        let matching = known.filter { $0.begins(with: word) }
        guard let id = matching.first else {
            throw UsageError("No download of the service has an id that begins with “\(word)”.")
        }
        guard matching.count == 1 else {
            throw UsageError(
                "\(matching.count) downloads have an id that begins with “\(word)”, among them \(matching.prefix(3).joined(separator: ", "))."
            )
        }
        return id
    }

    func all() async throws -> [String] {
        var query = DownloadQuery()
        query.limit = 1000
        var ids: [String] = []
        repeat {
            let page = try await client.downloads(query)
            ids += page.downloads.map(\.id)
            query.cursor = page.next
        } while query.cursor != nil
        return ids
    }

    private static func isOfID(_ byte: UInt8) -> Bool { ASCII.hexValue(byte) != nil || byte == UInt8(ascii: "-") }

    /// The beginnings that tell ids apart, for the columns of lists.
    static func shown(_ ids: [String]) -> Int {
        var length = usual
        let count = Set(ids.map { ExactText($0) }).count
        while length < Self.length, Set(ids.map { ExactText(beginning(of: $0, length)) }).count < count { length += 1 }
        return length
    }

    static func beginning(of id: String, _ length: Int) -> String {
        String(decoding: id.utf8.prefix(length), as: UTF8.self)
    }
}
