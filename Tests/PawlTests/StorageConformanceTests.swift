import PawlCore
import PawlEngine
import PawlTestKit
import Testing

@testable import Pawl

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct StorageConformanceTests {
    /// Checks that pass and show little on a file system without extended attributes.
    static let checksOfAttributes: [StorageConformance.Check] = [
        .markStaysWithTheFile, .markIsRemoved, .attributesStayWithTheFile,
    ]
    static let otherChecks = StorageConformance.Check.allCases.filter {
        !StorageConformanceTests.checksOfAttributes.contains($0)
    }

    @Test(arguments: otherChecks)
    func `POSIXStorage meets the contract of storage`(_ check: StorageConformance.Check) throws {
        try run(check)
    }

    @Test(
        .enabled(if: Scratch.keepsAttributes, "the file system of /tmp keeps no extended attributes"),
        arguments: checksOfAttributes)
    func `POSIXStorage meets the contract of extended attributes`(_ check: StorageConformance.Check) throws {
        try run(check)
    }

    private func run(_ check: StorageConformance.Check) throws {
        let scratch = try Scratch()
        let conformance = StorageConformance(storage: POSIXStorage(), directory: scratch.path) { kind, name in
            try scratch.install(kind, name)
        }
        try conformance.run(check)
    }
}

@Suite struct POSIXStorageTests {
    private let scratch: Scratch
    private let directory: any StorageDirectory

    init() throws {
        scratch = try Scratch()
        directory = try POSIXStorage().openDirectory(scratch.path)
    }

    @Test func `an open directory remains usable after it was renamed`() throws {
        try scratch.install(.directory, "before")
        let inner = try POSIXStorage().openDirectory(scratch.path + "/before")
        try #require(rename(scratch.path + "/before", scratch.path + "/after") == 0)
        _ = try inner.create("file")
        #expect(try POSIXStorage().openDirectory(scratch.path + "/after").names() == ["file"])
    }

    @Test func `a symbolic link to a directory can be opened`() throws {
        #expect(symlink(".", scratch.path + "/link") == 0)
        _ = try POSIXStorage().openDirectory(scratch.path + "/link").create("file")
        #expect(try directory.status("file") != nil)
    }

    @Test func `a path with a NUL is refused`() throws {
        #expect(throws: StorageError.self) { try POSIXStorage().openDirectory(scratch.path + "\0/elsewhere") }
    }

    /// The fallback of ``POSIXDirectory/rename(_:to:replacing:)`` on a file system without conditional rename.
    @Test func `a rename by linking never replaces an existing file`() throws {
        let directory = try #require(directory as? POSIXDirectory)
        let file = try directory.create("file")
        try file.write([1], at: 0)
        _ = try directory.create("taken")
        let error = #expect(throws: StorageError.self) { try directory.renameByLinking("file", to: "taken") }
        #expect(error?.reason == .exists)
        try directory.renameByLinking("file", to: "new")
        #expect(try Set(directory.names()) == ["new", "taken"])
        #expect(try directory.status("new")?.identity == file.status().identity)
        #expect(try file.status().linkCount == 1)
    }

    /// FAULTS D18.
    @Test func `the permissions of new files follow the umask`() throws {
        let path = scratch.path + "/made"
        let made = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o666)
        try #require(made >= 0)
        close(made)
        #expect(try directory.status("made")?.permissions == directory.newFilePermissions)
    }

    /// The test runs in its own process, which has the mask.
    @Test func `D18 the umask that a program learns at its start is kept, and new files follow it`() async {
        await #expect(processExitsWith: .success) {
            _ = umask(0o027)
            POSIXStorage.learnUmask()
            #expect(umask(0o027) == 0o027)
            let scratch = try Scratch()
            let directory = try POSIXStorage().openDirectory(scratch.path)
            #expect(directory.newFilePermissions == 0o640)
            // The program's own, as it began: not what something in the process has made of it since.
            _ = umask(0o077)
            #expect(try POSIXStorage().openDirectory(scratch.path).newFilePermissions == 0o640)
        }
    }

    /// FAULTS D11. The test runs in its own process, because the limit and the signal apply to a whole process.
    @Test func `once SIGXFSZ is ignored, growing a file past the size limit is an error`() async {
        await #expect(processExitsWith: .success) {
            POSIXStorage.ignoreFileSizeSignal()
            limitFileSize(to: 4096)
            let scratch = try Scratch()
            let file = try POSIXStorage().openDirectory(scratch.path).create("file")
            try file.write([UInt8](repeating: 1, count: 4096), at: 0)
            for call in [
                { try file.write([1], at: 4096) }, { try file.truncate(to: 4097) }, { _ = try file.allocate(4097) },
            ] {
                let error = #expect(throws: StorageError.self, performing: call)
                #expect(error?.reason == .fileTooLarge)
            }
        }
    }

    @Test(.enabled(if: Scratch.reservesSpace, "the file system of /tmp reserves no space"))
    func `reserved space is allocated on the disk`() throws {
        let file = try directory.create("file")
        try #require(try file.allocate(1 << 20))
        var status = stat()
        try #require(stat(scratch.path + "/file", &status) == 0)
        #expect(Int64(status.st_blocks) * 512 >= 1 << 20)
    }

    @Test(.enabled(if: Scratch.keepsAttributes, "the file system of /tmp keeps no extended attributes"))
    func `a mark too long to be Pawl's counts as none`() throws {
        let file = try directory.create("file")
        try #require(try file.setMark([UInt8](repeating: 1, count: 2000)))
        #expect(try file.mark() == nil)
    }

    @Test func `a file closes with its last reference, which releases its lock`() throws {
        let other = try directory.create("file")
        var locked: (any StorageFile)? = try directory.open("file", writable: true)
        #expect(try locked?.lock() == true)
        #expect(try other.lock() == false)
        locked = nil
        #expect(try other.lock())
    }

    /// The number of a closed descriptor soon belongs to another file, which would show any write that reached it.
    @Test func `a write to a closed file never reaches another file`() async throws {
        for round in 0..<50 {
            let victim = try directory.create("victim\(round)")
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<4 {
                    group.addTask {
                        while (try? victim.write([UInt8](repeating: 1, count: 512), at: Int64(writer * 512))) != nil {
                            // Yield: there may be fewer threads than writers, and one must be free to close the file.
                            await Task.yield()
                        }
                    }
                }
                group.addTask { [directory] in
                    try? victim.close()
                    for other in 0..<8 { _ = try? directory.create("other\(round)-\(other)").status() }
                }
            }
            #expect(throws: StorageError(operation: "fstat", name: "victim\(round)", reason: .stale)) {
                try victim.status()
            }
        }
        for name in try directory.names() where name.hasPrefix("other") {
            #expect(try directory.status(name)?.size == 0)
        }
    }

    @Test func `the owner of new journals is this process`() {
        let owner = POSIXStorage().owner
        #expect(owner.processID == getpid())
        #expect(owner.startTime > 1_577_836_800)
        #expect(owner.startTime <= Int64(time(nil)) + 1)
        #expect(!owner.hostName.isEmpty)
        #expect(owner.bootID.count == 16 || owner.bootID.isEmpty)
    }
}

@Suite struct ProcessFactsTests {
    @Test func `the boot id is parsed from a UUID`() {
        #expect(
            ProcessFacts.bytes(ofUUID: "00010203-0405-0607-0809-0a0b0c0d0eFF\n")
                == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255])
        #expect(ProcessFacts.bytes(ofUUID: "") == [])
        #expect(ProcessFacts.bytes(ofUUID: "0001") == [])
    }

    @Test func `the umask is parsed from a process's status`() {
        #expect(ProcessFacts.umask(inStatus: "Name:\tpawl\nUmask:\t0027\nState:\tR (running)\n") == 0o027)
        #expect(ProcessFacts.umask(inStatus: "Name:\tpawl\nState:\tR (running)\n") == nil)
    }

    @Test(arguments: ["pawl", "a) R 9 9", "two words", ")", "", "\u{D4E}"])
    func `the start time of a process is parsed whatever its program is called`(_ name: String) {
        let fields = (3...52).map { "\($0 == 22 ? 4711 : $0)" }.joined(separator: " ")
        #expect(ProcessFacts.startTicks(inStatus: "42 (\(name)) \(fields)\n") == 4711)
        #expect(ProcessFacts.startTicks(inStatus: "42 (\(name)) R 1\n") == nil)
    }

    @Test func `the boot time is parsed from the kernel's statistics`() {
        #expect(ProcessFacts.bootTime(inStatistics: "cpu  1 2\nbtime 1700000000\nprocesses 5\n") == 1_700_000_000)
        #expect(ProcessFacts.bootTime(inStatistics: "cpu  1 2\n") == nil)
    }
}

private func limitFileSize(to bytes: UInt64) {
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    #if canImport(Glibc)
    let result = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
    let result = setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    precondition(result == 0, "setrlimit: \(errno)")
}

/// A temporary directory, removed with its contents when the test releases it.
private final class Scratch: Sendable {
    let path: String

    struct Failure: Error {
        let call: String
        let errno: Int32
    }

    init() throws {
        var template = Array("/tmp/pawl-storage-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Failure(call: "mkdtemp", errno: errno) }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        Scratch.removeAll(path)
    }

    /// Whether the file system of the temporary directory keeps extended attributes.
    static let keepsAttributes = can { try $0.setMark([1]) }

    /// Whether the file system of the temporary directory reserves space.
    static let reservesSpace = can { try $0.allocate(1 << 20) }

    private static func can(_ call: (any StorageFile) throws -> Bool) -> Bool {
        guard let scratch = try? Scratch() else { return false }
        return withExtendedLifetime(scratch) {
            guard let file = try? POSIXStorage().openDirectory(scratch.path).create("file") else { return false }
            return (try? call(file)) ?? false
        }
    }

    func install(_ kind: FileStatus.Kind, _ name: String) throws {
        let result =
            switch kind {
            case .directory: mkdir(path + "/" + name, 0o755)
            case .symbolicLink: symlink("nowhere", path + "/" + name)
            case .other: mkfifo(path + "/" + name, 0o600)
            case .regular: preconditionFailure("a regular file is for the storage to make")
            }
        if result != 0 { throw Failure(call: "install \(name)", errno: errno) }
    }

    private static func removeAll(_ path: String) {
        guard let directory = try? POSIXStorage().openDirectory(path), let names = try? directory.names() else {
            return
        }
        for name in names {
            let path = path + "/" + name
            if unlink(path) != 0 { removeAll(path) }
        }
        rmdir(path)
    }
}
