#include "Library.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stddef.h>

int pawl_library_is_available(struct library *library, int (*load)(void)) {
    pthread_mutex_lock(&library->lock);
    if (!library->is_loaded) library->is_loaded = load();
    int result = library->is_loaded;
    pthread_mutex_unlock(&library->lock);
    return result;
}

int pawl_library_open(const char *name, int flags, int (*find_all)(void *handle)) {
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | flags);
    if (!handle) return 0;
    if (find_all(handle)) return 1;
    dlclose(handle);
    return 0;
}

int pawl_library_find(void *handle, const char *name, void *function) {
    *(void **)function = dlsym(handle, name);
    return *(void **)function != NULL;
}

#endif
