import PawlTestKit
import Testing

@testable import PawlArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Random archives, made of the elements that hostile archives use.
struct RandomArchiveTests {
    private struct Dice {
        var state: UInt64

        mutating func roll(_ sides: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % sides
        }

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[roll(elements.count)] }
    }

    private static let pieces = [
        "a", "b", "A", "..", ".", "/", "/", "/", "\\", ":", "C:", "\u{202E}", "\u{200B}", "\0", "\n", "é", "e\u{301}",
        "\u{301}", " ", "...", "-",
    ]

    @Test func `Z01 no accepted random path has a component that leads elsewhere`() {
        var dice = Dice(state: 1)
        var accepted = 0
        for _ in 0..<20_000 {
            let path = (0..<dice.roll(8)).map { _ in dice.pick(Self.pieces) }.joined()
            guard let found = try? MemberPath(path) else { continue }
            accepted += 1
            for part in found.parts {
                #expect(!part.isEmpty && part != "." && part != "..", "\(path.debugDescription)")
                #expect(
                    !part.utf8.contains { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F },
                    "\(path.debugDescription)")
            }
            // The steps as Windows would read them.
            let steps = found.text.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            #expect(!steps.contains { $0.elementsEqual("..".utf8) }, "\(path.debugDescription)")
            #expect(
                !found.text.utf8.starts(with: "\\".utf8) && !found.text.utf8.starts(with: "/".utf8),
                "\(path.debugDescription)")
            #expect((try? MemberPath(found.text)) == found || found.parts.isEmpty, "\(path.debugDescription)")
        }
        #expect(accepted > 1000)
    }

    /// Resolves each link with the system's own `realpath`.
    @Test func `Z02 no random archive creates a link that leads outside`() throws {
        let scene = try ExtractionScene()
        var dice = Dice(state: 2)
        var links = 0
        let names = ["a", "b", "c"]
        let outside = try #require(realPath(scene.directory.path))
        for _ in 0..<600 {
            let fresh = try FreshDirectory.make(for: Target(scene.target))
            let members: [ArchiveMember] = (0..<2 + dice.roll(6)).map { _ in
                let path = (0..<1 + dice.roll(3)).map { _ in dice.pick(names) }.joined(separator: "/")
                let target = (0..<1 + dice.roll(4)).map { _ in dice.pick(names + ["..", "..", ".", ""]) }.joined(
                    separator: "/")
                return switch dice.roll(5) {
                case 0: .file(path)
                case 1: .directory(path)
                case 2: .hardLink(path, to: target)
                default: .link(path, to: target)
                }
            }
            let writer = try MemberWriter(ListedMembers(members), limits: .init(), flag: .init(), report: nil)
            let filling = try TreeFilling(fresh.makeTree(), writer, .init(), syncsEachFile: false)
            if (try? filling.fill()) != nil {
                let root = "\(outside)/target.part/new"
                for (name, status) in try Files.listing(root) where status.mode & 0o170000 == 0o120000 {
                    links += 1
                    guard let end = realPath("\(root)/\(name)") else { continue }
                    #expect(end == root || end.hasPrefix(root + "/"), "\(members)")
                }
            }
            try fresh.remove()
        }
        #expect(links > 30)
        scene.expectNothing()
    }

    private func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
