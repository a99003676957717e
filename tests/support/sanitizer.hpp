// Whether a sanitizer watches this program. It has an allocator of its own, and programs take several times as long
// under it.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)  // gcc
#define LW_SANITIZED 1
#elif defined(__has_feature)  // clang
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LW_SANITIZED 1
#endif
#endif
#ifndef LW_SANITIZED
#define LW_SANITIZED 0
#endif

namespace lw {

inline constexpr bool kSanitized = LW_SANITIZED;

}  // namespace lw
