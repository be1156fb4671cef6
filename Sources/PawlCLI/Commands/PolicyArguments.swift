// A public type's conformance is public wherever it is declared, and with it the imports.
public import ArgumentParser
public import PawlArchive
public import PawlCore

extension ChangePolicy: ExpressibleByArgument {}
extension SyncPolicy: ExpressibleByArgument {}
extension ExistingFilePolicy: ExpressibleByArgument {}
extension ExtractionOptions.IfExists: ExpressibleByArgument {}
extension PackingOptions.IfExists: ExpressibleByArgument {}
extension ColorChoice: ExpressibleByArgument {}
extension ProgressDisplay: ExpressibleByArgument {}
