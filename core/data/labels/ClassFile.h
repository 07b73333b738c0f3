// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What a dataset calls classes that its lists number.

#include <string>
#include <vector>

#include "core/data/files/FilePlace.h"

namespace headlight {

/// Names of classes that the place has in a file (classes.txt, class_names.txt), one a line,
/// perhaps behind a running number; empty where there is none.
std::vector<std::string> classFileIn(const FilePlace& place);

}  // namespace headlight
