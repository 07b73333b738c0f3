// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What models and weights are called (WeightsName.h), as it may be shown.

#include <QString>

#include <filesystem>

namespace headlight {

struct ModelInfo;

/// "demo", "run a · best · step 500", "timm/vit_small… (hub)", a file's name; empty for random
/// weights.
QString weightsName(const ModelInfo& model);
/// By the path alone: asks no disk.
QString weightsName(const std::filesystem::path& weights);
/// "vit_tiny · my.safetensors".
QString modelTitle(const ModelInfo& model);
QString modelTitle(const ModelInfo& model, const QString& weights);

}  // namespace headlight
