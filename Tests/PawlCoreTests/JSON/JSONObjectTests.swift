import PawlCore
import Testing

@Suite struct JSONObjectTests {
    private struct Failure: Error, Equatable, JSONObjectError {
        let problem: JSONObjectProblem

        init(_ problem: JSONObjectProblem) { self.problem = problem }
    }

    private typealias Object = JSONObject<Failure>

    private func problem(_ value: JSONValue, _ read: (inout Object) throws(Failure) -> Void) -> JSONObjectProblem? {
        do throws(Failure) {
            var object = try Object(value, "a")
            try read(&object)
            try object.finish()
            return nil
        } catch {
            return error.problem
        }
    }

    @Test func `members of an object are taken one by one`() throws {
        var object = try Object([
            "text": "é", "number": 7, "flag": .boolean(true), "texts": ["x", "y"], "list": [1], "null": .null,
        ])
        #expect(try object.required("text", 2...2) == "é" && object.integer("number", 7...7) == 7)
        #expect(try object.flag("flag") == true && object.strings("texts", atMost: 2) == ["x", "y"])
        #expect(try object.list("list") { value, _ in value } == [1])
        #expect(object.has("null") && object.take("null") == .null && !object.has("null"))
        #expect(try object.string("text") == nil && object.value("text") == nil)
        try object.finish()
    }

    @Test func `null is as good as missing for a value of a type`() throws {
        var object = try Object(["a": .null, "b": .null, "c": .null, "d": .null])
        #expect(try object.string("a") == nil && object.integer("b") == nil && object.flag("c") == nil)
        #expect(try object.strings("d") == nil)
        try object.finish()
    }

    @Test func `a wrong member is named with the objects around it, and with the value that is expected`() {
        #expect(problem([]) { _ in } == .noObject("a"))
        #expect(problem([:]) { object throws(Failure) in _ = try object.required("b") } == .missing("a.b"))
        #expect(problem(["b": 1]) { _ in } == .unknown("a.b"))
        let wrong: [(JSONValue, String, (inout Object) throws(Failure) -> Void)] = [
            (1, "a string", { object throws(Failure) in _ = try object.string("b") }),
            ("", "a string of 1 to 2 bytes", { object throws(Failure) in _ = try object.string("b", 1...2) }),
            ("1", "a whole number", { object throws(Failure) in _ = try object.integer("b") }),
            (9, "a whole number from 1 to 2", { object throws(Failure) in _ = try object.integer("b", 1...2) }),
            (1, "true or false", { object throws(Failure) in _ = try object.flag("b") }),
            ([1], "a list of strings", { object throws(Failure) in _ = try object.strings("b") }),
            (
                ["x", "y"], "a list of at most 1 strings",
                { object throws(Failure) in _ = try object.strings("b", atMost: 1) }
            ),
            (1, "a list", { object throws(Failure) in _ = try object.list("b") { value, _ in value } }),
        ]
        for (value, expected, read) in wrong {
            #expect(problem(["b": value], read) == .wrong("a.b", expected: expected))
        }
    }
}
