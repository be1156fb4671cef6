import Testing

@testable import PawlCore

@Suite("The rule for a file that already has the name")
struct ExistingFileRuleTests {
    private func decision(
        _ policy: ExistingFilePolicy, adopts: Bool = false, about kind: ExistingFileRule.Kind
    ) -> Result<ExistingFileRule.Decision, DownloadError> {
        Result { () throws(DownloadError) in
            try ExistingFileRule(policy: policy, adopts: adopts).decide(about: kind, named: "file.bin")
        }
    }

    @Test func `the policy decides about an existing file`() {
        #expect(decision(.replace, about: .regular) == .success(.proceed))
        #expect(decision(.skip, about: .regular) == .success(.skip))
        #expect(decision(.rename, about: .regular) == .success(.rename))
        guard case .failure(let error) = decision(.fail, about: .regular) else {
            Issue.record("a file was not refused")
            return
        }
        #expect(error.code == .fileExists && error.message == "“file.bin” already exists.")
        #expect(error.facts.nameHolder == .file)
    }

    @Test func `where an existing file would be an error, a given checksum decides whether it is the one`() throws {
        func decision(_ kind: ExistingFileRule.Kind) throws(DownloadError) -> ExistingFileRule.Decision {
            try ExistingFileRule(policy: .fail, adopts: false, hasDigest: true).decide(about: kind, named: "file.bin")
        }
        #expect(try decision(.regular) == .skip)
        for kind in [ExistingFileRule.Kind.directory, .symbolicLink, .other] {
            #expect(throws: DownloadError.self) { try decision(kind) }
        }
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a file that may be the beginning of the download is adopted, whatever the policy`(policy: ExistingFilePolicy)
    {
        #expect(decision(policy, adopts: true, about: .regular) == .success(.adopt))
    }

    @Test(arguments: ExistingFilePolicy.allCases)
    func `a symbolic link is replaced, renamed around or left alone, but never followed`(policy: ExistingFilePolicy) {
        let plain = decision(policy, about: .symbolicLink)
        #expect((try? plain.get()) == (policy == .fail ? nil : try? decision(policy, about: .regular).get()))
        let adopted = decision(policy, adopts: true, about: .symbolicLink)
        #expect((try? adopted.get()) == (policy == .rename ? .rename : nil))
    }

    @Test func `V23 where only a newer file is wanted, it is compared before its name or its failure is decided`()
        throws
    {
        func decision(_ policy: ExistingFilePolicy) throws -> ExistingFileRule.Decision {
            try ExistingFileRule(policy: policy, comparesFirst: true, adopts: false)
                .decide(about: .regular, named: "file.bin")
        }
        #expect(try decision(.fail) == .compare)
        #expect(try decision(.rename) == .compare)
        #expect(try decision(.replace) == .proceed)
        #expect(try decision(.skip) == .skip)
    }

    @Test(arguments: ExistingFilePolicy.allCases, [true, false])
    func `D29 another download's file under another spelling is renamed around, or an error`(
        policy: ExistingFilePolicy, adopts: Bool
    ) {
        let decision = Result { () throws(DownloadError) in
            try ExistingFileRule(policy: policy, adopts: adopts, finisher: .otherSpelling)
                .decide(about: .regular, named: "file.bin")
        }
        switch decision {
        case .success(let decision): #expect(policy == .rename && decision == .rename)
        case .failure(let error):
            #expect(policy != .rename && error.code == .fileExists && error.facts.nameHolder == .fileOfAnother)
        }
    }

    @Test(arguments: ExistingFilePolicy.allCases, [true, false])
    func `M17 a file that another download of the run has finished is never replaced, adopted or enough for another`(
        policy: ExistingFilePolicy, adopts: Bool
    ) {
        let decision = Result { () throws(DownloadError) in
            try ExistingFileRule(policy: policy, adopts: adopts, finisher: .sameRun)
                .decide(about: .regular, named: "file.bin")
        }
        switch decision {
        case .success(let decision):
            #expect(policy == .rename && decision == .rename)
        case .failure(let error):
            #expect(policy != .rename)
            #expect(error.code == .fileExists)
        }
    }

    @Test(arguments: ExistingFilePolicy.allCases, [ExistingFileRule.Kind.directory, .other])
    func `M17 a directory or special file is never touched, and with rename costs only the name`(
        policy: ExistingFilePolicy, kind: ExistingFileRule.Kind
    ) {
        for adopts in [true, false] {
            switch decision(policy, adopts: adopts, about: kind) {
            case .success(let decision): #expect(policy == .rename && decision == .rename)
            case .failure(let error): #expect(policy != .rename && error.remedies.contains(.renameIfExists))
            }
        }
    }
}
