// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images that a person put into classes by hand. No torch type here.

#include <filesystem>
#include <string>
#include <vector>

namespace headlight {

struct NamedImages {
  std::string name;                          ///< of the class
  std::vector<std::filesystem::path> files;  ///< or addresses, as the gallery has them (Input.h)
};

}  // namespace headlight
