import PawlCore
import Testing

@Suite struct XXHash3Tests {
    // Made with xxHash 0.8.1 over the bytes i * 131 + 7: every way of hashing a short input, and in which the last
    // stripe can end.
    @Test(
        arguments: [
            (0, 0x2D06_8005_38D3_94C2), (1, 0x4C5C_CA45_D0F4_811F), (2, 0x29C6_0963_CBFA_4E6E),
            (3, 0x6E3E_2670_E611_06AC),
            (4, 0x5C4C_6313_3443_D03F), (5, 0x49F5_EB31_1128_0B63), (7, 0x46A5_C724_D51F_E43F),
            (8, 0xF9FD_4DD0_B04D_78F5),
            (9, 0x7C20_DF97_12C2_6EDF), (12, 0x16D2_DFF5_4DC2_EE45), (16, 0x86AB_F6BA_CCEA_0858),
            (17, 0xB58B_F5DC_5022_D071),
            (31, 0x4844_2FCD_5518_B086), (32, 0xE371_2ED8_4C04_A66E), (33, 0xA4DE_E99B_093E_1F73),
            (64, 0x1291_D2D4_0423_30DD),
            (65, 0x97C6_BF83_217E_5EC9), (96, 0x8129_6929_FC06_3365), (97, 0xF145_A45B_658A_B9DD),
            (128, 0x10D1_7F72_C0CC_BA41),
            (129, 0x1648_BDC3_DB49_D1A2), (144, 0xB46D_BFC6_D9E3_1ABA), (150, 0xD242_6702_9703_4F04),
            (239, 0xF0D1_5481_9ADB_16CD),
            (240, 0xB6CF_AF34_3FAB_81E6), (241, 0x956C_AE59_2C67_279E), (255, 0x64A6_0730_25EB_7929),
            (256, 0xB15E_5507_33C5_DFAC),
            (257, 0x87B3_BF2D_941C_F085), (319, 0x122B_14AF_7B6C_F893), (320, 0x28BC_5AA2_7579_9FF9),
            (321, 0x48F9_605F_8FB7_87DC),
            (512, 0xA0E9_790E_B939_90D7), (1000, 0x571D_5CBF_EF44_331B), (1024, 0x70BD_377D_9574_F4BB),
            (1025, 0x66C4_487C_41E1_27A7),
            (1088, 0xF43D_C77E_28A9_ACBC), (1089, 0x313B_C7EE_32BB_FA2E), (2048, 0x8B46_CAA6_7DAB_3A30),
            (4096, 0x9DDD_66C1_4AF0_DAFF),
            (4097, 0x34EE_CAEC_D321_95A4), (100000, 0x14CE_8D6F_C2C4_868B),
        ] as [(Int, UInt64)])
    func `hashes of all kinds of lengths equal those of the reference implementation`(_ count: Int, _ expected: UInt64)
    {
        #expect(pattern(count).withUnsafeBytes(XXHash3.hash) == expected)
    }

    @Test(arguments: 0..<30)
    func `input in pieces of any size has the hash of the whole`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let bytes = pattern(Int.random(in: 0...3000, using: &random))
        var hash = XXHash3()
        var rest = bytes[...]
        while !rest.isEmpty {
            // Pieces may be empty, and reading the value on the way changes nothing.
            let count = min(rest.count, Int.random(in: 0...300, using: &random))
            rest.prefix(count).withUnsafeBytes { hash.update($0) }
            rest = rest.dropFirst(count)
            #expect(hash.value == bytes.prefix(bytes.count - rest.count).withUnsafeBytes(XXHash3.hash))
        }
        #expect(hash.value == bytes.withUnsafeBytes(XXHash3.hash))
    }

    private func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 * 131 + 7) } }
}
