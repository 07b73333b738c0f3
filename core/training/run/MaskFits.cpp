// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/MaskFits.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/attention/softmax/LearnedMaskFit.h"
#include "core/base/Text.h"
#include "core/base/files/Files.h"
#include "core/training/logs/LineLog.h"

namespace headlight {

std::vector<MaskFit> fitMasks(const Model& model) {
  std::vector<std::pair<const LearnedMaskFit*, MaskFit>> found;
  for (int layer = 0; layer < model.layers(); ++layer) {
    const LearnedMaskFit* fit = model.attention(layer).startingFit();
    if (!fit) continue;
    auto known = std::find_if(found.begin(), found.end(),
                              [fit](const auto& entry) { return entry.first == fit; });
    if (known == found.end()) known = found.insert(found.end(), {fit, {{}, {}, fit->curve}});
    known->second.layers.push_back(layer);
  }
  std::vector<MaskFit> fits;
  for (auto& [address, fit] : found) {
    char name[64];
    std::snprintf(name, sizeof name, "mask_fit-layer-%02d.csv", fit.layers.front());
    fit.file = found.size() == 1 ? "mask_fit.csv" : name;
    fits.push_back(std::move(fit));
  }
  return fits;
}

Result<void> writeMaskFit(const OpenFolder& folder, const MaskFit& fit) {
  std::string table = "step,mean_squared_error\n";
  for (std::size_t step = 0; step < fit.errors.size(); ++step) {
    table += std::to_string(step) + "," + numberText(fit.errors[step]) + "\n";
  }
  return folder.write(fit.file, table);
}

}  // namespace headlight
