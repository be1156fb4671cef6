#include "CPawl.h"

#if defined(__linux__)

#include <stddef.h>

// The runtime asks this hook where a task is to run (swift/Runtime/Concurrency.h); the original is its own pool, libdispatch's. Weak, for a
// runtime without it.
#define SWIFT_CALL __attribute__((swiftcall))

typedef SWIFT_CALL void (*enqueue)(void *job);
extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(void *job, enqueue original) __attribute__((weak));
extern SWIFT_CALL void swift_job_run(void *job, void *executor, void *implementation) __attribute__((weak));

static void (*taker)(void *job);

static SWIFT_CALL void give(void *job, enqueue original) {
    (void)original;
    taker(job);
}

int pawl_take_tasks(void (*take)(void *job)) {
    if (!&swift_task_enqueueGlobal_hook || !swift_job_run) return 0;
    taker = take;
    swift_task_enqueueGlobal_hook = give;
    return 1;
}

void pawl_run_task(void *job) { swift_job_run(job, NULL, NULL); }

#endif
