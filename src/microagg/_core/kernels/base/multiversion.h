// One function compiled for several machines, chosen when the program starts. Only for loops whose additions are in the
// same order at every vector width: results must not depend on the machine.
#pragma once

// Sanitizers are not ready yet when the choice is made, so with them there is one version.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define MICROAGG_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define MICROAGG_MULTIVERSION
#endif

// Part of whatever calls it, and compiled for the same machines.
#if defined(__GNUC__)
#define MICROAGG_INLINE inline __attribute__((always_inline))
#else
#define MICROAGG_INLINE inline
#endif
