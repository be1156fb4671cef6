import Pawl
import PawlCore

/// What aria2 saves of downloads that are left to do: a list that `--input-file` takes.
package enum Aria2Session {
    package struct Entry: Sendable {
        package var urls: [String]
        package var gid: GID
        package var isPaused: Bool
        package var options: Aria2Options

        package init(urls: [String], gid: GID, isPaused: Bool, options: Aria2Options) {
            (self.urls, self.gid, self.isPaused, self.options) = (urls, gid, isPaused, options)
        }
    }

    package static func text(_ entries: [Entry]) -> String {
        var text = ""
        for entry in entries where !entry.urls.isEmpty {
            text += entry.urls.joined(separator: "\t") + "\n gid=\(entry.gid.text)\n"
            if entry.isPaused { text += " pause=true\n" }
            for (option, value) in entry.options.entries where option.calls.contains(.adding) && !["gid", "pause"].containsExactly(option.name) {
                // One that may be given several times has a line for each.
                for line in value.utf8.split(separator: UInt8(ascii: "\n")) { text += " \(option.name)=\(String(Substring(line)))\n" }
            }
        }
        return text
    }

    /// Replaces the file, so that it is the old one or the new one whatever happens.
    package static func save(_ entries: [Entry], to path: String) throws(Aria2Failure) {
        do throws(StorageError) {
            try WholeFile.write(Array(text(entries).utf8), to: path)
        } catch {
            throw Aria2Failure("The session cannot be saved to “\(path)”: \(WholeFile.explanation(of: error)).")
        }
    }
}
