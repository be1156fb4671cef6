// libarchive, which on Linux is loaded by the first call that makes a handle or an entry: linked, it would have each start of each program load
// ten libraries. The functions of its headers that are not among those of CArchive.c do not link.

#ifndef CARCHIVE_H
#define CARCHIVE_H

#include <archive.h>
#include <archive_entry.h>

/// Whether this system has a libarchive with all functions that are used. Where it has none, `archive_read_new`, `archive_write_new` and
/// `archive_entry_new` return NULL, and no other function may be called.
int carchive_is_available(void);

#endif
