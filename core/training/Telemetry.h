#pragma once
// What the heads do while a model trains: ALS, α and readings on the same few validation images
// every time.

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "core/data/Dataset.h"
#include "core/imaging/Preprocess.h"
#include "core/models/Model.h"
#include "core/training/run/TrainingTypes.h"

namespace headlight {

/// Measures without autograd, in evaluation mode, drawing no random number: a run ends in the same
/// weights, bit for bit, with or without it.
class HeadProbe {
 public:
  /// Takes `count` images that `seed` chooses; damaged ones are passed over.
  HeadProbe(const Dataset& dataset, std::int64_t count, const Preprocessing& preprocessing,
            std::uint64_t seed, at::Device device);

  /// ALS (MaiT Eq. 3) and the mechanism's own readings, averaged over the images, and α. A layer
  /// whose map is not tokens × tokens has an empty row.
  HeadPoint measure(Model& model, std::int64_t step) const;
  /// [count, 3, H, W], normalised, on the device; undefined if none could be read.
  const at::Tensor& imageTensor() const { return m_images; }
  std::int64_t images() const { return m_images.defined() ? m_images.size(0) : 0; }

 private:
  at::Tensor m_images;
};

}  // namespace headlight
