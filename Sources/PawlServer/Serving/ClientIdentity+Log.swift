import Logging

extension ClientIdentity {
    /// The fields that each line about the client has.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["address": "\(address)"]
        if let origin { metadata.updateValue("\(Printable.word(origin.utf8.prefix(200)))", forKey: "origin") }
        return metadata
    }
}

/// Text from outside for a log: no line break, no escape sequence.
enum Printable {
    static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }

    /// The same, without a blank: a value cannot look like other fields of its line.
    static func word(_ bytes: some Sequence<UInt8>) -> String {
        text(bytes.map { $0 == UInt8(ascii: " ") ? UInt8(ascii: "?") : $0 })
    }
}
