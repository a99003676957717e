// A file of its own: compilers complain where they see that new is malloc and delete free.
#include "count_allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<long> counted_allocations = 0;

}  // namespace

void* operator new(std::size_t size) {
  ++counted_allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lw {

long allocations_so_far() { return counted_allocations; }

}  // namespace lw
