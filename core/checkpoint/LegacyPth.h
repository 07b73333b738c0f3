// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// .pth files of torch before 1.6, walked by the same machine as those of today. Internal.

#include <string_view>

#include "core/checkpoint/Readers.h"

namespace headlight {

/// What torch before 1.6 wrote, and torch.save(…, _use_new_zipfile_serialization=False) writes: five
/// pickles (a magic number, a version, the machine, the object, the keys of its storages), then
/// each storage as its count of elements and its bytes.
std::unique_ptr<TensorFile> openLegacyPth(const SharedSource& source);
bool isLegacyPth(std::string_view head);

}  // namespace headlight
