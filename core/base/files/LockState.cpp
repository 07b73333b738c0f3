// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/files/LockState.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace headlight {
namespace {

constexpr long kXfsMagic = 0x58465342, kZfsMagic = 0x2fc12fc1, kFuseMagic = 0x65735546;

/// NFS makes a record lock of FolderLock's, and its server tells of those of other machines.
bool holdsRecordLock(const FileDescriptor& file) {
  struct flock asked {};
  asked.l_type = F_WRLCK;
  asked.l_whence = SEEK_SET;
  return ::fcntl(file.get(), F_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

/// Here the kernel's list names another device than stat does.
bool hasDevicesOfItsOwn(long type) {
  return type == BTRFS_SUPER_MAGIC || type == OVERLAYFS_SUPER_MAGIC;
}

/// Those that only this machine has mounted: its kernel knows every lock on them.
bool isOfThisMachine(long type) {
  const long known[] = {EXT4_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC, RAMFS_MAGIC,
                        kXfsMagic,        kZfsMagic,   MSDOS_SUPER_MAGIC};
  return hasDevicesOfItsOwn(type) ||
         std::find(std::begin(known), std::end(known), type) != std::end(known);
}

/// "1: FLOCK  ADVISORY  WRITE 23868 fe:00:11274324 0 EOF", or nothing of the kind.
std::string placeIn(const std::string& line) {
  char place[64] = "";
  return std::sscanf(line.c_str(), "%*d: %*s %*s %*s %*d %63s", place) == 1 ? place : "";
}

/// From the kernel's list. False, and `listed` too, if there is none.
bool isListed(const struct stat& file, bool anyDevice, bool& listed) {
  char device[32];
  std::snprintf(device, sizeof device, "%02x:%02x:", major(file.st_dev), minor(file.st_dev));
  const std::string inode = std::to_string(file.st_ino), whole = device + inode;
  std::ifstream locks("/proc/locks");
  listed = locks.good();
  for (std::string line; std::getline(locks, line);) {
    const std::string place = placeIn(line);
    if (place == whole || (anyDevice && place.ends_with(":" + inode))) return true;
  }
  return false;
}

}  // namespace

LockState readLockState(const OpenFolder& folder) {
  if (!folder.has(kLockName)) return LockState::Free;
  const auto file = folder.openToRead(kLockName);
  struct stat status {};
  struct statfs system {};
  if (!file || ::fstat(file->get(), &status) != 0 || ::fstatfs(file->get(), &system) != 0)
    return LockState::Unknown;
  bool listed = false;
  if (holdsRecordLock(*file) || isListed(status, hasDevicesOfItsOwn(system.f_type), listed))
    return LockState::Held;
  return listed && isOfThisMachine(system.f_type) ? LockState::Free : LockState::Unknown;
}

bool isHeld(const std::filesystem::path& folder) {
  const auto opened = OpenFolder::open(folder);
  return opened && readLockState(*opened) == LockState::Held;
}

bool locksReachOtherMachines(const OpenFolder& folder) {
  struct statfs system {};
  return ::fstatfs(folder.descriptor(), &system) != 0 || system.f_type != kFuseMagic;
}

}  // namespace headlight
