import PawlCore
import Testing

@Suite struct XXHash64Tests {
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
            ("message digest", 0x066E_D728_FCEE_B3BE), ("abcdefghijklmnopqrstuvwxyz", 0xCFE1_F278_FA89_835C),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 0xAAA4_6907_D304_7814),
        ] as [(String, UInt64)])
    func `hashes of texts equal those of the reference implementation`(_ text: String, _ expected: UInt64) {
        #expect(Array(text.utf8).withUnsafeBytes(XXHash64.hash) == expected)
    }

    // Made with xxHash 0.8 over the bytes i * 131 + 7: every way in which the last stripe can end.
    @Test(
        arguments: [
            (1, 0xA96C_7F0C_E858_BBB7), (3, 0xBED4_3740_EE63_32BB), (4, 0xFA21_2AE4_4B3B_B23D),
            (5, 0xD339_DCC9_AC8E_6776),
            (7, 0x2744_460D_D675_D2C0), (8, 0x994B_676B_71CE_94DD), (9, 0x572B_84C1_8B98_3AF8),
            (12, 0xB92F_588C_E720_786E),
            (15, 0x09E6_451E_D2FF_8B1D), (16, 0x94AD_0095_E72B_24D5), (31, 0x6711_D55E_306B_5D8F),
            (32, 0x07F7_B8E3_BC5D_6E25), (33, 0x09F8_5EEB_4E1C_BE9F), (47, 0x79BD_9D6D_D8C1_5570),
            (63, 0xB7C9_968C_066C_B6A5), (64, 0x50D4_159A_0411_632E), (65, 0xD277_176B_FF86_3EFC),
            (100, 0x9DDA_DA11_D3DC_2D8F), (127, 0x54CF_771B_5423_F6A7), (255, 0x15A6_DB05_D4E8_3DF4),
            (256, 0xA2DB_E913_9652_56FC), (1000, 0x0BF0_BDBC_C82E_B373), (4096, 0xCF05_ADF7_5ACA_30CF),
        ] as [(Int, UInt64)])
    func `hashes of all kinds of lengths equal those of the reference implementation`(_ count: Int, _ expected: UInt64)
    {
        #expect(pattern(count).withUnsafeBytes(XXHash64.hash) == expected)
    }

    @Test(arguments: 0..<30)
    func `input in pieces of any size has the hash of the whole`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = pattern(Int.random(in: 0...700, using: &random))
        var hash = XXHash64()
        var rest = bytes[...]
        while !rest.isEmpty {
            // Pieces may be empty, and reading the value on the way changes nothing.
            let count = min(rest.count, Int.random(in: 0...70, using: &random))
            rest.prefix(count).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(count)
            #expect(hash.value == bytes.prefix(bytes.count - rest.count).withUnsafeBytes(XXHash64.hash))
        }
        #expect(hash.value == bytes.withUnsafeBytes(XXHash64.hash))
    }

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) } }
}
