// Several connections fill one file, whose space is reserved at once: each shows the range that it works on.
//
//     swift run SegmentsExample https://example.org/disk.iso disk.iso 4
import Pawl

let (url, path) = (CommandLine.arguments[1], CommandLine.arguments[2])
let downloader = try Downloader()
var request = DownloadRequest(url, to: path)
request.maximumConnections = Int(CommandLine.arguments[3]) ?? 4
let download = try downloader.start(request)

for await progress in download.progress {
    guard let total = progress.totalBytes, progress.connections.count > 1 else { continue }
    let ranges = progress.connections.map { "\($0.position)-\($0.end ?? total)" }
    print("\(progress.bytesStored) of \(total):", ranges.joined(separator: " "))
}
let file = try await download.result()
print("\(file.path): \(file.byteCount) bytes")
await downloader.shutdown()
