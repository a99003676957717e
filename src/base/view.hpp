// Vectors and matrices that a call reads or writes: spans, to which vectors of other libraries convert, too.
//
// What converts to a std::span is one already: std::vector, std::array. For the matrices of a library, ViewOf says how
// they are seen as spans; for those of Eigen it stands in linkwright/eigen.hpp. No such type is part of a signature.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

namespace lw {

// ViewOf<V, T>()(v) gives a std::span<T> of the entries of a V. It lives until the call returns: a place for entries
// that do not lie one behind the other.
template <class V, class T>
struct ViewOf;
template <class V, class T>
concept Viewable = requires {
  sizeof(ViewOf<V, T>);
};

template <class T>
class View : public std::span<T> {
 public:
  View() = default;
  View(std::span<T> entries) : std::span<T>(entries) {}
  View(T* first, std::size_t count) : std::span<T>(first, count) {}
  template <class V>
  requires(!std::is_same_v<std::remove_cvref_t<V>, View> && !Viewable<std::remove_reference_t<V>, T> &&
           std::is_convertible_v<V, std::span<T>>) View(V&& entries)
      : std::span<T>(std::forward<V>(entries)) {}
  template <class V>
  requires Viewable<std::remove_reference_t<V>, T> View(
      V&& matrix, ViewOf<std::remove_reference_t<V>, T>&& place = ViewOf<std::remove_reference_t<V>, T>())
      : std::span<T>(place(matrix)) {}
};

// What algorithms take and give. The scalar is deduced from the model.
template <class T>
using In = View<const std::type_identity_t<T>>;
template <class T>
using Out = View<std::type_identity_t<T>>;

}  // namespace lw
