import PawlJobs
import Testing

@testable import PawlCLI

@Suite struct StateDirectoryTests {
    @Test(
        arguments: [
            (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/pawl"),
            (["HOME": "/h"], "/h/.local/state/pawl"),
            (["XDG_STATE_HOME": "", "HOME": "/h"], "/h/.local/state/pawl"),
            (["XDG_STATE_HOME": "s", "HOME": "/h"], "/h/.local/state/pawl"),
            (["HOME": "h"], nil), ([:], nil),
        ] as [([String: String], String?)])
    func `the state directory follows the XDG specification`(environment: [String: String], path: String?) {
        #expect(StateDirectory.path(environment: { environment[$0] }) == path)
    }
}
