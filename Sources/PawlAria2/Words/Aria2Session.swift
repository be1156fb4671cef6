import Pawl
import PawlCore
import PawlJobs

/// The file in which aria2 saves unfinished downloads: a list that `--input-file` takes.
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
        for entry in entries {
            // What no list can have is left out: it would keep the whole list from being read.
            let urls = lines(entry.urls)
            guard !urls.isEmpty else { continue }
            text += urls + "\n gid=\(entry.gid.text)\n"
            if entry.isPaused { text += " pause=true\n" }
            for (option, value) in entry.options.entries
            where option.calls.contains(.adding) && !["gid", "pause"].containsExactly(option.name) {
                // One that may be given several times has a line for each.
                for line in value.utf8.split(separator: UInt8(ascii: "\n")) where isOne(line) {
                    text += " \(option.name)=\(String(Substring(line)))\n"
                }
            }
        }
        return text
    }

    private static func isOne(_ line: Substring.UTF8View) -> Bool {
        line.count < DownloadList.lineLimit - 256 && !line.contains { $0 < 0x20 || $0 == 0x7F }
    }

    /// Returns as many URLs as one line has room for.
    private static func lines(_ urls: [String]) -> String {
        var line = ""
        for url in urls where isOne(url[...].utf8) && line.utf8.count + url.utf8.count + 1 < DownloadList.lineLimit {
            line += (line.isEmpty ? "" : "\t") + url
        }
        return line
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
