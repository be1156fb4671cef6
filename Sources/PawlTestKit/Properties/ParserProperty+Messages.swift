internal import PawlCore

extension ParserProperty {
    /// Byte 0 says whether the request was HEAD; the rest comes over the connection. In pieces of any size it has one
    /// meaning, and that is the one that the fields state.
    static func message(_ bytes: [UInt8]) throws(Violation) {
        let stream = Array(bytes.dropFirst())
        let isHead = bytes.first.map { $0 & 1 == 1 } ?? false
        let whole = Message(stream, isHead: isHead, pieces: max(1, stream.count))
        let dripped = Message(stream, isHead: isHead, pieces: 1)
        try claim(whole == dripped, "in pieces \(dripped), as a whole \(whole)")
        guard let head = whole.head, let mayPersist = whole.mayPersist else { return }
        try claim(!isHead || whole.content.isEmpty, "content behind HEAD")
        guard !isHead, ![101, 204, 304].contains(head.status) else { return }
        switch BodyFraming(head.fields) {
        case .length(let count): try claim(whole.content.count == count, "another length: \(whole)")
        case .chunked: try claim(whole.content.count <= stream.count, "more content than was sent: \(whole)")
        case .untilClose, .invalid: try claim(!mayPersist, "an end without a close: \(whole)")
        }
    }
}

/// The first response in a stream of bytes.
private struct Message: Equatable {
    var head: ResponseHead?
    var content: [UInt8] = []
    /// Whether the connection may be kept; nil as long as the message has not ended.
    var mayPersist: Bool?
    var isInvalid = false

    init(_ stream: [UInt8], isHead: Bool, pieces: Int) {
        var reader = ResponseReader()
        reader.begin(isHead: isHead)
        var rest = stream[...]
        while !rest.isEmpty, mayPersist == nil {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            var taken = 0
            while true {
                let (count, part) = piece[taken...].withUnsafeBytes { reader.read($0) }
                taken += count
                switch part {
                case .head(let head): self.head = head
                case .content(let count): content += piece[(taken - count)..<taken]
                case .end(let mayPersist): self.mayPersist = mayPersist
                case .invalid:
                    isInvalid = true
                    return
                case nil: break
                }
                if part == nil || mayPersist != nil { break }
            }
        }
    }
}
