#include "CPawlHash.h"

#include <string.h>

enum { STRIPE = 64, HALF = 32, STRIPES_IN_BLOCK = 16 };

// The compiler chooses the instructions: half as many with AVX2 as with SSE2, which every x86-64 has.
typedef uint64_t half __attribute__((vector_size(HALF)));

#define INLINE static inline __attribute__((always_inline))

// By pointer: a function that returns such a vector has another calling convention with AVX.
INLINE void load(half *value, const unsigned char *bytes) {
    memcpy(value, bytes, HALF);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    for (int lane = 0; lane < 4; lane++) (*value)[lane] = __builtin_bswap64((*value)[lane]);
#endif
}

INLINE void mix_half(half *lanes, const unsigned char *bytes, const unsigned char *secret) {
    half input, key;
    load(&input, bytes);
    load(&key, secret);
    key ^= input;
    *lanes += __builtin_shufflevector(input, input, 1, 0, 3, 2) + (key & 0xFFFFFFFF) * (key >> 32);
}

INLINE void scramble_half(half *lanes, const unsigned char *secret) {
    half key;
    load(&key, secret);
    *lanes = (*lanes ^ (*lanes >> 47) ^ key) * 0x9E3779B1;
}

INLINE void mix(uint64_t lanes[8], size_t *stripe, const unsigned char *bytes, size_t stripes, const unsigned char *secret, size_t secret_size) {
    half low, high;
    memcpy(&low, lanes, HALF);
    memcpy(&high, lanes + 4, HALF);
    size_t next = *stripe;
    while (stripes > 0) {
        size_t count = STRIPES_IN_BLOCK - next < stripes ? STRIPES_IN_BLOCK - next : stripes;
        stripes -= count;
        for (; count > 0; count--, next++, bytes += STRIPE) {
            mix_half(&low, bytes, secret + 8 * next);
            mix_half(&high, bytes + HALF, secret + 8 * next + HALF);
        }
        if (next < STRIPES_IN_BLOCK) continue;
        next = 0;
        scramble_half(&low, secret + secret_size - STRIPE);
        scramble_half(&high, secret + secret_size - HALF);
    }
    *stripe = next;
    memcpy(lanes, &low, HALF);
    memcpy(lanes + 4, &high, HALF);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void mix_avx2(
    uint64_t lanes[8], size_t *stripe, const unsigned char *bytes, size_t stripes, const unsigned char *secret, size_t secret_size) {
    mix(lanes, stripe, bytes, stripes, secret, secret_size);
}
#endif

void pawl_xxh3_mix(uint64_t lanes[8], size_t *stripe, const void *bytes, size_t stripes, const void *secret, size_t secret_size) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        mix_avx2(lanes, stripe, bytes, stripes, secret, secret_size);
        return;
    }
#endif
    mix(lanes, stripe, bytes, stripes, secret, secret_size);
}
