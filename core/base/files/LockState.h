// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Whether somebody holds a folder, asked without holding it.

#include "core/base/files/OpenFolder.h"

namespace headlight {

inline constexpr const char* kLockName = ".lock";  ///< FolderLock's file

enum class LockState {
  Free,
  Held,
  Unknown,  ///< on a file system of several machines, whose locks are not all seen from here
};

/// State of FolderLock's lock on `folder`, this process's own included. Takes no lock, not for a
/// moment: a run that begins just now must not find the folder busy.
LockState readLockState(const OpenFolder& folder);

/// Whether somebody holds `folder`: another run may still begin in the folder of a sweep that is
/// held. False for a folder that is missing or closed to this process.
bool isHeld(const std::filesystem::path& folder);

/// False where FolderLock holds on this machine alone although others may see the folder: on FUSE,
/// which sshfs is.
bool locksReachOtherMachines(const OpenFolder& folder);

}  // namespace headlight
