#include "CPawl.h"
#include "Library.h"

#if defined(__linux__)

#include <errno.h>
#include <string.h>

// idn2_lookup_u8(3): TR46 mapping, and the deviations of IDNA 2003 (ß, ς) kept as letters.
enum { NONTRANSITIONAL = 8 };

static struct {
    int (*lookup)(const uint8_t *, uint8_t **, int);
    void (*free)(void *);
    const char *(*describe)(int);
    const char *(*check_version)(const char *);
} idn;

static struct library library = LIBRARY_INITIALIZER;

static int find_all(void *handle) {
    // Before 2.0.5, names were not mapped unless asked, and long ones overflowed (CVE-2017-14062).
    return pawl_library_find(handle, "idn2_lookup_u8", &idn.lookup) && pawl_library_find(handle, "idn2_free", &idn.free) &&
           pawl_library_find(handle, "idn2_strerror", &idn.describe) &&
           pawl_library_find(handle, "idn2_check_version", &idn.check_version) && idn.check_version("2.0.5");
}

static int load(void) {
    return pawl_library_open("libidn2.so.0", 0, find_all);
}

int pawl_host_to_ascii(const char *host, char *ascii, size_t size, const char **problem) {
    *problem = NULL;
    if (!pawl_library_is_available(&library, load)) return ENOENT;
    uint8_t *name = NULL;
    int code = idn.lookup((const uint8_t *)host, &name, NONTRANSITIONAL);
    if (code != 0) {
        *problem = idn.describe(code);
        return EINVAL;
    }
    size_t length = strlen((const char *)name);
    if (length < size) memcpy(ascii, name, length + 1);
    idn.free(name);
    return length < size ? 0 : ENAMETOOLONG;
}

#endif
