// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CIFAR-10 and CIFAR-100 in their binary version. A record is one label byte (CIFAR-100: a coarse
// label, then the fine one, which is the class here) and 3 × 32 × 32 bytes, channels first.

#include <filesystem>

#include "core/data/Subset.h"

namespace headlight {

/// The folder itself or the one the archive unpacks to inside it. CIFAR-10: data_batch_1.bin …
/// data_batch_5.bin (fewer: a warning) and test_batch.bin; CIFAR-100: train.bin and test.bin. Names
/// from batches.meta.txt or fine_label_names.txt where these exist. `classCount`: 10 or 100.
Result<OpenedSource> openCifar(const DatasetSpec& spec, Split split, int classCount);

/// Whether `path` holds such files.
bool looksLikeCifar(const std::filesystem::path& path, int classCount);

}  // namespace headlight
