import PawlClient
import Testing

@testable import PawlCLI

@Suite struct SteeringWordsTests {
    @Test func `N31 pause, resume and retry of all mean those that can be`() {
        #expect(ServiceAction.pause.possibleStates == [.running, .waiting, .queued])
        #expect(ServiceAction.resume.possibleStates == [.paused, .waiting])
        #expect(ServiceAction.retry.possibleStates == [.failed])
        #expect(ServiceAction.remove(deletesFiles: false).possibleStates == [])
    }

    @Test func `N31 a removal says what stays on the disk`() {
        let keeps = ServiceAction.remove(deletesFiles: false)
        #expect(ServiceWords.kept(keeps, [.completed]) == " The file is kept.")
        #expect(ServiceWords.kept(keeps, [.completed, .completed]) == " The files are kept.")
        #expect(ServiceWords.kept(keeps, [.paused]).contains("partial file is kept"))
        #expect(ServiceWords.kept(keeps, [nil, .running]).contains("partial ones too"))
        #expect(ServiceWords.kept(.remove(deletesFiles: true), [.paused]) == "")
        #expect(ServiceWords.kept(.pause, [.running]) == "")
        #expect(ServiceWords.kept(keeps, []) == "")
    }
}
