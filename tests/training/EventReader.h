// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Reads TensorBoard's event files as slowly and plainly as their description can be followed, and
// shares no code with what writes them: checksums bit by bit, every field by its number.

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace headlight {

struct ReadHistogram {
  double least = 0, greatest = 0, count = 0, sum = 0, squares = 0;
  std::vector<double> limits, counts;
};

/// A value of a summary: the member that `kind` names (2: number, 4: image, 5: histogram).
struct ReadValue {
  std::string tag, description;
  int kind = 0;
  float number = 0;
  ReadHistogram histogram;
  std::int64_t width = 0, height = 0, colors = 0;
  std::string png;
};

struct ReadEvent {
  double seconds = 0;
  std::int64_t step = 0;
  std::string version;
  std::int64_t session = 0;  ///< 1: START
  std::vector<ReadValue> values;
};

/// The test fails for a record whose checksums are wrong or that is not whole.
std::vector<ReadEvent> readEventFile(const std::filesystem::path& file);

/// A run's event files, in the order in which readers take them.
std::vector<std::filesystem::path> eventFiles(const std::filesystem::path& run);

/// What a reader shows of a run: of its files one after the other, dropping at each START but the
/// first what was said of its step and later ones, as TensorBoard does.
std::map<std::pair<std::string, std::int64_t>, ReadValue> shownOf(const std::filesystem::path& run);

}  // namespace headlight
