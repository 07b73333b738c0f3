// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// JPEGs that EXIF turns.

#include <initializer_list>
#include <string>

namespace headlight::test {

/// Told to be turned by EXIF's `orientation`.
inline std::string turned(const std::string& jpeg, int orientation) {
  const auto bytes = [](std::initializer_list<int> values) {
    return std::string(values.begin(), values.end());
  };
  const std::string exif = std::string("Exif\0\0MM\0*\0\0\0\10\0\1\1\22\0\3\0\0\0\1\0", 25) +
                           bytes({orientation, 0, 0, 0, 0, 0, 0});
  return jpeg.substr(0, 2) + bytes({0xff, 0xe1, 0, static_cast<int>(exif.size()) + 2}) + exif +
         jpeg.substr(2);
}

}  // namespace headlight::test
