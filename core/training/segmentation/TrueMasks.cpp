// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/segmentation/TrueMasks.h"

#include <ATen/ATen.h>

#include <string>

#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/imaging/ClassImage.h"

namespace headlight {

std::vector<std::int64_t> classesIn(const at::Tensor& segments, std::int64_t classes) {
  const at::Tensor counts =
      at::bincount(segments.flatten().to(at::kCPU, at::kLong), {}, kIgnoredClass + 1);
  const auto* count = counts.data_ptr<std::int64_t>();
  std::vector<std::int64_t> labels;
  for (std::int64_t label = 0; label < kIgnoredClass; ++label) {
    if (count[label] == 0) continue;
    if (label >= classes)
      throw Failure({ErrorCode::InvalidArgument,
                     tr("a pixel has class ") + std::to_string(label) + tr(", but the model has ") +
                         std::to_string(classes),
                     "segments"});
    labels.push_back(label);
  }
  return labels;
}

TrueMasks trueMasks(const at::Tensor& segments, std::vector<std::int64_t> labels,
                    const at::TensorOptions& options) {
  const at::Tensor values =
      at::tensor(at::ArrayRef<std::int64_t>(labels), at::kLong).to(segments.device());
  const at::Tensor masks = segments.unsqueeze(0) == values.view({-1, 1, 1});
  return {std::move(labels), masks.to(options)};
}

}  // namespace headlight
