// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/Heap.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace headlight {

#ifdef __GLIBC__
void useFewHeaps() {
  ::mallopt(M_ARENA_MAX, 2);
}

void giveBackFreeMemory() {
  ::malloc_trim(0);
}
#else
void useFewHeaps() {}
void giveBackFreeMemory() {}
#endif

}  // namespace headlight
