// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/RuntimeEnvironment.h"

#include "core/base/Processor.h"
#include "core/base/Text.h"
#include "core/base/TorchCompat.h"

namespace headlight {
namespace {

std::string named(const Json& json, const char* key) {
  if (!json.is_object() || !json.contains(key)) return "";
  return json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
}

}  // namespace

Json surroundings(const c10::Device& device) {
  return {{"threads", at::get_num_threads()},
          {"blas", blasCore()},
          {"library", std::string("LibTorch ") + TORCH_VERSION},
          {"device", device.str()}};
}

std::string surroundingsNote(const Json& then, const Json& now) {
  std::string changes;
  const std::pair<const char*, const char*> words[] = {{"threads", " threads"},
                                                       {"blas", " as BLAS kernels"},
                                                       {"library", ""},
                                                       {"device", " as device"}};
  for (const auto& [key, word] : words) {
    const std::string before = named(then, key), after = named(now, key);
    if (before.empty() || before == after) continue;
    addTo(changes, before + word + " (now " + (after.empty() ? "none" : after) + ")");
  }
  if (changes.empty()) return "";
  return "the run was computed with " + changes +
         ". It continues, but sums are rounded in another order: the final weights will not be "
         "bit-identical to those of an uninterrupted run";
}

}  // namespace headlight
