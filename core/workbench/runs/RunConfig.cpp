// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/runs/RunConfig.h"

#include "core/config/ConfigText.h"
#include "core/training/run/RunFolder.h"

namespace headlight {

Json runConfigIn(const OpenFolder& run) {
  constexpr std::uintmax_t kMostBytes = 64u << 20;
  const std::string text = valueOrThrow(run.read(kRunConfig, kMostBytes));
  return valueOrThrow(parseConfigJson(text, run.pathOf(kRunConfig).string()));
}

}  // namespace headlight
