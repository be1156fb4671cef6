import PawlOptions
import Testing

@Suite struct SuggestionTests {
    private static let flags = ["--if-exists", "--adopt", "--connections", "--jobs", "--progress", "--directory"]
    private static let keys = ["if_exists", "connections", "max_speed"]

    @Test(arguments: [
        ("--force", " Did you mean “--if-exists replace”?"),
        ("--overwrite", " Did you mean “--if-exists replace”?"),
        ("--resume", " Did you mean “--adopt”? Pawl's own downloads resume without it."),
        ("--threads", " Did you mean “--connections”?"), ("--no-progress", " Did you mean “--progress none”?"),
        ("--conections", " Did you mean “--connections”?"), ("--nothing-like-it", ""), ("--token", ""),
    ])
    func `an option that people try is told by its name here`(typed: String, sentence: String) {
        #expect(Suggestion.sentence(for: typed, among: Self.flags) == sentence)
    }

    @Test func `a key of the configuration is found by the same words, and has no value behind it`() {
        #expect(Suggestion.sentence(for: "force", among: Self.keys) == " Did you mean “if_exists”?")
        #expect(Suggestion.sentence(for: "THREADS", among: Self.keys) == " Did you mean “connections”?")
        #expect(Suggestion.sentence(for: "speed_limit", among: Self.keys) == " Did you mean “max_speed”?")
    }

    @Test func `an exact name comes before what people mean by it`() {
        #expect(Suggestion.sentence(for: "--file", among: ["--input-file"]) == " Did you mean “--input-file”?")
        #expect(Suggestion.sentence(for: "--unpack", among: ["--extract"]) == " Did you mean “--extract”?")
        #expect(Suggestion.sentence(for: "remove", among: ["rm", "move"]) == " Did you mean “rm”?")
        #expect(!Suggestion.sentence(for: "remove", among: ["rm", "remove"]).contains("rm"))
    }

    @Test func `each name that is suggested is one word, and no word stands for itself`() {
        for known in Suggestion.known {
            #expect(!known.typed.isEmpty && !known.typed.contains(known.name), "\(known.name)")
            #expect(known.name.allSatisfy { $0.isLowercase || $0 == "-" })
        }
    }
}
