// A button that toggles: each Return pauses the download or lets it run. What a pause returns is kept in a file, from
// which the next start of the program resumes.
//
//     swift run ToggleExample https://example.org/disk.iso disk.iso
import Foundation
import Pawl

let (url, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
let saved = URL(filePath: path + ".resume")
let downloader = try Downloader()

/// The download of an earlier start if that was paused, or else a new one.
func begin() throws -> Download {
    guard let data = try? Data(contentsOf: saved) else { return try downloader.start(DownloadRequest(url, to: path)) }
    return try downloader.resume(from: JSONDecoder().decode(ResumeData.self, from: data), url: url)
}

/// The action of the button.
@Sendable func toggle(_ download: Download) async {
    do {
        if download.state == .paused {
            try download.resume()
            print("runs")
        } else {
            let data = try await download.pause()
            try JSONEncoder().encode(data).write(to: saved, options: .atomic)
            print("paused at \(data.byteCount) bytes")
        }
    } catch {
        print(error)
    }
}

let download = try begin()
Thread.detachNewThread { while readLine() != nil { Task { await toggle(download) } } }
let file = try await download.result()
try? FileManager.default.removeItem(at: saved)
print("\(file.path): \(file.byteCount) bytes, \(file.resumedFrom) of them from before")
await downloader.shutdown()
