import GRDB

/// The tables, version by version. A published version never changes.
enum Schema {
    /// The steps of the migration. Each leads from the version of its index to the next.
    static let steps = [first, second, third]

    static var version: Int { steps.count }

    /// - `jobs` has what was asked for, what has become of it, and where it stands in lists: what is unfinished by
    ///   `list_group` (the negative priority) and `list_key` (the rank), then what has ended, the newest first.
    /// - `downloads` is the session of the manager, whose records nobody else reads.
    /// - `removals` and `feed` are the change feed, together with `jobs.change` and `settings.change`.
    /// - `log` is what happened to each job, the latest entries of it.
    /// - `logins` has the hashes of session cookies.
    private static let first = """
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            id TEXT NOT NULL UNIQUE,
            request_key TEXT UNIQUE,
            spec TEXT NOT NULL,
            lacks_secrets INTEGER NOT NULL,
            tag TEXT,
            url TEXT NOT NULL,
            directory TEXT NOT NULL,
            priority INTEGER NOT NULL,
            rank INTEGER NOT NULL,
            download INTEGER,
            state TEXT NOT NULL,
            step TEXT,
            name TEXT,
            stored INTEGER NOT NULL,
            total INTEGER,
            is_complete INTEGER,
            is_verified INTEGER,
            is_skipped INTEGER NOT NULL,
            unpacked TEXT,
            error_code TEXT,
            error_message TEXT,
            error_recovery TEXT,
            error_remedies TEXT,
            added INTEGER NOT NULL,
            started INTEGER,
            ended INTEGER,
            list_group INTEGER NOT NULL,
            list_key INTEGER NOT NULL,
            change INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX jobs_by_change ON jobs (change);
        CREATE INDEX jobs_by_state ON jobs (state, list_group, list_key, number);
        CREATE INDEX jobs_by_phase ON jobs ((\(JobTable.phase)), list_group, list_key, number);
        CREATE INDEX jobs_in_order ON jobs (list_group, list_key, number);
        CREATE INDEX jobs_by_added ON jobs (added, number);
        CREATE INDEX jobs_by_name ON jobs (COALESCE(name, '') COLLATE NOCASE, number);
        CREATE INDEX jobs_by_size ON jobs (COALESCE(total, -1), number);
        CREATE TABLE downloads (id INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
        CREATE TABLE removals (change INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT;
        CREATE TABLE feed (last INTEGER NOT NULL, forgotten INTEGER NOT NULL) STRICT;
        INSERT INTO feed VALUES (0, 0);
        CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL, change INTEGER NOT NULL) STRICT;
        CREATE TABLE log (
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE,
            time INTEGER NOT NULL,
            code TEXT NOT NULL,
            message TEXT NOT NULL
        ) STRICT;
        CREATE INDEX log_by_job ON log (job);
        CREATE TABLE logins (hash TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;
        """

    /// `request_keys` has the keys of the requests that a job answers, several where it was asked for several times,
    /// and each with the fingerprint of what was asked for; an empty one is not known. `jobs.request_key` is no longer
    /// used. `jobs.is_direct` says that the queue does not run it.
    private static let second = """
        CREATE TABLE request_keys (
            key TEXT PRIMARY KEY,
            fingerprint TEXT NOT NULL,
            job INTEGER NOT NULL REFERENCES jobs (number) ON DELETE CASCADE
        ) STRICT;
        CREATE INDEX request_keys_by_job ON request_keys (job);
        INSERT INTO request_keys SELECT request_key, '', number FROM jobs WHERE request_key IS NOT NULL;
        UPDATE jobs SET request_key = NULL WHERE request_key IS NOT NULL;
        ALTER TABLE jobs ADD COLUMN is_direct INTEGER NOT NULL DEFAULT 0;
        """

    /// `jobs.record` is how far a run has got that is not over (`RunRecord`), and `jobs.hook_due` says that its outcome
    /// is known and its program has not run to its end. `jobs.holds_secrets` says that `spec` may hold some; what
    /// earlier versions wrote is sorted by the few places where they can be. `feed.trusted` is the latest time, in
    /// milliseconds, at which the clock was trusted to say what is old.
    private static let third = """
        ALTER TABLE jobs ADD COLUMN record TEXT;
        ALTER TABLE jobs ADD COLUMN hook_due INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE jobs ADD COLUMN holds_secrets INTEGER NOT NULL DEFAULT 0;
        UPDATE jobs SET holds_secrets = 1
            WHERE spec GLOB '*[?@]*' OR spec GLOB '*"authentication"*' OR spec GLOB '*"headers"*' OR spec GLOB '*"password"*';
        ALTER TABLE feed ADD COLUMN trusted INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX jobs_with_secrets ON jobs (number) WHERE holds_secrets = 1;
        CREATE INDEX jobs_with_hooks ON jobs (number) WHERE hook_due = 1;
        """
}
