import PawlCore

/// A message of the RPC in a request of HTTP: in the body, or in the query as aria2 lets scripts send it.
struct RPCMessage {
    var body: [UInt8]
    /// The name of a function that a script of another site gets the answer by (JSONP).
    private var callback: String?

    /// Reads a message; nil for a preflight request (`OPTIONS`).
    init?(_ call: HTTPCall) {
        if call.method.isExactly("OPTIONS") { return nil }
        guard call.method.isExactly("GET") else {
            body = call.body
            return
        }
        callback = call.parameter("jsoncallback").flatMap { Self.isName($0) ? $0 : nil }
        let parameters = call.parameter("params").flatMap { Base64.decode($0.utf8) }
        let (method, id) = (call.parameter("method"), call.parameter("id"))
        guard method != nil || id != nil else {
            // A batch.
            body = parameters ?? []
            return
        }
        var members: [String] = []
        if let method { members.append("\"method\":\(JSONValue.string(method).encoded)") }
        if let id { members.append("\"id\":\(JSONValue.string(id).encoded)") }
        if let parameters { members.append("\"params\":\(String(decoding: parameters, as: UTF8.self))") }
        body = Array("{\(members.joined(separator: ","))}".utf8)
    }

    /// Returns whether a text names a JavaScript function, perhaps a member of an object.
    private static func isName(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ASCII.isAlphanumeric($0) || [UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: ".")].contains($0)
            }
    }

    func answer(_ reply: Aria2.Reply) -> HTTPAnswer {
        let text = reply.text.bytes
        return HTTPAnswer(
            status: reply.status,
            fields: [("content-type", callback == nil ? "application/json-rpc" : "text/javascript")]
                + (reply.retryAfter.map { [("retry-after", "\($0)")] } ?? []),
            body: .bytes(callback.map { Array("\($0)(".utf8) + text + Array(")".utf8) } ?? text))
    }
}
