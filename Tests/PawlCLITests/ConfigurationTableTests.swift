import PawlConfiguration
import PawlOptions
import Testing

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
        let keys = ConfigurationTable.service.keys
        func kind(_ name: String) -> ConfigurationKey.Kind? { keys.first { $0.name == name }?.kind }
        #expect(kind("public_url") == .value)
        #expect(kind("allow_origin") == .list)
        #expect(kind("plain_http") == .flag(negated: "--no-plain-http"))
        #expect(keys.map(\.flag) == Options.declaration.map(\.flag))
        for table in ConfigurationTable.allCases { #expect(Set(table.keys.map(\.name)).count == table.keys.count) }
    }
}
