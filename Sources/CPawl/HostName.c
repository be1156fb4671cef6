#include "CPawl.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>

// idn2_lookup_u8(3): TR46 mapping, and the deviations of IDNA 2003 (ß, ς) kept as letters.
enum { NONTRANSITIONAL = 8 };

static struct {
    int (*lookup)(const uint8_t *, uint8_t **, int);
    void (*free)(void *);
    const char *(*describe)(int);
    const char *(*check_version)(const char *);
} idn;

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static int is_loaded;

static int find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

static void load(void) {
    void *library = dlopen("libidn2.so.0", RTLD_LAZY | RTLD_LOCAL);
    if (!library) return;
    // Before 2.0.5, names were not mapped unless asked, and long ones overflowed (CVE-2017-14062).
    is_loaded = find(library, "idn2_lookup_u8", &idn.lookup) && find(library, "idn2_free", &idn.free) &&
                find(library, "idn2_strerror", &idn.describe) && find(library, "idn2_check_version", &idn.check_version) &&
                idn.check_version("2.0.5");
    if (!is_loaded) dlclose(library);
}

// Tried again after a failure: too many files may have been open, and the service lives on.
static int is_available(void) {
    pthread_mutex_lock(&loading);
    if (!is_loaded) load();
    int result = is_loaded;
    pthread_mutex_unlock(&loading);
    return result;
}

int pawl_host_to_ascii(const char *host, char *ascii, size_t size, const char **problem) {
    *problem = NULL;
    if (!is_available()) return ENOENT;
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
