// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// open_clip_config.json: the image half of a CLIP. No torch type here.

#include <string>

#include "core/workbench/foreign/ForeignModel.h"

namespace headlight {

inline constexpr const char* kOpenClipConfig = "open_clip_config.json";

bool isOpenClipConfig(const Json& config);

/// `where`: the file, for messages. Throws Failure: UnsupportedFile for a tower that is no vision
/// transformer and for a value that has no counterpart here; InvalidConfig, naming the key, for
/// values of a wrong type or out of range.
ForeignModel readOpenClipConfig(const Json& config, const std::string& where);

}  // namespace headlight
