// Asks for memory before it is needed, where the compiler knows how.
#pragma once

namespace microagg {

inline void fetch(const void* address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

}  // namespace microagg
