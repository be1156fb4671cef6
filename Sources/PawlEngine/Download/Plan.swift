package import PawlCore

/// A request made ready for one download: checked and parsed, and where the file goes.
@dynamicMemberLookup
package struct Plan: Sendable {
    package var settings: DownloadSettings
    /// An existing directory.
    package var directory: String
    /// Take the next free name where another download under way has the one that the server chose; else that is an
    /// error.
    package var renamesTaken = false
    /// Written into the finished file, so that a later run knows that this download has made it; nil: nothing.
    package var markerNumber: UInt64?
    /// Whether the journal stays until the session has recorded the end, on a file system that keeps no completion
    /// marker.
    package var keepsReceipt = false
    /// Whether it runs besides the downloads that share the limit of connections per host: its first connection is not
    /// counted for that.
    package var isExtra = false
    /// Receives the server's name and description of the file, whereupon the download ends without storing anything;
    /// nil if the file is to be downloaded.
    package var onlyAsks: (@Sendable (_ name: String, _ file: Representation) -> Void)?
    /// The speed limit that this download shares with others; nil if it shares none.
    package var limiter: SpeedLimiter?
    /// Takes the file in place of the directory, if it is small; nil: none does.
    package var receiver: (any FileReceiver)?

    package init(settings: DownloadSettings, directory: String) {
        self.settings = settings
        self.directory = directory
    }

    /// A plan with nothing but a URL and a target.
    package init(_ url: HTTPURL, in directory: String, named fileName: String? = nil) {
        self.init(settings: DownloadSettings(url: url), directory: directory)
        self.fileName = fileName
    }

    /// A single path component, used as given. Nil: the server's name, made safe.
    package var fileName: String? {
        get { settings.fileName }
        set { settings.fileName = newValue }
    }

    package subscript<Value>(dynamicMember option: WritableKeyPath<DownloadOptions, Value>) -> Value {
        get { settings.options[keyPath: option] }
        set { settings.options[keyPath: option] = newValue }
    }

    package var existingFilePolicy: ExistingFilePolicy { settings.existingFilePolicy }

    /// The name of a file that, if it is there, is left as it is without a request: the URL names it, where it has no
    /// query, though a server that was asked might choose another name.
    var nameToLeave: String? {
        guard fileName == nil, existingFilePolicy == .skip, !self.onlyIfNewer, !self.adoptsPartialFile, onlyAsks == nil
        else { return nil }
        return FileName.named(by: settings.url)
    }
}
