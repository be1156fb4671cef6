import PawlCore
import PawlJobs
import PawlOptions

/// The options that limit the contents and the unpacked size of an archive.
struct UnpackingOptions: Sendable {
    private(set) var unpacking = Unpacking()
    /// The words as typed, for a displayed command.
    private(set) var words: [String] = []

    static let options = values.map { option in
        option.setting { (options, text) throws(OptionValueProblem) in
            try option.set(&options, text)
            options.words += option.argument == .none ? [option.flag] : [option.flag, text]
        }
    }

    private static let values = OptionDeclaration<Self>.without(
        .configuration, because: .safety,
        [
            .value(
                "max-unpacked", "size", \.unpacking.maximumBytes,
                help: "Maximum unpacked size: 20G, or 'none'. Default: 10G, or ten times the archive if more."
            ) { (text) throws(OptionValueProblem) in
                if text.isExactly("none") { return .max }
                guard let size = try? ByteQuantity.parse(text) else {
                    throw OptionValueProblem(accepted: "\(ByteQuantity.accepted), or “none”: 20G")
                }
                return size
            },
            .init(
                "max-ratio", .value("times"),
                help: "Maximum ratio of unpacked to packed size, or 'none'. Default: 100.", takesNumber: true
            ) { (options, text) throws(OptionValueProblem) in
                let number = OptionText.wholeNumber(text)
                guard text.isExactly("none") || number ?? 0 > 0 else {
                    throw OptionValueProblem(accepted: "a whole number above zero, or “none”: 100")
                }
                options.unpacking.maximumRatio = number
            },
            .value(
                "max-members", "number", \.unpacking.maximumMembers,
                help: "Maximum number of files to unpack. Default: 1000000.", read: OptionText.number(1 ... .max)),
            .init("no-links", help: "Refuse all symbolic links, even those that stay inside.") { (options, text) in
                options.unpacking.allowsLinks = !text.isExactly("true")
            },
            .flag(
                "allow-twins", \.unpacking.allowsTwins, help: "Unpack names that differ only in case or Unicode form."),
            .init(
                "password-file", .value("file"),
                help: "Read the password from the first line of this file. Otherwise Pawl asks for it.",
                completion: .file
            ) { (options, text) in options.unpacking.password = .file(text) },
        ]
    ).map { $0.without(.lists, because: .wholeRun) }
}
