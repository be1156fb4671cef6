import ArgumentParser
import PawlCore
import PawlJobs

/// What an archive may contain, and how large it may unpack to.
struct UnpackingOptions: ParsableArguments, Sendable {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum unpacked size: 20G, or 'none'. Default: 10G, or ten times the archive if more.", valueName: "size")
    )
    var maxUnpacked: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum ratio of unpacked to packed size, or 'none'. Default: 100.", valueName: "times"))
    var maxRatio: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Maximum number of files to unpack. Default: 1000000.", valueName: "number"))
    var maxMembers: String?

    @Flag(help: "Refuse all symbolic links, even those that stay inside.")
    var noLinks = false

    @Flag(help: "Unpack names that differ only in case or Unicode form.")
    var allowTwins = false

    @Option(
        help: ArgumentHelp(
            "Read the password from the first line of this file. Otherwise it is asked for.", valueName: "file"),
        completion: .file())
    var passwordFile: String?

    /// The same as a job has it.
    func unpacking() throws(UsageError) -> Unpacking {
        var unpacking = Unpacking()
        unpacking.allowsLinks = !noLinks
        unpacking.allowsTwins = allowTwins
        if let maxUnpacked { unpacking.maximumBytes = try Self.size(maxUnpacked) }
        if let maxRatio {
            unpacking.maximumRatio =
                maxRatio == "none"
                ? nil : try Self.number(maxRatio, "--max-ratio takes a whole number above zero, or “none”: 100.")
        }
        if let maxMembers { unpacking.maximumMembers = try Self.members(maxMembers) }
        unpacking.password = passwordFile.map { .file($0) }
        return unpacking
    }

    /// As typed, for a displayed command.
    var words: [String] {
        let values = [
            ("--max-unpacked", maxUnpacked), ("--max-ratio", maxRatio), ("--max-members", maxMembers),
            ("--password-file", passwordFile),
        ]
        let flags = [("--no-links", noLinks), ("--allow-twins", allowTwins)]
        return values.flatMap { name, value in value.map { [name, $0] } ?? [] } + flags.filter(\.1).map(\.0)
    }

    static func members(_ text: String) throws(UsageError) -> Int {
        Int(clamping: try number(text, "--max-members takes a whole number above zero: 1000000."))
    }

    private static func size(_ text: String) throws(UsageError) -> Int64 {
        if text == "none" { return .max }
        do throws(ByteQuantity.Problem) {
            return try ByteQuantity.parse(text)
        } catch {
            throw UsageError("--max-unpacked takes \(ByteQuantity.accepted), or “none”: 20G.")
        }
    }

    private static func number(_ text: String, _ accepted: String) throws(UsageError) -> Int64 {
        guard let number = OptionText.wholeNumber(text), number > 0 else { throw UsageError(accepted) }
        return number
    }
}
