// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Names for the content of images: equal for equal content, wherever it lies. No torch type here.

#include <cstdint>
#include <string>

#include "core/data/Dataset.h"

namespace headlight {

/// Names the samples of a dataset by the bytes of their files; where a sample is no file of its own
/// (archives, CIFAR, drawn images), by its pixels.
class ImageDigest {
 public:
  explicit ImageDigest(const Dataset& dataset);

  /// 64 hexadecimal digits; empty for a sample that cannot be read.
  std::string operator()(std::int64_t index) const;

 private:
  const Dataset& m_dataset;
  bool m_byFile = true;  ///< no two samples are in one file
};

}  // namespace headlight
