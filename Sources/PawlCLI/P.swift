import ArgumentParser
import Pawl
@main struct P: ParsableCommand {}
