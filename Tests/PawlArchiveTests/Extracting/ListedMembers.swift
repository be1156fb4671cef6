@testable import PawlArchive

/// An archive whose members a test lists.
final class ListedMembers: MemberReader {
    struct Block {
        let offset: Int64
        let bytes: [UInt8]
    }

    let format = "a test"
    var announced: (members: Int, bytes: Int64)?
    let length: Int64
    private(set) var position: Int64 = 0
    private(set) var calls = 0
    /// The error to throw at this call of `next` or `readBlock`, counted from 1.
    var failure: (call: Int, error: ArchiveError)?
    /// Called before each call.
    var before: (Int) -> Void = { _ in }

    private let members: [(member: ArchiveMember, blocks: [Block])]
    private var index = -1
    private var block = 0

    init(_ members: [(ArchiveMember, [Block])], length: Int64 = 1 << 40) {
        self.members = members.map { (member: $0.0, blocks: $0.1) }
        self.length = length
    }

    /// Makes an archive in which each file holds `text`.
    convenience init(_ members: [ArchiveMember], text: String = "bytes\n") {
        self.init(members.map { ($0, $0.kind == .file ? [Block(offset: 0, bytes: Array(text.utf8))] : []) })
    }

    func next() throws(ArchiveError) -> ArchiveMember? {
        try count()
        index += 1
        block = 0
        return index < members.count ? members[index].member : nil
    }

    func readBlock(_ body: (UnsafeRawBufferPointer, Int64) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool {
        try count()
        guard block < members[index].blocks.count else { return false }
        let next = members[index].blocks[block]
        block += 1
        position += Int64(next.bytes.count)
        // `withUnsafeBytes` does not pass on a closure's typed error.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: next.bytes.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: next.bytes)
        try body(UnsafeRawBufferPointer(copy), next.offset)
        return true
    }

    private func count() throws(ArchiveError) {
        calls += 1
        before(calls)
        if let failure, failure.call == calls { throw failure.error }
    }
}

extension ArchiveMember {
    static func file(_ path: String, size: Int64? = nil) -> ArchiveMember {
        ArchiveMember(path: path, kind: .file, size: size)
    }
    static func directory(_ path: String) -> ArchiveMember { ArchiveMember(path: path, kind: .directory) }
    static func link(_ path: String, to target: String) -> ArchiveMember {
        ArchiveMember(path: path, kind: .symbolicLink(target))
    }
    static func hardLink(_ path: String, to target: String) -> ArchiveMember {
        ArchiveMember(path: path, kind: .hardLink(target))
    }
}
