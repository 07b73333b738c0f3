// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One of several models in a file of weights, as a path names it: "checkpoint.pth[student]". No
// torch type here.

#include <filesystem>
#include <string>

namespace headlight {

struct WeightsPlace {
  std::filesystem::path file;
  std::string take;  ///< LoadReport::Choice::name, or a part of it; empty: the likeliest

  /// "checkpoint.pth[student]"; without a choice the file.
  std::filesystem::path path() const;
};

/// What has the whole text as its name is a file, whatever its name ends with; a number in brackets
/// is no model's name.
WeightsPlace parseWeightsPlace(const std::filesystem::path& path);

}  // namespace headlight
