import PawlCore
import PawlEngine

/// The invariants after each life.
extension MeddlingStory {
    /// The directory before a life.
    struct Snapshot {
        let items: [SimulatedDisk.Item]
        /// Serials of the partial files that their journals describe, which can be resumed.
        let described: Set<Int>

        init(_ disk: SimulatedDisk, _ directory: String, given: Set<Int>) {
            items = disk.items(in: directory)
            var found: Set<Int> = []
            for item in items where item.name.hasSuffix(".part") {
                let name = FileName.journalName(for: String(item.name.dropLast(5)))
                guard let journal = items.first(where: { $0.name == name }), let record = Journal.latest(journal.bytes),
                    record.partialInode == item.inode,
                    item.mark == record.id || given.contains(item.serial)
                        || (!disk.features.hasMarks && item.ownership != .users)
                else { continue }
                found.insert(item.serial)
            }
            described = found
        }

        /// Files that no run may delete: finished files, files set aside, and files that someone put there or moved.
        var kept: [SimulatedDisk.Item] {
            items.filter { item in
                !item.bytes.isEmpty && !described.contains(item.serial) && !item.name.hasSuffix(".pawl")
                    && (item.ownership != .pawls || !item.name.hasSuffix(".part"))
            }
        }
    }

    mutating func judge(_ life: Life, _ before: Snapshot, _ network: SimulatedNetwork, mayBeCut: Bool) throws {
        let after = disk.items(in: Self.directory)
        if life.runs.contains(where: \.plan.adoptsPartialFile) {
            given.formUnion(after.filter { $0.name.hasSuffix(".part") }.map(\.serial))
            for item in before.items
            where item.ownership == .users && item.mark == nil && given.contains(item.serial) {
                adopted[item.serial] = adopted[item.serial] ?? item.bytes
            }
        }
        try checkAdopted(before, after)
        try checkFinalNames(life, before, after)
        try checkNothingVanished(life, before, after)
        try checkNamesAreKept(life, before, after)
        try checkEndings(life, after, mayBeCut: mayBeCut)
        guard network.wholeAnswerCount <= Self.maximumWholeAnswers * life.runs.count else {
            throw failure("\(network.wholeAnswerCount) answers were read from the first byte to the last")
        }
    }

    /// The largest number of whole responses of a server that always sends the whole file: one per version, and one
    /// more where a digest decides.
    private static let maximumWholeAnswers = 4

    /// Whether nothing but zeros was replaced.
    private static func isFilled(_ former: [UInt8], in bytes: [UInt8]) -> Bool {
        bytes.count >= former.count && zip(former, bytes).allSatisfy { $0 == 0 || $0 == $1 }
    }

    /// Each final name holds a complete file of its own URL, or its former content.
    private func checkFinalNames(_ life: Life, _ before: Snapshot, _ after: [SimulatedDisk.Item]) throws {
        for item in after where Self.isFinal(item.name) {
            guard !before.items.contains(where: { $0.name == item.name && $0.bytes == item.bytes }) else { continue }
            let finished = life.runs.filter { $0.end?.completedName.map { world.areOne($0, item.name) } ?? false }
            // A run that replaced another's finished file may have been cut off right after.
            let makers = finished.isEmpty || world.ifExists == .replace ? life.runs : finished
            guard makers.contains(where: { isVersion(item.bytes, of: $0.index) }) else {
                throw failure(
                    "“\(item.name)” holds \(item.bytes.count) bytes that are no version of \(makers.map(\.index))")
            }
        }
    }

    /// Every content survives under some name; an adopted file may have grown.
    private func checkNothingVanished(_ life: Life, _ before: Snapshot, _ after: [SimulatedDisk.Item]) throws {
        for item in before.kept {
            // Reserved space that was never written to.
            if item.mark != nil, item.bytes.allSatisfy({ $0 == 0 }) { continue }
            // What an aria2 had not finished may stand anywhere in it, and the gaps were filled.
            let isOfAria2 = before.items.contains { $0.name == item.name + AdoptionRule.aria2Suffix }
            let survives = after.contains {
                $0.bytes == item.bytes
                    || ($0.serial == item.serial
                        && ($0.bytes.starts(with: item.bytes) || isOfAria2 && Self.isFilled(item.bytes, in: $0.bytes)))
                    || (item.mark != nil && Self.isRepeated(item.bytes, in: $0.bytes))
            }
            // A partial file that was adopted got its name before it was replaced.
            let final = item.name.hasSuffix(".part") ? String(item.name.dropLast(5)) : item.name
            let isReplaced =
                world.ifExists == .replace
                && after.contains { file in
                    [item.name, final].contains(file.name) && life.runs.contains { isVersion(file.bytes, of: $0.index) }
                }
            // What aria2 has kept of a file goes when that is taken over, and stays while the file is as it was and not
            // whole.
            let isOfTaken =
                item.name.hasSuffix(AdoptionRule.aria2Suffix)
                && before.items.contains { former in
                    item.name == former.name + AdoptionRule.aria2Suffix
                        && !after.contains { file in
                            file.name == former.name && file.bytes == former.bytes
                                && !life.runs.contains { isVersion(file.bytes, of: $0.index) }
                        }
                }
            guard survives || isReplaced || isOfTaken else {
                throw failure("“\(item.name)”, \(item.ownership), \(item.bytes.count) bytes, has vanished")
            }
        }
    }

    /// In whichever life they were adopted, another program's bytes are the user's until the file is complete.
    private func checkAdopted(_ before: Snapshot, _ after: [SimulatedDisk.Item]) throws {
        for item in before.items where !Self.isFinal(item.name) {
            guard let held = adopted[item.serial], held.contains(where: { $0 != 0 }),
                Self.isFilled(held, in: item.bytes)
            else { continue }
            guard let now = after.first(where: { $0.serial == item.serial }), Self.isFilled(held, in: now.bytes) else {
                throw failure("“\(item.name)” was adopted, and the \(held.count) bytes it held then have vanished")
            }
            // A user may have copied a file with its mark.
            guard !now.isSetAside || item.isSetAside || Self.isFinal(now.name) else {
                throw failure("“\(now.name)” was adopted, and is marked as one that may be removed")
            }
        }
    }

    /// Pawl's own partial file without its journal is removed once a finished file contains everything that it held.
    private static func isRepeated(_ held: [UInt8], in whole: [UInt8]) -> Bool {
        held.count == whole.count && zip(held, whole).allSatisfy { $0 == 0 || $0 == $1 }
    }

    /// With `onChange` set to fail, a file that could not be adopted keeps the name under which it was found.
    private func checkNamesAreKept(_ life: Life, _ before: Snapshot, _ after: [SimulatedDisk.Item]) throws {
        guard
            life.runs.allSatisfy({
                $0.plan.adoptsPartialFile && $0.plan.settings.onChange == .fail && $0.end?.isFailure == true
            })
        else { return }
        for item in before.items where item.ownership == .users {
            guard let now = after.first(where: { $0.serial == item.serial }), now.bytes == item.bytes,
                now.name != item.name
            else { continue }
            throw failure("“\(item.name)” could not be adopted, and is called “\(now.name)” now")
        }
    }

    private mutating func checkEndings(_ life: Life, _ after: [SimulatedDisk.Item], mayBeCut: Bool) throws {
        for run in life.runs {
            switch run.end {
            case nil:
                guard mayBeCut else { throw failure("nothing left to do, and no end of \(run.index)") }
            case .completed(let name):
                guard let name, isThere(name, of: run, life, after) else {
                    throw failure("\(run.index) is completed as “\(name ?? "-")”, which is not its file")
                }
                guard isName(name, of: run) else {
                    throw failure("\(run.index) is completed as “\(name)”, another's name")
                }
                summary.completed += 1
                completed[run.index] = name
            case .skipped(let name): try checkSkipped(name, by: run, life)
            case .failed, .paused: break
            case .inTheMiddle(let phase): throw failure("\(run.index) ended in \(phase)")
            }
        }
        let names = Set(completed.values)
        guard names.count == completed.count || world.ifExists == .replace || troubles.contains(.users) else {
            throw failure("\(completed.count) were completed as \(names.sorted())")
        }
    }

    /// Another run's file under another spelling of the name is not the file that was asked for.
    private func checkSkipped(_ name: String?, by run: Run, _ life: Life) throws {
        let others = life.runs.filter { $0.index != run.index }.compactMap { $0.end?.completedName }
        guard let name, others.contains(where: { isOtherSpelling($0, of: name) }) else { return }
        throw failure("\(run.index) takes another's file for “\(name)”")
    }

    private func isOtherSpelling(_ other: String, of name: String) -> Bool {
        !other.isExactly(name) && world.areOne(other, name)
    }

    /// Whether the file of a run is there. If several runs replace each other's file, the last one's remains, unless
    /// all were asked for at once; a run that adopts another's finished file may set it aside.
    private func isThere(_ name: String, of run: Run, _ life: Life, _ after: [SimulatedDisk.Item]) -> Bool {
        if after.contains(where: { world.areOne($0.name, name) && isVersion($0.bytes, of: run.index) }) { return true }
        let others = life.runs.filter { $0.index != run.index }
        if !life.isOneRun, others.contains(where: \.plan.adoptsPartialFile),
            after.contains(where: { isVersion($0.bytes, of: run.index) })
        {
            return true
        }
        guard world.ifExists == .replace, !life.isOneRun,
            !others.contains(where: { $0.end?.completedName.map { isOtherSpelling($0, of: name) } ?? false })
        else { return false }
        return others.contains { other in after.contains { $0.name == name && isVersion($0.bytes, of: other.index) } }
    }

    /// The name that the caller or the server chose, or the next free variant of it. An adopted file has the URL's
    /// name.
    private func isName(_ name: String, of run: Run) -> Bool {
        let wanted = world.wanted[run.index]
        let own = [wanted.name] + (wanted.fileName == nil && troubles.contains(.users) ? ["file.bin"] : [])
        // A name that already has a number can get another.
        let plain = (1...20).reduce(name) { text, number in
            text.split(separator: " (\(number))", omittingEmptySubsequences: false).joined()
        }
        return own.contains(plain)
    }

    private func isVersion(_ bytes: [UInt8], of index: Int) -> Bool {
        world.origin(of: index).versions.contains { $0.bytes == bytes }
    }

    static func isFinal(_ name: String) -> Bool {
        !FileName.isReserved(name) && !name.contains(".part.") && !name.hasSuffix(".aria2") && !name.hasSuffix(".st")
    }
}

extension MeddlingStory.End {
    fileprivate var completedName: String? {
        if case .completed(let name) = self { name } else { nil }
    }

    fileprivate var isFailure: Bool {
        if case .failed = self { true } else { false }
    }
}
