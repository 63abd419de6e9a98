// <cassert>: what NDEBUG says wherever it is included, so without a guard.
#include "standard.h"
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __trap())
#endif
