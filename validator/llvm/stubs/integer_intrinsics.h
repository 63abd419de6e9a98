// Integer intrinsics that are one line of C++, and so need no reading of their own: CUDA Math API 13.0,
// "Integer Intrinsics", "SIMD Intrinsics" and "Type Casting Intrinsics". Arithmetic is in types in which nothing
// overflows; conversions to narrower ones keep the low bits.
#pragma once
#pragma clang system_header

#define HM_INLINE static inline __device__

// The position of the lowest set bit, from 1; 0 where none is set.
HM_INLINE int __ffs(int x) { return (int)(32u - (unsigned int)__clz((int)((unsigned int)x & (0u - (unsigned int)x)))); }
HM_INLINE int __ffsll(long long x) {
  return (int)(64u - (unsigned int)__clzll((long long)((unsigned long long)x & (0ull - (unsigned long long)x))));
}
// The low 24 bits of each as a number; the low 32 bits of the product.
HM_INLINE int __mul24(int x, int y) {
  return (int)((unsigned int)((int)((unsigned int)x << 8) >> 8) * (unsigned int)((int)((unsigned int)y << 8) >> 8));
}
HM_INLINE unsigned int __umul24(unsigned int x, unsigned int y) { return (x & 0xffffffu) * (y & 0xffffffu); }
HM_INLINE unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return (x < y ? y - x : x - y) + z; }
HM_INLINE unsigned int __sad(int x, int y, unsigned int z) {
  return (x < y ? (unsigned int)y - (unsigned int)x : (unsigned int)x - (unsigned int)y) + z;
}
// Averages, rounded down and up.
HM_INLINE int __hadd(int x, int y) { return (int)(((long long)x + y) >> 1); }
HM_INLINE int __rhadd(int x, int y) { return (int)(((long long)x + y + 1) >> 1); }
HM_INLINE unsigned int __uhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y) >> 1);
}
HM_INLINE unsigned int __urhadd(unsigned int x, unsigned int y) {
  return (unsigned int)(((unsigned long long)x + y + 1) >> 1);
}
// Two of the 16-bit parts of a by the low or the high two bytes of b, added to c modulo 2^32.
#define HM_DP2A(NAME, SHIFT)                                                                              \
  HM_INLINE int NAME(int a, int b, int c) {                                                               \
    const unsigned int low = (unsigned int)((int)(short)a * (int)(signed char)((unsigned int)b >> SHIFT)); \
    const unsigned int high = (unsigned int)((int)(short)((unsigned int)a >> 16) *                        \
                                             (int)(signed char)((unsigned int)b >> (SHIFT + 8)));         \
    return (int)((unsigned int)c + low + high);                                                           \
  }                                                                                                       \
  HM_INLINE unsigned int NAME(unsigned int a, unsigned int b, unsigned int c) {                           \
    return c + (a & 0xffffu) * (b >> SHIFT & 0xffu) + (a >> 16) * (b >> (SHIFT + 8) & 0xffu);             \
  }
HM_DP2A(__dp2a_lo, 0)
HM_DP2A(__dp2a_hi, 16)

HM_INLINE int __double2hiint(double x) { return (int)((unsigned long long)__double_as_longlong(x) >> 32); }
HM_INLINE int __double2loint(double x) { return (int)(unsigned int)(unsigned long long)__double_as_longlong(x); }
HM_INLINE double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)((unsigned long long)(unsigned int)high << 32 | (unsigned int)low));
}

HM_INLINE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
HM_INLINE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
HM_INLINE long long llmin(long long a, long long b) { return min(a, b); }
HM_INLINE long long llmax(long long a, long long b) { return max(a, b); }
HM_INLINE unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
HM_INLINE unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

// A sum or a difference, then the extremum with the third operand; extrema of three; _relu: and 0.
HM_INLINE int __viaddmax_s32(int a, int b, int c) { return max((int)((unsigned int)a + (unsigned int)b), c); }
HM_INLINE int __viaddmin_s32(int a, int b, int c) { return min((int)((unsigned int)a + (unsigned int)b), c); }
HM_INLINE unsigned int __viaddmax_u32(unsigned int a, unsigned int b, unsigned int c) { return max(a + b, c); }
HM_INLINE unsigned int __viaddmin_u32(unsigned int a, unsigned int b, unsigned int c) { return min(a + b, c); }
HM_INLINE int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
HM_INLINE int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
HM_INLINE int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
HM_INLINE int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
HM_INLINE int __vimax3_s32(int a, int b, int c) { return max(max(a, b), c); }
HM_INLINE int __vimin3_s32(int a, int b, int c) { return min(min(a, b), c); }
HM_INLINE unsigned int __vimax3_u32(unsigned int a, unsigned int b, unsigned int c) { return max(max(a, b), c); }
HM_INLINE unsigned int __vimin3_u32(unsigned int a, unsigned int b, unsigned int c) { return min(min(a, b), c); }
HM_INLINE int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
HM_INLINE int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }

// Part by part, and each part as a number of type PART. EXPRESSION is over these, a and b; its low bits are the
// part of the result.
#define HM_PARTS_2(NAME, PART, EXPRESSION)                                                            \
  HM_INLINE unsigned int __hallmark_part_##NAME##2(int a, int b) { return (unsigned int)(EXPRESSION)&0xffffu; } \
  HM_INLINE unsigned int NAME##2(unsigned int x, unsigned int y) {                                    \
    return __hallmark_part_##NAME##2((PART)x, (PART)y) |                                              \
           __hallmark_part_##NAME##2((PART)(x >> 16), (PART)(y >> 16)) << 16;                         \
  }
#define HM_PARTS_4(NAME, PART, EXPRESSION)                                                            \
  HM_INLINE unsigned int __hallmark_part_##NAME##4(int a, int b) { return (unsigned int)(EXPRESSION)&0xffu; } \
  HM_INLINE unsigned int NAME##4(unsigned int x, unsigned int y) {                                    \
    return __hallmark_part_##NAME##4((PART)x, (PART)y) |                                              \
           __hallmark_part_##NAME##4((PART)(x >> 8), (PART)(y >> 8)) << 8 |                           \
           __hallmark_part_##NAME##4((PART)(x >> 16), (PART)(y >> 16)) << 16 |                        \
           __hallmark_part_##NAME##4((PART)(x >> 24), (PART)(y >> 24)) << 24;                         \
  }
#define HM_PARTS_S(NAME, EXPRESSION_2, EXPRESSION_4) \
  HM_PARTS_2(NAME, short, EXPRESSION_2) HM_PARTS_4(NAME, signed char, EXPRESSION_4)
#define HM_PARTS_U(NAME, EXPRESSION_2, EXPRESSION_4) \
  HM_PARTS_2(NAME, unsigned short, EXPRESSION_2) HM_PARTS_4(NAME, unsigned char, EXPRESSION_4)
#define HM_CLAMP(V, LOW, HIGH) ((V) < (LOW) ? (LOW) : (V) > (HIGH) ? (HIGH) : (V))
HM_PARTS_S(__vadd, a + b, a + b)
HM_PARTS_S(__vsub, a - b, a - b)
HM_PARTS_S(__vaddss, HM_CLAMP(a + b, -32768, 32767), HM_CLAMP(a + b, -128, 127))
HM_PARTS_S(__vsubss, HM_CLAMP(a - b, -32768, 32767), HM_CLAMP(a - b, -128, 127))
HM_PARTS_U(__vaddus, HM_CLAMP(a + b, 0, 65535), HM_CLAMP(a + b, 0, 255))
HM_PARTS_U(__vsubus, HM_CLAMP(a - b, 0, 65535), HM_CLAMP(a - b, 0, 255))
HM_PARTS_U(__vavgu, (a + b + 1) >> 1, (a + b + 1) >> 1)
HM_PARTS_U(__vhaddu, (a + b) >> 1, (a + b) >> 1)
// Halves are rounded away from 0: nvcc 12 and 13 add 1 to an odd sum that is not negative.
HM_PARTS_S(__vavgs, a + b < 0 ? (a + b) >> 1 : (a + b + 1) >> 1, a + b < 0 ? (a + b) >> 1 : (a + b + 1) >> 1)
HM_PARTS_S(__vabsdiffs, a < b ? b - a : a - b, a < b ? b - a : a - b)
HM_PARTS_U(__vabsdiffu, a < b ? b - a : a - b, a < b ? b - a : a - b)
HM_PARTS_S(__vmaxs, a < b ? b : a, a < b ? b : a)
HM_PARTS_S(__vmins, a < b ? a : b, a < b ? a : b)
HM_PARTS_U(__vmaxu, a < b ? b : a, a < b ? b : a)
HM_PARTS_U(__vminu, a < b ? a : b, a < b ? a : b)
#define HM_PART_COMPARISON(NAME, OP)                 \
  HM_PARTS_S(__vcmp##NAME##s, a OP b ? -1 : 0, a OP b ? -1 : 0) \
  HM_PARTS_U(__vcmp##NAME##u, a OP b ? -1 : 0, a OP b ? -1 : 0) \
  HM_PARTS_S(__vset##NAME##s, a OP b ? 1 : 0, a OP b ? 1 : 0)   \
  HM_PARTS_U(__vset##NAME##u, a OP b ? 1 : 0, a OP b ? 1 : 0)
HM_PART_COMPARISON(ge, >=)
HM_PART_COMPARISON(gt, >)
HM_PART_COMPARISON(le, <=)
HM_PART_COMPARISON(lt, <)
HM_PARTS_U(__vcmpeq, a == b ? -1 : 0, a == b ? -1 : 0)
HM_PARTS_U(__vcmpne, a != b ? -1 : 0, a != b ? -1 : 0)
HM_PARTS_U(__vseteq, a == b ? 1 : 0, a == b ? 1 : 0)
HM_PARTS_U(__vsetne, a != b ? 1 : 0, a != b ? 1 : 0)
#define HM_UNARY_PARTS(NAME, EXPRESSION_2, EXPRESSION_4)               \
  HM_PARTS_S(__hallmark_of_one_##NAME, EXPRESSION_2, EXPRESSION_4)     \
  HM_INLINE unsigned int __v##NAME##2(unsigned int x) { return __hallmark_of_one_##NAME##2(x, 0u); } \
  HM_INLINE unsigned int __v##NAME##4(unsigned int x) { return __hallmark_of_one_##NAME##4(x, 0u); }
HM_UNARY_PARTS(abs, a < b ? -a : a, a < b ? -a : a)
HM_UNARY_PARTS(neg, b - a, b - a)
HM_UNARY_PARTS(absss, HM_CLAMP(a < b ? -a : a, -32768, 32767), HM_CLAMP(a < b ? -a : a, -128, 127))
HM_UNARY_PARTS(negss, HM_CLAMP(b - a, -32768, 32767), HM_CLAMP(b - a, -128, 127))
// The parts of the differences, added.
#define HM_SUMMED_PARTS(KIND)                                                                         \
  HM_INLINE unsigned int __vsad##KIND##2(unsigned int x, unsigned int y) {                            \
    const unsigned int d = __vabsdiff##KIND##2(x, y);                                                 \
    return (d & 0xffffu) + (d >> 16);                                                                 \
  }                                                                                                   \
  HM_INLINE unsigned int __vsad##KIND##4(unsigned int x, unsigned int y) {                            \
    const unsigned int d = __vabsdiff##KIND##4(x, y);                                                 \
    return (d & 0xffu) + (d >> 8 & 0xffu) + (d >> 16 & 0xffu) + (d >> 24);                            \
  }
HM_SUMMED_PARTS(s)
HM_SUMMED_PARTS(u)
