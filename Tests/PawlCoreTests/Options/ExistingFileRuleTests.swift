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

    @Test("the policy decides about an existing file")
    func files() {
        #expect(decision(.replace, about: .regular) == .success(.proceed))
        #expect(decision(.skip, about: .regular) == .success(.skip))
        #expect(decision(.rename, about: .regular) == .success(.rename))
        guard case .failure(let error) = decision(.fail, about: .regular) else {
            Issue.record("a file was not refused")
            return
        }
        #expect(error.code == .fileExists && error.message == "“file.bin” already exists.")
    }

    @Test("a file that may be the beginning of the download is adopted, whatever the policy", arguments: ExistingFilePolicy.allCases)
    func adopting(policy: ExistingFilePolicy) {
        #expect(decision(policy, adopts: true, about: .regular) == .success(.adopt))
    }

    @Test("a symbolic link is replaced, renamed around or left alone, but never followed", arguments: ExistingFilePolicy.allCases)
    func links(policy: ExistingFilePolicy) {
        let plain = decision(policy, about: .symbolicLink)
        #expect((try? plain.get()) == (policy == .fail ? nil : try? decision(policy, about: .regular).get()))
        #expect(throws: DownloadError.self) { try decision(policy, adopts: true, about: .symbolicLink).get() }
    }

    @Test("a directory or special file is never touched", arguments: ExistingFilePolicy.allCases, [ExistingFileRule.Kind.directory, .other])
    func others(policy: ExistingFilePolicy, kind: ExistingFileRule.Kind) {
        for adopts in [true, false] {
            #expect(throws: DownloadError.self) { try decision(policy, adopts: adopts, about: kind).get() }
        }
    }
}
