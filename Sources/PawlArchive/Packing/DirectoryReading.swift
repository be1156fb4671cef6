import PawlSystem

enum DirectoryReading {
    /// The names in an open directory, but `.` and `..`, in no order.
    static func names(in directory: Int32, _ path: String) throws(ArchiveError) -> [[UInt8]] {
        // Its own descriptor, which closedir takes with it.
        let copy = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = fdopendir(copy) else {
            let reason = errno
            if copy >= 0 { close(copy) }
            throw ArchiveError.reading(path, "fdopendir", errno: reason)
        }
        defer { closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            // readdir(3): the end and a failure are told apart by errno alone.
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) { names.append(name) }
        }
        guard errno == 0 else { throw ArchiveError.reading(path, "readdir", errno: errno) }
        return names
    }
}
