import PawlArchive
import PawlCore
import Testing

@testable import PawlCLI

@Suite struct ExitCodeTests {
    private static let expected: [DownloadError.Code: Int32] = [
        .alreadyCompleted: 64, .unknownDownload: 64,
        .invalidURL: 64, .invalidArgument: 64, .network: 3, .tls: 3, .unauthorized: 4, .notFound: 4, .refused: 4,
        .badResponse: 4, .redirect: 4, .changed: 5, .digestMismatch: 6, .diskFull: 7, .notWritable: 8, .diskError: 8,
        .partialFileChanged: 8, .fileExists: 9, .locked: 10, .journal: 11, .tooLarge: 12, .timeout: 14,
        .rangesNotSupported: 4,
        .incomplete: 19, .tooFewThreads: 20,
    ]

    @Test(arguments: DownloadError.Code.all)
    func `every error has its exit code`(code: DownloadError.Code) {
        #expect(ExitCode(code).rawValue == Self.expected[code])
    }

    private static let archives: [ArchiveError.Code: Int32] = [
        .invalidArgument: 64, .unreadable: 8, .notAnArchive: 15, .truncated: 15, .damaged: 15, .unsupported: 15,
        .passwordNeeded: 17,
        .wrongPassword: 17, .unsafeName: 16, .unsafeLink: 16, .duplicateName: 16, .unsafeKind: 16, .tooLarge: 16,
        .noSuchMember: 15,
        .targetExists: 9, .locked: 10, .diskFull: 7, .notWritable: 8, .diskError: 8, .changed: 5,
    ]

    @Test(arguments: ArchiveError.Code.all)
    func `every archive error has its exit code`(code: ArchiveError.Code) {
        #expect(ExitCode(code).rawValue == Self.archives[code])
    }

    @Test func `an unknown error code is an unexpected failure`() {
        #expect(ExitCode(DownloadError.Code(rawValue: "fromLater")) == .failure)
        #expect(ExitCode(ArchiveError.Code(rawValue: "fromLater")) == .failure)
    }

    @Test func `the exit code after a signal is 128 plus its number`() {
        #expect(StopCause.allCases.map(\.exitCode.rawValue) == [129, 130, 143, 141])
    }

    @Test func `the help lists every exit code with its meaning`() {
        let lines = ExitCode.table.split(separator: "\n")
        for code in ExitCode.allCases {
            #expect(lines.contains { $0.contains("\(code.rawValue)") && $0.hasSuffix(code.meaning) }, "\(code)")
        }
    }

    /// Invalid arguments end the program before it touches any file.
    @Test(arguments: [
        [], ["frobnicate"], ["get"], ["get", "a", "b"], ["get", "--frobnicate", "http://h/"], ["get", "ftp://h/"],
        ["get", "http://h/", "-x", "many"], ["get", "http://h/", "-x", "0"], ["get", "http://h/", "--max-speed", "-5"],
        ["get", "http://h/", "--max-speed", "0"], ["get", "http://h/", "--max-filesize", "-1"],
        ["get", "http://h/", "--checksum", "md5:0"], ["get", ""],
        ["get", "http://h/", "--on-change", "ask"], ["get", "http://h/", "--if-exists", "ask"],
        ["get", "http://h/", "--header", "nonsense"], ["get", "http://h/", "-o", "/"], ["probe"], ["status"],
        ["extract"], ["extract", "a", "b"], ["extract", "https://h/a.zip"], ["extract", "a.zip", "-d", ""],
        ["extract", "a.zip", "--if-exists", "ask"], ["extract", "a.zip", "--max-unpacked", "-1"],
        ["extract", "a.zip", "--max-ratio", "0"],
        ["extract", "a.zip", "--max-members", "many"], ["extract", "a.zip", "--password-file", "/nonexistent/file"],
        ["list"], ["list", ""], ["pack"], ["pack", "a.zip"], ["pack", "a.xyz", "b"], ["pack", "a.zip", "../b"],
        ["pack", "a.tar", "b", "--level", "3"],
        ["get", "http://h/a.zip", "--extract-remove"],
        ["get", "http://h/a.zip", "--extract", "--extract-keep", "--extract-remove"],
        ["get", "http://h/a.zip", "--extract", "--range", "0-9"], ["get", "http://h/a.zip", "--extract", "-o", "-"],
        ["get", "http://h/a.zip", "--extract="],
        ["verify", "file"], ["verify", "file", "--checksum", "nonsense"],
    ])
    func `invalid arguments are usage errors`(arguments: [String]) async {
        #expect(await Session.silent.run(arguments) == .usage)
    }
}

extension Session {
    /// A session whose output streams fail on every write.
    static var silent: Session {
        Session(output: OutputStream(descriptor: -1), errors: OutputStream(descriptor: -1))
    }
}
