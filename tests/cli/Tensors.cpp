// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/cli/Tensors.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/cli/Workspace.h"

namespace headlight::testing {
namespace {

struct Parts {
  nlohmann::json header;
  std::string data;
};

Parts partsOf(const std::filesystem::path& path) {
  const std::string bytes = readBytes(path);
  std::uint64_t size = 0;
  if (bytes.size() < 8) throw std::runtime_error(path.string() + " is no safetensors file");
  std::memcpy(&size, bytes.data(), 8);
  if (size > bytes.size() - 8) throw std::runtime_error(path.string() + " is cut off");
  return {nlohmann::json::parse(bytes.substr(8, size)), bytes.substr(8 + size)};
}

}  // namespace

std::vector<float> Tensor::floats() const {
  if (dtype != "F32") throw std::runtime_error("not F32 but " + dtype);
  std::vector<float> values(bytes.size() / 4);
  std::memcpy(values.data(), bytes.data(), values.size() * 4);
  return values;
}

Tensors readTensors(const std::filesystem::path& path) {
  const Parts parts = partsOf(path);
  Tensors tensors;
  for (const auto& [name, entry] : parts.header.items()) {
    if (name == "__metadata__") continue;
    const auto begin = entry["data_offsets"][0].get<std::size_t>();
    const auto end = entry["data_offsets"][1].get<std::size_t>();
    tensors[name] = {entry["dtype"], entry["shape"].get<std::vector<std::int64_t>>(),
                     parts.data.substr(begin, end - begin)};
  }
  return tensors;
}

std::map<std::string, std::string> readMetadata(const std::filesystem::path& path) {
  const Parts parts = partsOf(path);
  if (!parts.header.contains("__metadata__")) return {};
  return parts.header["__metadata__"].get<std::map<std::string, std::string>>();
}

Tensor floatTensor(const std::vector<std::int64_t>& shape, const std::vector<float>& values) {
  return {"F32", shape,
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4)};
}

std::string fileWithHeader(const std::string& header, const std::string& data) {
  const std::uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + data;
}

void writeTensors(const std::filesystem::path& path, const Tensors& tensors) {
  nlohmann::json header;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    header[name] = {{"dtype", tensor.dtype},
                    {"shape", tensor.shape},
                    {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  std::ofstream(path, std::ios::binary) << fileWithHeader(header.dump(), data);
}

void setMetadata(const std::filesystem::path& path, const std::string& key,
                 const std::string& value) {
  Parts parts = partsOf(path);
  parts.header["__metadata__"][key] = value;
  std::ofstream(path, std::ios::binary) << fileWithHeader(parts.header.dump(), parts.data);
}

double greatestDifference(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return std::numeric_limits<double>::infinity();
  const auto first = a.floats(), second = b.floats();
  double greatest = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const double difference = std::abs(double{first[i]} - second[i]);
    if (!(difference <= greatest)) greatest = difference;
    if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
  }
  return greatest;
}

}  // namespace headlight::testing
