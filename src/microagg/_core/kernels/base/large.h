// Arrays that are read at random places: each begins with a line of the cache, and large ones lie in large pages where
// the system has such, so that few addresses have to be looked up.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace microagg {

constexpr std::size_t kCacheLine = 64;

template <class T>
struct LargePages {
    using value_type = T;
    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}  // NOLINT: allocators convert

    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, std::align_val_t{alignment(bytes)});
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (alignment(bytes) == kLargePage) madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, std::align_val_t{alignment(count * sizeof(T))});
    }
    template <class U>
    bool operator==(const LargePages<U>&) const {
        return true;
    }
    template <class U>
    bool operator!=(const LargePages<U>&) const {
        return false;
    }

  private:
    static constexpr std::size_t kLargePage = std::size_t{1} << 21;
    static std::size_t alignment(std::size_t bytes) { return bytes < 2 * kLargePage ? kCacheLine : kLargePage; }
};

template <class T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace microagg
