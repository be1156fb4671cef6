/// The selection and order of a list of jobs.
package struct JobQuery: Hashable, Sendable {
    package enum Key: String, Hashable, Sendable, CaseIterable {
        /// The order of the queue, and behind it what has ended, the newest first.
        case position
        case added, name, size, state
    }

    /// The end of a page: the values by which its last job is sorted.
    package struct Cursor: Hashable, Sendable {
        package enum Value: Hashable, Sendable {
            case none
            case integer(Int64)
            case text(String)
        }

        package var values: [Value]

        package init(_ values: [Value]) { self.values = values }
    }

    /// The states to list; empty for all.
    package var states: Set<StoredJob.State> = []
    /// The text to find in the name, the URL or the tag, whatever the case of ASCII letters.
    package var text: String?
    package var tag: String?
    /// The ids to leave out.
    package var except: [String] = []
    package var key = Key.position
    package var isDescending = false
    package var after: Cursor?
    /// The number of jobs to skip; not together with a cursor.
    package var offset = 0
    package var limit = 100

    package init() {}
}

/// A page of a list, read at one moment.
package struct JobPage: Sendable {
    package var jobs: [StoredJob]
    /// The number of jobs on all pages.
    package var total: Int
    /// The number of jobs in each state, among all jobs.
    package var counts: [StoredJob.State: Int]
    /// The newest change that it shows.
    package var change: Int64
    /// The cursor of the next page; nil on the last one.
    package var next: JobQuery.Cursor?
}
