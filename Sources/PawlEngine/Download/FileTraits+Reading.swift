package import PawlCore

extension FileTraits {
    package init(of file: any StorageFile, _ status: FileStatus) throws(StorageError) {
        self.init(inode: status.identity.inode, mark: try file.mark(), created: try? file.created())
    }

    package init(of file: any StorageFile) throws(StorageError) { try self.init(of: file, file.status()) }
}

extension OrphanedPartialFile {
    init(_ file: any StorageFile, size: Int64) throws(StorageError) {
        let mark = try file.mark()
        // Reserved space that somebody has read counts as data while memory holds what was read.
        file.dropCache()
        self.init(
            size: size, isMarked: mark != nil, isAdopted: mark.map(FileMark.isAdopted) ?? false,
            hasData: try file.nextData(from: 0) != nil)
    }
}
