// The values that Pawl's API speaks in are declared where the decisions are taken; `import Pawl` is all a user needs.
@_exported public import struct PawlCore.ByteRange
@_exported public import enum PawlCore.ByteQuantity
@_exported public import enum PawlCore.ChangePolicy
@_exported public import struct PawlCore.Digest
@_exported public import enum PawlCore.DigestAlgorithm
@_exported public import struct PawlCore.DigestParseError
@_exported public import struct PawlCore.DownloadError
@_exported public import struct PawlCore.DownloadProgress
@_exported public import struct PawlCore.SpeedSchedule
@_exported public import struct PawlCore.WeekTime
@_exported public import enum PawlEngine.ExistingFilePolicy
@_exported public import struct PawlCore.DigestList
@_exported public import struct PawlCore.DigestListError
@_exported public import struct PawlCore.PieceHashes
@_exported public import struct PawlCore.PieceHashesError
