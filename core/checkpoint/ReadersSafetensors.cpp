// SPDX-License-Identifier: GPL-3.0-or-later

// Readers.h: safetensors; and writing them.

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/checkpoint/ByteSource.h"
#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/Checksums.h"
#include "core/checkpoint/Readers.h"
#include "core/checkpoint/Refusal.h"
#include "core/checkpoint/SafetensorsFile.h"
#include "core/checkpoint/SafetensorsHeader.h"
#include "core/checkpoint/TensorBytes.h"

namespace headlight {
namespace {

constexpr std::uint64_t kLengthBytes = 8;

/// What is wrong with one tensor that is to be written; empty if nothing.
std::string objection(const std::string& name, const at::Tensor& tensor) {
  if (!isPlainName(name)) return "has a name that is too long or holds control characters";
  if (name == "__metadata__") return "has a name that the format reserves";
  if (!tensor.defined()) return "is undefined";
  if (tensor.layout() != at::kStrided) return "is sparse; make it dense first";
  if (!safetensorsDtypeName(tensor.scalar_type()))
    return "has a dtype that safetensors does not know; convert it first";
  return {};
}

void checkTensors(const NamedTensors& tensors, const std::string& where) {
  std::unordered_set<std::string> names;
  for (const auto& [name, tensor] : tensors) {
    std::string problem = objection(name, tensor);
    if (problem.empty() && !names.insert(name).second) problem = "is given twice";
    if (!problem.empty())
      refuse(where, "tensor " + inQuotes(name) + " " + problem, ErrorCode::InvalidArgument);
  }
}

/// Largest items first, so that every tensor is aligned to its own item size in the file: the
/// reference reader maps them in place.
std::vector<std::size_t> dataOrder(const NamedTensors& tensors) {
  std::vector<std::size_t> order(tensors.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return tensors[a].second.element_size() > tensors[b].second.element_size();
  });
  return order;
}

std::string headerText(const NamedTensors& tensors, const std::vector<std::size_t>& order,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<std::uint64_t> begins(tensors.size());
  std::uint64_t position = 0;
  for (const std::size_t index : order) {
    begins[index] = position;
    position += tensors[index].second.nbytes();
  }
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    nlohmann::ordered_json entry;
    entry["dtype"] = *safetensorsDtypeName(tensor.scalar_type());
    entry["shape"] = tensor.sizes().vec();
    entry["data_offsets"] = {begins[i], begins[i] + tensor.nbytes()};
    // push_back: operator[] would search all names before it.
    header.push_back({name, std::move(entry)});
  }
  std::string text = header.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  return text;
}

std::string checkedHeader(const NamedTensors& tensors, const std::vector<std::size_t>& order,
                          const std::map<std::string, std::string>& metadata,
                          const std::string& where) {
  std::string text;
  try {
    text = headerText(tensors, order, metadata);
  } catch (const nlohmann::json::exception&) {
    refuse(where, tr("the metadata holds text that is not UTF-8"), ErrorCode::InvalidArgument);
  }
  if (text.size() > kMaxSafetensorsHeader)
    refuse(where, tr("the names and metadata are more than the 100 MB that safetensors allows"),
           ErrorCode::InvalidArgument);
  return text;
}

/// What streams a file's bytes to where they belong.
using WriteFile = std::function<Result<void>(const std::function<void(const AppendBytes&)>&)>;

/// `summed`: with checksums.
Result<void> writeSafetensorsBy(const WriteFile& writeFile, const std::string& where,
                                const NamedTensors& tensors,
                                std::map<std::string, std::string> metadata, bool summed) {
  return guarded(where, [&]() -> Result<void> {
    checkTensors(tensors, where);
    if (summed) metadata[kChecksumsKey] = computeChecksums(tensors, metadata);
    const std::vector<std::size_t> order = dataOrder(tensors);
    const std::string header = checkedHeader(tensors, order, metadata, where);
    const auto length = static_cast<std::uint64_t>(header.size());
    return writeFile([&](const AppendBytes& append) {
      append(&length, sizeof length);
      append(header.data(), header.size());
      for (const std::size_t index : order) {
        const at::Tensor tensor = tensors[index].second.detach().to(at::kCPU).contiguous();
        if (tensor.nbytes() > 0) append(tensor.data_ptr(), tensor.nbytes());
      }
    });
  });
}

/// A file that is open: its header.
class HeaderFile : public TensorFile {
 public:
  explicit HeaderFile(SharedSource source)
      : TensorFile(source->name(), "safetensors"), m_source(std::move(source)) {
    m_opened = openSafetensors(*m_source);
    m_metadata = m_opened.header.metadata;
    TensorNest nest;
    for (const SafetensorsEntry& entry : m_opened.header.entries)
      nest.names.push_back(entry.name);
    addNest(std::move(nest));
  }

  at::Tensor read(std::size_t, std::size_t index) override {
    const SafetensorsEntry& entry = m_opened.header.entries[index];
    return readTensor(*m_source, m_opened.dataBegin + entry.begin, entry.shape, entry.dtype,
                      entry.name);
  }
  at::Tensor outline(std::size_t, std::size_t index) override {
    const SafetensorsEntry& entry = m_opened.header.entries[index];
    return makeOutline(entry.shape, entry.dtype);
  }

 private:
  SharedSource m_source;
  OpenedSafetensors m_opened;
};

}  // namespace

std::unique_ptr<TensorFile> openSafetensorsFile(const SharedSource& source) {
  return std::make_unique<HeaderFile>(source);
}

Checkpoint readSafetensorsFrom(const ByteSource& source, Checked checked) {
  auto [header, dataBegin] = openSafetensors(source);
  Checkpoint checkpoint;
  checkpoint.format = "safetensors";
  checkpoint.metadata = std::move(header.metadata);
  checkpoint.tensors.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    at::Tensor tensor =
        readTensor(source, dataBegin + entry.begin, entry.shape, entry.dtype, entry.name);
    checkpoint.tensors.emplace_back(std::move(entry.name), std::move(tensor));
  }
  verifyChecksums(checkpoint, source.name(), checked);
  return checkpoint;
}

Result<Checkpoint> readSafetensors(const std::filesystem::path& path) {
  return guarded(path.string(), [&] { return readSafetensorsFrom(*ByteSource::openFile(path)); });
}

Result<Checkpoint> readSafetensors(const OpenFolder& folder, const std::string& name) {
  const std::string path = folder.pathOf(name).string();
  return guarded(path, [&] {
    const auto source = ByteSource::ofFile(valueOrThrow(folder.openToRead(name)), path);
    return readSafetensorsFrom(*source, Checked::Everything);
  });
}

Result<std::map<std::string, std::string>> readSafetensorsMetadata(const OpenFolder& folder,
                                                                   const std::string& name) {
  const std::string path = folder.pathOf(name).string();
  return guarded(path, [&] {
    const auto source = ByteSource::ofFile(valueOrThrow(folder.openToRead(name)), path);
    return openSafetensors(*source).header.metadata;
  });
}

Result<Checkpoint> parseSafetensors(std::string_view bytes, const std::string& name) {
  return guarded(name, [&] { return readSafetensorsFrom(*ByteSource::overMemory(bytes, name)); });
}

Result<void> writeSafetensors(const std::filesystem::path& path, const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  return writeSafetensorsBy([&](const auto& write) { return writeFileAtomically(path, write); },
                            path.string(), tensors, metadata, /*summed=*/false);
}

Result<void> writeSafetensors(const OpenFolder& folder, const std::string& name,
                              const NamedTensors& tensors,
                              const std::map<std::string, std::string>& metadata) {
  return writeSafetensorsBy([&](const auto& write) { return folder.write(name, write); },
                            folder.pathOf(name).string(), tensors, metadata, /*summed=*/true);
}

}  // namespace headlight
