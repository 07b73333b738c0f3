// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/Checksums.h"

#include <unordered_map>

#include "core/base/Crc32.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"
#include "core/config/ConfigText.h"

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
  refuse(where, what + tr(" does not match its checksum: the file is damaged, or another program "
                          "changed it. Copy an intact file again; if the change was intended, "
                          "remove \"checksums\" from its metadata"));
}

}  // namespace

std::string computeChecksums(const NamedTensors& tensors,
                             const std::map<std::string, std::string>& metadata) {
  Json ofTensors = Json::object();
  for (const auto& [name, tensor] : tensors)
    ofTensors.push_back({name, checksumOf(tensor)});
  return Json{{"metadata", checksumOf(metadata)}, {"tensors", ofTensors}}.dump();
}

void verifyChecksums(Checkpoint& checkpoint, const std::string& where, Checked checked) {
  const auto found = checkpoint.metadata.find(kChecksumsKey);
  if (found == checkpoint.metadata.end()) return;
  const Json said = jsonOrDiscarded(found->second);
  const bool whole = said.is_object() && said.contains("metadata") && said.contains("tensors") &&
                     said["tensors"].is_object();
  const bool all = checked == Checked::Everything;
  if (!whole || (all && said["metadata"] != checksumOf(checkpoint.metadata)))
    refuseChanged(where, tr("its metadata"));
  if (all && said["tensors"].size() != checkpoint.tensors.size())
    refuseChanged(where, tr("the list of its tensors"));
  // Json itself would look for each name among all before it.
  std::unordered_map<std::string_view, const Json*> sums;
  for (const auto& [name, sum] : said["tensors"].get_ref<const Json::object_t&>())
    sums.emplace(name, &sum);
  for (const auto& [name, tensor] : checkpoint.tensors) {
    const auto sum = sums.find(name);
    const bool listed = sum != sums.end();
    if (listed ? *sum->second != checksumOf(tensor) : all)
      refuseChanged(where, tr("its tensor ") + inQuotes(name));
  }
  checkpoint.metadata.erase(found);
}

}  // namespace headlight
