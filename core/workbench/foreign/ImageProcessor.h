// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// transformers' preprocessor_config.json: what a model expects of an image. Internal to
// core/workbench/foreign.

#include <filesystem>
#include <string>

#include "core/workbench/foreign/ForeignModel.h"

namespace headlight {

/// Sets size, crop, filter, mean and deviation of `model.model`, whose patch and image size are
/// known; `type` is the config's `model_type`, which decides what a missing key means. Notes say
/// what was assumed and what is done otherwise. Throws Failure(InvalidConfig) for values of a wrong
/// type.
void readImageProcessor(const std::filesystem::path& folder, const std::string& type,
                        ForeignModel& model);

/// A crop fraction with which a side of `crop` pixels is cut out of one of exactly `resized`.
double cropFractionOf(int crop, int resized);

}  // namespace headlight
