// Downloads a zip, unpacks it, and packs what was in it into another one.
//
//     swift run ArchiveExample https://example.org/tables.zip tables.zip again.zip
import Pawl
import PawlArchive

let (url, path, again) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])
let downloader = try Downloader()
let file = try await downloader.download(url, to: path)
print("\(file.path): \(file.byteCount) bytes")

let unpacked = try await file.extract()
print("\(unpacked.directory): \(unpacked.members) members, \(unpacked.bytes) bytes")

let packed = try await Archive.pack([unpacked.directory], to: again)
print("\(packed.path): \(packed.archiveBytes) bytes")
await downloader.shutdown()
