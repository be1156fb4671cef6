// The inner loop of XXH3 (xxHash specification, Yann Collet, version 0.2): plain arithmetic, without calls of the system.

#ifndef CPAWLHASH_H
#define CPAWLHASH_H

#include <stddef.h>
#include <stdint.h>

/// Mixes whole stripes of 64 bytes into the eight lanes, and scrambles these after each block of 16 stripes.
///
/// `stripe` is the number of stripes of the block that have been mixed in before, and becomes that after the call. The secret has
/// `secret_size` bytes: at least 64 and 8 for each stripe of a block that follows the first.
void pawl_xxh3_mix(uint64_t lanes[8], size_t *stripe, const void *bytes, size_t stripes, const void *secret, size_t secret_size);

#endif
