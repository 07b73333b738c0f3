#include "core/checkpoint/Checksums.h"

#include <nlohmann/json.hpp>

#include "core/base/Crc32.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

std::string checksumOf(const at::Tensor& tensor) {
  const at::Tensor bytes = tensor.detach().to(at::kCPU).contiguous();
  return crcText(bytes.nbytes() == 0 ? 0 : crc32Of(bytes.data_ptr(), bytes.nbytes()));
}

/// Every key and value with the 0 that ends it, but for the checksums themselves.
std::string checksumOf(const std::map<std::string, std::string>& metadata) {
  std::uint32_t crc = 0;
  for (const auto& [key, value] : metadata) {
    if (key == kChecksumsKey) continue;
    crc = crc32Of(key.c_str(), key.size() + 1, crc);
    crc = crc32Of(value.c_str(), value.size() + 1, crc);
  }
  return crcText(crc);
}

[[noreturn]] void refuseChanged(const std::string& where, const std::string& what) {
  refuse(where, what +
                    " is not what was written: the file is damaged, or another program changed it. "
                    "Copy it again from where it is whole; if the change was meant, take "
                    "\"checksums\" out of its metadata");
}

}  // namespace

std::string checksumsOf(const NamedTensors& tensors,
                        const std::map<std::string, std::string>& metadata) {
  nlohmann::ordered_json ofTensors = nlohmann::ordered_json::object();
  for (const auto& [name, tensor] : tensors)
    ofTensors.push_back({name, checksumOf(tensor)});
  return nlohmann::ordered_json{{"metadata", checksumOf(metadata)}, {"tensors", ofTensors}}.dump();
}

void verifyChecksums(Checkpoint& checkpoint, const std::string& where, Checked checked) {
  const auto found = checkpoint.metadata.find(kChecksumsKey);
  if (found == checkpoint.metadata.end()) return;
  const auto said = nlohmann::json::parse(found->second, nullptr, false);
  const bool whole = said.is_object() && said.contains("metadata") && said.contains("tensors") &&
                     said["tensors"].is_object();
  const bool all = checked == Checked::Everything;
  if (!whole || (all && said["metadata"] != checksumOf(checkpoint.metadata)))
    refuseChanged(where, "its metadata");
  if (all && said["tensors"].size() != checkpoint.tensors.size())
    refuseChanged(where, "the list of its tensors");
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const auto sum = said["tensors"].find(name);
    const bool listed = sum != said["tensors"].end();
    if (listed ? *sum != checksumOf(tensor) : all)
      refuseChanged(where, "its tensor " + inQuotes(name));
  }
  checkpoint.metadata.erase(found);
}

}  // namespace headlight
