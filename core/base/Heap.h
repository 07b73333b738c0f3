// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the allocator keeps of memory that nobody uses any more.

namespace headlight {

/// glibc gives every thread a heap of its own and keeps what was freed in it: a window whose runs,
/// looks and openings each have a thread grew by 200 MB while it held no more than before. To be
/// called before other threads begin; nothing where the allocator is another.
void useFewHeaps();

/// Gives memory that is free back to the system: when much was given up at once, as by closing a
/// model.
void giveBackFreeMemory();

}  // namespace headlight
