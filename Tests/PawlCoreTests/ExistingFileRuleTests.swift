import Testing

@testable import PawlCore

@Suite("What is done about a file that has the name already")
struct ExistingFileRuleTests {
    private func decision(
        _ policy: ExistingFilePolicy, adopts: Bool = false, about kind: ExistingFileRule.Kind
    ) -> Result<ExistingFileRule.Decision, DownloadError> {
        Result { () throws(DownloadError) in
            try ExistingFileRule(policy: policy, adopts: adopts).decide(about: kind, named: "file.bin")
        }
    }

    @Test("a file is treated as the policy says")
    func files() {
        #expect(decision(.replace, about: .regular) == .success(.proceed))
        #expect(decision(.skip, about: .regular) == .success(.skip))
        #expect(decision(.rename, about: .regular) == .success(.rename))
        guard case .failure(let error) = decision(.fail, about: .regular) else {
            Issue.record("a file was not refused")
            return
        }
        #expect(error.code == .fileExists && error.message == "“file.bin” exists already.")
    }

    @Test("a file that may be the beginning is adopted, whatever the policy", arguments: ExistingFilePolicy.allCases)
    func adopting(policy: ExistingFilePolicy) {
        #expect(decision(policy, adopts: true, about: .regular) == .success(.adopt))
    }

    @Test("a link is replaced, renamed around or left, but never followed", arguments: ExistingFilePolicy.allCases)
    func links(policy: ExistingFilePolicy) {
        let plain = decision(policy, about: .symbolicLink)
        #expect((try? plain.get()) == (policy == .fail ? nil : try? decision(policy, about: .regular).get()))
        #expect(throws: DownloadError.self) { try decision(policy, adopts: true, about: .symbolicLink).get() }
    }

    @Test("what is no file is never touched", arguments: ExistingFilePolicy.allCases, [ExistingFileRule.Kind.directory, .other])
    func others(policy: ExistingFilePolicy, kind: ExistingFileRule.Kind) {
        for adopts in [true, false] {
            #expect(throws: DownloadError.self) { try decision(policy, adopts: adopts, about: kind).get() }
        }
    }
}
