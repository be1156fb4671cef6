import ArgumentParser
import PawlAria2
import PawlSystem

/// By the name aria2c, which `pawl` starts it by, it is aria2's RPC server.
@main
enum EntryPoint {
    static func main() async {
        guard Aria2CommandLine.isMeant(by: CommandLine.arguments.first ?? "") else { return await Pawld.main() }
        exit(await Aria2Service.run(CommandLine.arguments))
    }
}
