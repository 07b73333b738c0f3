// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Datasets that are drawn as they are needed, from no file (core/data/drawn). Splits draw from
// disjoint streams.

#include <memory>

#include "core/data/Subset.h"

namespace headlight {

/// trainSamples or validationSamples images of imageSize pixels a side; label = index mod 9.
/// Errors: InvalidArgument for sizes that are not drawn and an empty split.
Result<std::unique_ptr<LabeledDataset>> openTextureShape(const DatasetSpec& spec, Split split);

/// The same of scenes with boxes (TextureScene.h).
Result<std::unique_ptr<LabeledDataset>> openTextureScenes(const DatasetSpec& spec, Split split);

/// The same scenes with a class for every pixel: "background", then the shapes.
Result<std::unique_ptr<LabeledDataset>> openTextureSegments(const DatasetSpec& spec, Split split);

}  // namespace headlight
