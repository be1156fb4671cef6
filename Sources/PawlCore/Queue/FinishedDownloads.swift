/// The completed downloads of a queue, oldest first.
struct FinishedDownloads: Sendable {
    private var ids: [DownloadID] = []
    /// The index of the first id that may remain: all before it are gone, and some after it may be.
    private var first = 0
    private(set) var count = 0

    mutating func append(_ id: DownloadID) {
        ids.append(id)
        count += 1
    }

    /// Notes that one of the downloads is gone; `isThere` says which are not.
    mutating func removeOne(_ isThere: (DownloadID) -> Bool) {
        count -= 1
        guard ids.count > 2 * count + 64 else { return }
        (ids, first) = (ids[first...].filter(isThere), 0)
    }

    mutating func oldest(_ isThere: (DownloadID) -> Bool) -> DownloadID? {
        while first < ids.count, !isThere(ids[first]) { first += 1 }
        return first < ids.count ? ids[first] : nil
    }

    func all(_ isThere: (DownloadID) -> Bool) -> [DownloadID] { ids[first...].filter(isThere) }
}
