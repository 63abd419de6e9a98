// What kernels use of <type_traits>, <limits> and <utility>: compile-time facts, and functions that the
// language lets device code call because they are constexpr.
#pragma once
#pragma clang system_header
#include "standard.h"

namespace std {
template <class T, T V>
struct integral_constant {
  static constexpr T value = V;
  using type = integral_constant;
  using value_type = T;
  constexpr operator T() const { return V; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <bool C, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { using type = T; };
template <bool C, class T = void> using enable_if_t = typename enable_if<C, T>::type;
template <bool C, class A, class B> struct conditional { using type = A; };
template <class A, class B> struct conditional<false, A, B> { using type = B; };
template <bool C, class A, class B> using conditional_t = typename conditional<C, A, B>::type;
template <class T> struct remove_reference { using type = T; };
template <class T> struct remove_reference<T&> { using type = T; };
template <class T> struct remove_reference<T&&> { using type = T; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_const { using type = T; };
template <class T> struct remove_const<const T> { using type = T; };
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_cv { using type = T; };
template <class T> struct remove_cv<const T> { using type = T; };
template <class T> struct remove_cv<volatile T> { using type = T; };
template <class T> struct remove_cv<const volatile T> { using type = T; };
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> using decay_t = remove_cv_t<remove_reference_t<T>>;
template <class T> struct is_integral : integral_constant<bool, __is_integral(T)> {};
template <class T> inline constexpr bool is_integral_v = __is_integral(T);
template <class T> struct is_floating_point : integral_constant<bool, __is_floating_point(T)> {};
template <class T> inline constexpr bool is_floating_point_v = __is_floating_point(T);
template <class T> struct is_arithmetic : integral_constant<bool, __is_arithmetic(T)> {};
template <class T> inline constexpr bool is_arithmetic_v = __is_arithmetic(T);
template <class T> struct is_signed : integral_constant<bool, __is_signed(T)> {};
template <class T> inline constexpr bool is_signed_v = __is_signed(T);
template <class T> struct is_unsigned : integral_constant<bool, __is_unsigned(T)> {};
template <class T> constexpr remove_reference_t<T>&& move(T&& v) { return static_cast<remove_reference_t<T>&&>(v); }
template <class T> constexpr T&& forward(remove_reference_t<T>& v) { return static_cast<T&&>(v); }
template <class T> T&& declval();

template <class T> struct numeric_limits;
#define HM_LIMITS(T, LOW, HIGH, SIGNED)                   \
  template <> struct numeric_limits<T> {                  \
    static constexpr bool is_specialized = true;          \
    static constexpr bool is_signed = SIGNED;             \
    static constexpr bool is_integer = true;              \
    static constexpr T min() { return LOW; }              \
    static constexpr T lowest() { return LOW; }           \
    static constexpr T max() { return HIGH; }             \
  };
HM_LIMITS(signed char, SCHAR_MIN, SCHAR_MAX, true)
HM_LIMITS(unsigned char, 0, UCHAR_MAX, false)
HM_LIMITS(short, SHRT_MIN, SHRT_MAX, true)
HM_LIMITS(unsigned short, 0, USHRT_MAX, false)
HM_LIMITS(int, INT_MIN, INT_MAX, true)
HM_LIMITS(unsigned int, 0u, UINT_MAX, false)
HM_LIMITS(long, LONG_MIN, LONG_MAX, true)
HM_LIMITS(unsigned long, 0ul, ULONG_MAX, false)
HM_LIMITS(long long, LLONG_MIN, LLONG_MAX, true)
HM_LIMITS(unsigned long long, 0ull, ULLONG_MAX, false)
#define HM_FLOAT_LIMITS(T, P, S)                                         \
  template <> struct numeric_limits<T> {                                 \
    static constexpr bool is_specialized = true;                         \
    static constexpr bool is_signed = true;                              \
    static constexpr bool is_integer = false;                            \
    static constexpr T min() { return P##_MIN__; }                       \
    static constexpr T lowest() { return -P##_MAX__; }                   \
    static constexpr T max() { return P##_MAX__; }                       \
    static constexpr T epsilon() { return P##_EPSILON__; }               \
    static constexpr T infinity() { return __builtin_huge_val##S(); }    \
    static constexpr T quiet_NaN() { return __builtin_nan##S(""); }      \
  };
HM_FLOAT_LIMITS(float, __FLT, f)
HM_FLOAT_LIMITS(double, __DBL, )
}  // namespace std
