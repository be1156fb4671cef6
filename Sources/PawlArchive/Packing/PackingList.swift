import PawlEngine

/// The files to pack, in the order of the archive: compact, since there may be millions.
///
/// The order is that of the bytes of the paths, a directory's ending in `/` as it does in the archive; so a directory
/// comes before what is in it, and all beneath it without anything else between. It is the same on every system and in
/// every locale.
struct PackingList {
    enum Kind: UInt8 {
        case file
        case directory
        case symbolicLink
    }

    struct Item {
        /// The index of its directory; nil: it is opened by the place of its argument.
        var parent: Int?
        var kind: Kind
        var identity: FileIdentity
        /// The size when the item was seen, in bytes; zero for anything but a file.
        var size: Int64
        /// The start of the name in the list's names; for an item without a parent, of the path to open.
        fileprivate var nameStart: Int
        fileprivate var nameLength: Int32
        /// The length of the path in the archive, which stands before the path to open; zero for an item with a parent.
        fileprivate var pathLength: Int32
        var followsLink: Bool
    }

    private(set) var items: [Item] = []
    private(set) var files = 0
    private(set) var bytes: Int64 = 0
    private var names: [UInt8] = []

    /// - Returns: the item's index.
    mutating func add(_ name: [UInt8], in parent: Int, _ kind: Kind, _ facts: FileFacts) -> Int {
        add(
            Item(
                parent: parent, kind: kind, identity: facts.identity, size: kind == .file ? facts.size : 0,
                nameStart: names.count,
                nameLength: Int32(clamping: name.count), pathLength: 0, followsLink: false), name)
    }

    mutating func add(_ argument: PackingArgument, _ kind: Kind, _ facts: FileFacts) -> Int {
        let place = argument.place.dropLast().map { UInt8(bitPattern: $0) }
        return add(
            Item(
                parent: nil, kind: kind, identity: facts.identity, size: kind == .file ? facts.size : 0,
                nameStart: names.count, nameLength: Int32(clamping: place.count),
                pathLength: Int32(clamping: argument.path.count),
                followsLink: argument.followsLink), argument.path + place)
    }

    private mutating func add(_ item: Item, _ bytes: [UInt8]) -> Int {
        names += bytes
        items.append(item)
        if item.kind == .file { files += 1 }
        let (sum, overflow) = self.bytes.addingReportingOverflow(item.size)
        self.bytes = overflow ? .max : sum
        return items.count - 1
    }

    /// Returns the path to open, relative to the directory of the parent or to the working directory; ended by a zero.
    func place(of item: Item) -> [CChar] {
        let start = item.nameStart + Int(item.pathLength)
        return names[start..<start + Int(item.nameLength)].map { CChar(bitPattern: $0) } + [0]
    }

    /// Returns the path of an item in the archive, given that of its directory.
    func path(of item: Item, in parent: [UInt8]) -> [UInt8] {
        guard item.parent != nil else { return Array(names[item.nameStart..<item.nameStart + Int(item.pathLength)]) }
        return parent + [UInt8(ascii: "/")] + names[item.nameStart..<item.nameStart + Int(item.nameLength)]
    }
}
