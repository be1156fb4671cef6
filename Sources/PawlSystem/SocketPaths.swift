import PawlCore

extension sockaddr_un {
    /// The length in bytes of the longest path: the last byte of the field ends it (unix(7)).
    package static var maximumPathLength: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    /// The address of a Unix socket, with every byte of its path; nil if the path is too long.
    package init?(path: String) {
        let bytes = path.systemBytes
        guard bytes.count <= Self.maximumPathLength else { return nil }
        self.init()
        sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &sun_path) { $0.copyBytes(from: bytes) }
    }
}
