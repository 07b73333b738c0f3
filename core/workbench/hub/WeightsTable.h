// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// models/published_weights.tsv, compiled in (core/CMakeLists.txt makes the source that holds it).

#include <string_view>

namespace headlight {

std::string_view weightsTable();

}  // namespace headlight
