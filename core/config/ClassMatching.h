// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// How the classes of a dataset are matched with those of a model that is measured on it.

#include <string>

#include "core/config/Parameter.h"

namespace headlight {

struct ClassMatching {
  std::string match = "auto";  ///< auto | name | index
  std::string classMap;        ///< a file (core/workbench/classes/ClassMap.h); empty: none

  bool operator==(const ClassMatching&) const = default;
  /// Whether somebody chose it: nothing else is then done in its place.
  bool isChosen() const { return *this != ClassMatching(); }
};

const ParameterTable& classMatchParameters();

}  // namespace headlight
