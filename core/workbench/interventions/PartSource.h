// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What is put in the place of a model's parts: nothing, their means over images, or what another
// image gives. Torch types: core only.

#include <ATen/core/Tensor.h>

#include <memory>
#include <stop_token>
#include <vector>

#include "core/base/Progress.h"
#include "core/workbench/evaluation/ImageSource.h"
#include "core/workbench/interventions/PartsHook.h"
#include "core/workbench/loading/LoadedModel.h"

namespace headlight {

class PartSource {
 public:
  virtual ~PartSource() = default;
  /// Of one image, [1, …]; asked for layer by layer, from 0. Undefined: 0.
  virtual PartActivations block(int layer) = 0;
  /// What the source image itself gives after all layers were asked for, [1, classes]; undefined:
  /// there is no such image.
  virtual at::Tensor logits() { return {}; }
};

std::unique_ptr<PartSource> zeroParts();
/// Of `image` [1, 3, H, W], computed as it is asked for.
std::unique_ptr<PartSource> imageParts(Model& model, const at::Tensor& image, PartsHook::Keep keep);
/// Means over images, token by token. Throws Failure: Canceled, no image that can be read, images
/// of several sizes.
std::unique_ptr<PartSource> meanParts(LoadedModel& loaded, const ImageSource& images,
                                      PartsHook::Keep keep, const ProgressCallback& progress,
                                      const std::stop_token& stop);

}  // namespace headlight
