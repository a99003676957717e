// Copy and move operations and the destructor of a large type, declared in its class and compiled in one file. Implicit
// ones are inline and compiled again in every file that uses the type, together with those of all its members.
//
//   struct Mechanism {                           in the header
//     Mechanism();
//     LW_COPIED_ONCE(Mechanism);
//   LW_COPIES(Mechanism)                         in its .cpp; for a template: LW_TEMPLATE_COPIES(Model)
#pragma once

#define LW_COPIED_ONCE(Type)        \
  Type(const Type&);                \
  Type(Type&&) noexcept;            \
  Type& operator=(const Type&);     \
  Type& operator=(Type&&) noexcept; \
  ~Type()

#define LW_COPIES(Type)                             \
  Type::Type(const Type&) = default;                \
  Type::Type(Type&&) noexcept = default;            \
  Type& Type::operator=(const Type&) = default;     \
  Type& Type::operator=(Type&&) noexcept = default; \
  Type::~Type() = default;

#define LW_TEMPLATE_COPIES(Type)                          \
  template <class T>                                      \
  Type<T>::Type(const Type&) = default;                   \
  template <class T>                                      \
  Type<T>::Type(Type&&) noexcept = default;               \
  template <class T>                                      \
  Type<T>& Type<T>::operator=(const Type&) = default;     \
  template <class T>                                      \
  Type<T>& Type<T>::operator=(Type&&) noexcept = default; \
  template <class T>                                      \
  Type<T>::~Type() = default;
