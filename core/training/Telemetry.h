// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What the heads do while a model trains: ALS, α and readings on the same few validation images
// every time.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "core/models/backbones/Model.h"
#include "core/training/MapRecorder.h"
#include "core/training/logs/TrainingTypes.h"

namespace headlight {

/// One of the images that are measured.
struct ProbeImage {
  std::int64_t index = 0;  ///< in the validation split
  int label = 0;
  std::string name;
};

/// Measures without autograd, in evaluation mode, drawing no random number: a run ends in the same
/// weights, bit for bit, with or without it.
class HeadProbe {
 public:
  /// Takes `count` images that `seed` chooses; damaged ones are passed over.
  HeadProbe(const Dataset& dataset, std::int64_t count, const Preprocessing& preprocessing,
            std::uint64_t seed, at::Device device);

  /// ALS (MaiT Eq. 3) and the mechanism's own readings, averaged over the images, and α. A layer
  /// whose map is not tokens × tokens has an empty row. `maps`, where there are some, are taken in
  /// the same pass.
  HeadPoint measure(Model& model, std::int64_t step, MapRecorder* maps = nullptr) const;
  /// [count, 3, H, W], normalized, on the device; undefined if none could be read.
  const at::Tensor& imageTensor() const { return m_images; }
  std::int64_t images() const { return m_images.defined() ? m_images.size(0) : 0; }
  /// What they are, in the same order.
  const std::vector<ProbeImage>& described() const { return m_described; }

 private:
  at::Tensor m_images;
  std::vector<ProbeImage> m_described;
};

}  // namespace headlight
