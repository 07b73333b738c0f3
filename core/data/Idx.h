// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The IDX files of MNIST and its family: a magic number (two zero bytes, the type, the number of
// dimensions), big-endian sizes, then bytes. Gray becomes RGB.

#include <filesystem>

#include "core/data/Subset.h"

namespace headlight {

/// train-images-idx3-ubyte with train-labels-idx1-ubyte, and t10k-images-… or test-images-…; a dot
/// may stand for the dash before "idx", and .gz may follow. Classes are "0" to the largest label of
/// either split. Declared sizes are limited to 1 GiB and must be exactly what the file holds.
Result<OpenedSource> openIdx(const DatasetSpec& spec, Split split);

/// Whether `path` is a folder with such files.
bool looksLikeIdx(const std::filesystem::path& path);

}  // namespace headlight
