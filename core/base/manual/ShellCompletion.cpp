// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/manual/ShellCompletion.h"

#include <algorithm>

namespace headlight {

std::string completionFunction(const CommandManual& program) {
  std::string name = "_" + program.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<std::string> optionNames(const CommandManual& command) {
  std::vector<std::string> names;
  for (const ManualOption& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

}  // namespace headlight
