import PawlConfiguration
import PawlOptions
import Testing

@testable import PawlCLI

@Suite struct ConfigurationTableTests {
    private typealias Options = PawlConfiguration.ServiceOptions

    @Test func `each option of the service changes a value of its own`() throws {
        let untouched = String(describing: Options())
        var changed: Set<String> = []
        for option in Options.declaration {
            let texts = option.argument == .none ? ["true", "false"] : ["7"]
            let results = try texts.map { text in
                var options = Options()
                try option.set(&options, text)
                return String(describing: options)
            }.filter { $0 != untouched }
            #expect(results.count == 1, "\(option.name)")
            changed.formUnion(results)
        }
        #expect(changed.count == Options.declaration.count)
    }

    @Test func `keys of the service come from its options`() {
        func kind(_ name: String) -> ConfigurationKey.Kind? { Options.keys.first { $0.name == name }?.kind }
        #expect(kind("public_url") == .value)
        #expect(kind("allow_origin") == .list)
        #expect(kind("plain_http") == .flag(negated: "--no-plain-http"))
        #expect(Options.keys.map(\.flag) == Options.declaration.map(\.flag))
        #expect(Set(Options.keys.map(\.name)).count == Options.keys.count)
    }

    @Test func `the service knows which of its keys pawl get has as well`() {
        let ours = CommandDefaults.schema.keys.map(\.name)
        #expect(Options.sharedKeys.map(\.name) == Options.keys.map(\.name).filter(ours.contains))
    }

    @Test func `the values of an option are those that its arguments say`() throws {
        let key = { (name: String) in try #require(Options.keys.first { $0.name == name }) }
        #expect(ConfiguredOption(try key("proxy"), .variable("P"), ["--proxy=a=b"]).values == ["a=b"])
        #expect(ConfiguredOption(try key("proxy"), .variable("P"), ["--proxy", ""]).values == [""])
        #expect(ConfiguredOption(try key("host"), .variable("P"), ["--host=a", "--host=b"]).values == ["a", "b"])
        #expect(ConfiguredOption(try key("plain_http"), .variable("P"), ["--plain-http"]).values == ["true"])
        #expect(ConfiguredOption(try key("plain_http"), .variable("P"), []).values == ["false"])
    }
}
