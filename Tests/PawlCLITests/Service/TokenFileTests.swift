import PawlTestKit
import Testing

@testable import PawlCLI

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite struct TokenFileTests {
    private let directory: TemporaryDirectory
    private var file: TokenFile { TokenFile(path: directory.file("token")) }

    init() throws { directory = try TemporaryDirectory() }

    @Test func `a renewed token has 256 bits, and only its owner can read it`() throws {
        let first = try file.renew()
        let second = try file.renew()
        #expect(first != second && second.utf8.count == 43)
        #expect(try file.read() == second)
        var status = stat()
        #expect(stat(file.path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try Files.names(directory.path) == ["token"])
    }

    @Test(arguments: [0o644, 0o660, 0o604] as [mode_t])
    func `a token that others can read is no secret`(mode: mode_t) throws {
        _ = try file.renew()
        chmod(file.path, mode)
        #expect(throws: TokenFile.Problem.self) { try file.read() }
    }

    @Test func `what is no token is told`() throws {
        #expect(throws: TokenFile.Problem.self) { try file.read() }
        try Files.write([], to: file.path)
        chmod(file.path, 0o600)
        #expect(throws: TokenFile.Problem.self) { try file.read() }
        unlink(file.path)
        symlink("/etc/hostname", file.path)
        #expect(throws: TokenFile.Problem.self) { try file.read() }
    }

    @Test func `a token is base64url without padding`() {
        #expect(
            TokenFile.base64URL([]) == "" && TokenFile.base64URL([0xFF]) == "_w"
                && TokenFile.base64URL([0xFF, 0xEF]) == "_-8")
        #expect(
            TokenFile.base64URL(Array("Man".utf8)) == "TWFu"
                && TokenFile.base64URL([0xFB, 0xFF, 0xFE, 0x00]) == "-__-AA")
    }
}
