#ifndef PAWL_LIBRARY_H
#define PAWL_LIBRARY_H

#if defined(__linux__)

#include <pthread.h>

// A shared library that is loaded when it is needed first.
struct library {
    pthread_mutex_t lock;
    int is_loaded;
};

#define LIBRARY_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, 0}

// Whether the library is loaded; if it is not, `load` is called, and answers whether it is now. Tried again after a
// failure: too many files may have been open, and the service lives on.
int pawl_library_is_available(struct library *library, int (*load)(void));

// Loads a library of this name, and keeps it if `find_all` finds in it what is needed.
int pawl_library_open(const char *name, int flags, int (*find_all)(void *handle));

// Stores the address of a function of the library in `function`, and answers whether there is one.
int pawl_library_find(void *handle, const char *name, void *function);

#endif

#endif
