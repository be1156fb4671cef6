import ArgumentParser
import PawlAria2
import PawlSystem

/// By the name aria2c, which `pawl` starts it by, it is aria2's RPC server.
@main
enum EntryPoint {
    static func main() async {
        let words = Environment.arguments
        guard Aria2CommandLine.isMeant(by: words.first ?? "") else {
            return await Pawld.main(Array(words.dropFirst()))
        }
        exit(await Aria2Service.run(words))
    }
}
