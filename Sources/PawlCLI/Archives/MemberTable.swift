import PawlArchive
import PawlCore
import PawlSystem

/// The output of `pawl list`: a line for each member, and the sums below.
struct MemberTable {
    let members: [ArchiveMember]
    let locale: Locale
    /// A moment, in seconds since 1970, as people here write it.
    var time: (Int64) -> String = localTime

    private static let headers = ["SIZE", "PACKED", "MODIFIED", "NAME"]

    var text: String {
        let rows = members.map(cells)
        let widths = (0..<3).map { column in
            ([Self.headers[column]] + rows.map { $0[column] }).map(\.columns).max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            padded(cells[0], toWidth: widths[0]) + "  " + padded(cells[1], toWidth: widths[1]) + "  " + cells[2]
                + String(repeating: " ", count: max(0, widths[2] - cells[2].columns)) + "  " + cells[3] + "\n"
        }
        return line(Self.headers) + rows.map(line).joined() + sums + "\n"
    }

    private func cells(_ member: ArchiveMember) -> [String] {
        let isFile = member.kind == .file
        return [
            isFile ? member.size.map(ByteCount.text) ?? "?" : "-",
            isFile ? member.compressedSize.map(ByteCount.text) ?? "-" : "-",
            member.modified.map(time) ?? "-",
            name(member).shown(in: locale),
        ]
    }

    private func name(_ member: ArchiveMember) -> String {
        let name =
            switch member.kind {
            case .file: member.path
            case .directory: member.path.ends(with: "/") ? member.path : member.path + "/"
            case .symbolicLink(let target): "\(member.path) -> \(target)"
            case .hardLink(let target): "\(member.path) = \(target)"
            case .other(let what): "\(member.path) (\(what))"
            }
        return member.isEncrypted ? name + "  [encrypted]" : name
    }

    private var sums: String {
        let files = members.filter { $0.kind == .file }
        let directories = members.count { $0.kind == .directory }
        let others = members.count - files.count - directories
        var parts = [ArchiveWords.count(files.count, "file")]
        if directories > 0 {
            parts.append(directories == 1 ? "1 directory" : "\(ByteCount.grouped(Int64(directories))) directories")
        }
        if others > 0 { parts.append(others == 1 ? "1 other" : "\(ByteCount.grouped(Int64(others))) others") }
        let known = files.compactMap(\.size)
        if known.count == files.count { parts.append(ByteCount.text(sum(known))) }
        let packed = files.compactMap(\.compressedSize)
        if packed.count == files.count, !files.isEmpty { parts.append("packed \(ByteCount.text(sum(packed)))") }
        return parts.joined(separator: ", ")
    }

    /// An archive may claim any number.
    private func sum(_ numbers: [Int64]) -> Int64 {
        numbers.reduce(0) { sum, number in
            let (next, overflow) = sum.addingReportingOverflow(max(0, number))
            return overflow ? .max : next
        }
    }

    /// `2009-02-13 23:31`.
    static func localTime(_ seconds: Int64) -> String {
        var moment = time_t(seconds)
        var parts = tm()
        guard localtime_r(&moment, &parts) != nil else { return "?" }
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (year, overflow) = parts.tm_year.addingReportingOverflow(1900)
        return overflow
            ? "?" : "\(year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
