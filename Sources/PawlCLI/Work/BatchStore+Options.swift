import Pawl
import PawlCore
import PawlJobs
import PawlStore
import PawlSystem
import PawlWork

extension BatchStore {
    /// The store of a batch as the arguments of a command say. Warnings are told.
    ///
    /// - Parameter spool: the directory in which files lie until they are delivered; nil for the usual one.
    init(
        _ name: String, _ server: ServerOptions, spool: String?, in session: Session, of command: String
    ) throws(UsageError) {
        if name.begins(with: "s3://") {
            do throws(StoreError) { _ = try S3Place(parsing: name) } catch { throw UsageError(error.message) }
        }
        var network = Downloader.Configuration()
        try server.apply(to: &network, reading: session.files)
        server.warnings(reading: session.files).forEach(session.warn)
        self.init(name, network: network, spool: try Self.spool(spool, of: command)) { [session] message in
            session.warn("\(message) Trying again, for ten minutes.")
        }
    }

    private static func spool(_ given: String?, of command: String) throws(UsageError) -> String {
        if let given {
            guard !given.isEmpty else { throw UsageError("--spool is empty; it takes a directory.", moreFrom: command) }
            return given
        }
        if let directory = Environment.value("TMPDIR"), directory.begins(with: "/") { return directory }
        if let directory = CacheDirectory.path(environment: Environment.value) { return directory + "/work" }
        throw UsageError("There is no place for the spool: set --spool, $TMPDIR or $HOME.")
    }
}
