// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A reader and writer of safetensors that shares nothing with the program's.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headlight::testing {

struct Tensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::string bytes;

  std::vector<float> floats() const;  ///< F32 only
  bool operator==(const Tensor&) const = default;
};
using Tensors = std::map<std::string, Tensor>;

/// Throws where the file is not what the format says.
Tensors readTensors(const std::filesystem::path& path);
std::map<std::string, std::string> readMetadata(const std::filesystem::path& path);

Tensor floatTensor(const std::vector<std::int64_t>& shape, const std::vector<float>& values);
void writeTensors(const std::filesystem::path& path, const Tensors& tensors);
/// Puts an entry into the metadata of a file.
void setMetadata(const std::filesystem::path& path, const std::string& key,
                 const std::string& value);
/// A header as it is given, true or not, and `data` behind it.
std::string fileWithHeader(const std::string& header, const std::string& data);

/// The greatest |a − b|; infinite where shapes differ or something is not a number.
double greatestDifference(const Tensor& a, const Tensor& b);

}  // namespace headlight::testing
