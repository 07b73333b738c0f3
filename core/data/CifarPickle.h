// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// CIFAR-10 and CIFAR-100 in their Python version: pickles of Python 2, walked by the machine that
// reads checkpoints (core/checkpoint/Pickle.h). Nothing in them is run or imported.

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

/// One file of images, as CIFAR's binary version would have them.
struct CifarBatch {
  std::string planes;       ///< [images, 3, 32, 32], red first
  std::vector<int> labels;  ///< one per image, not checked against the number of classes
};

/// The labels are "labels", or "fine_labels" of CIFAR-100. Throws Failure (InvalidFile): no such
/// dictionary, no array of bytes of [images, 3072], another number of labels than images.
CifarBatch readCifarPickle(const std::filesystem::path& path);

/// "label_names" or "fine_label_names" of batches.meta or meta. Throws Failure (InvalidFile).
std::vector<std::string> readCifarPickleNames(const std::filesystem::path& path);

/// By its first bytes: a pickle of protocol 2 or later.
bool isPickle(const std::filesystem::path& path);

}  // namespace headlight
