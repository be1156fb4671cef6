import Foundation
import PawlCore
import PawlTestKit
import Testing

/// A program that writes to the database, killed with `kill -9` at random moments, again and again.
///
/// The moments follow from a seed; to reproduce a failure, set PAWL_SEED to it.
@Suite("The service's database, killed at random moments", .timeLimit(.minutes(4)))
struct StoreKillTests {
    private static let kills = 100

    @Test func `each transaction that has returned is there, once, and none in part`() async throws {
        let seed = ProcessInfo.processInfo.environment["PAWL_SEED"].flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("PAWL_SEED=\(seed)")
        var chance = SplitMix64(seed: seed)
        let directory = try TemporaryDirectory("store-kill", in: TemporaryDirectory.memory)
        let path = directory.file("pawl.sqlite")
        let program = try #require(Subprocess.built("StoreWriter"))
        var transactions = 0
        for kill in 1...Self.kills {
            let writer = try Subprocess(program, ["write", path, "\(chance.next())"])
            while writer.running() && !writer.standardOutput.contains("<") {
                try await Task.sleep(for: .milliseconds(1))
            }
            try await Task.sleep(for: .microseconds(Int.random(in: 0...40_000, using: &chance)))
            writer.kill9()
            _ = try await writer.wait(timeout: .seconds(30))
            let told = writer.standardOutput.split(separator: "\n").map { String($0) }
            try #require(told.contains { $0.hasPrefix("<") }, "\(writer.standardError)")
            transactions += told.count { $0.hasPrefix("<") } - 1

            let found = try await Subprocess.run(program, ["digest", path]).standardOutput.trimmingCharacters(
                in: .whitespacesAndNewlines)
            try #require(
                Self.allowed(after: told).contains(found), "kill \(kill): found \(found) after \(told.suffix(3))")
        }
        print("\(transactions) transactions in \(Self.kills) lives")
        #expect(transactions > Self.kills)
    }

    /// The digests that the database may have once a program that told this is dead: a line that was cut off tells
    /// nothing.
    static func allowed(after told: [String]) -> [String] {
        guard let last = told.lastIndex(where: { $0.hasPrefix("< ") }) else { return [] }
        return told[last...].map { String($0.dropFirst(2)) }
    }
}
