import PawlCore

/// A file in a tar, in the convention of WebDataset: what the caller says of it is a member of the same name behind it,
/// whose extension is `json`.
struct TarMember {
    /// The bytes in front of the file.
    let front: [UInt8]
    /// The bytes behind it.
    let back: [UInt8]

    /// - Parameter name: `KEY.EXT`; the key has no dot.
    init(_ name: String, size: Int64, meta: JSONValue?) {
        front = USTARHeader(name, size: size).bytes
        var back = [UInt8](repeating: 0, count: USTARHeader.padding(of: size))
        if let text = meta?.encoded {
            let key = String(decoding: name.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
            let length = Int64(text.utf8.count)
            back += USTARHeader(key + ".json", size: length).bytes + text.utf8
            back += [UInt8](repeating: 0, count: USTARHeader.padding(of: length))
        }
        self.back = back
    }

    /// A file that has no tar around it.
    private init() { (front, back) = ([], []) }

    static let bare = TarMember()

    /// Returns the name of a member; never that of what the caller says of it.
    static func name(_ key: String, contentType: String?, url: HTTPURL?, hasMeta: Bool) -> String {
        let ending = FileExtension.choose(contentType: contentType, url: url)
        return hasMeta && ending == "json" ? "\(key).file.json" : "\(key).\(ending)"
    }
}
