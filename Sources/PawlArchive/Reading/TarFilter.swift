internal import CArchive

/// The filters a tar may be in.
enum TarFilter: String, CaseIterable {
    case gzip, bzip2, xz, zstd

    /// - Parameter head: the first bytes of the file.
    init?(_ head: some Collection<UInt8>) {
        let magic: [(TarFilter, [UInt8])] = [
            (.gzip, [0x1F, 0x8B]), (.bzip2, Array("BZh".utf8)), (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
            (.zstd, [0x28, 0xB5, 0x2F, 0xFD]),
        ]
        if let found = magic.first(where: { head.starts(with: $0.1) }) {
            self = found.0
        } else if let first = head.first, (0x50...0x5F).contains(first),
            head.dropFirst().starts(with: [0x2A, 0x4D, 0x18])
        {
            // A frame without data stands first (RFC 8878 §3.1.2).
            self = .zstd
        } else {
            return nil
        }
    }

    func enable(_ handle: OpaquePointer) -> Int32 {
        switch self {
        case .gzip: archive_read_support_filter_gzip(handle)
        case .bzip2: archive_read_support_filter_bzip2(handle)
        case .xz: archive_read_support_filter_xz(handle)
        case .zstd: archive_read_support_filter_zstd(handle)
        }
    }
}
