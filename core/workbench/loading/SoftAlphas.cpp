// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/loading/SoftAlphas.h"

#include <cmath>
#include <cstdio>

#include "core/base/Text.h"
#include "core/workbench/loading/LoadedModel.h"

namespace headlight {
namespace {

std::string softAlphaLine(std::size_t layer, const std::vector<float>& heads) {
  std::string line;
  for (std::size_t h = 0; h < heads.size(); ++h) {
    if (std::isnan(heads[h])) continue;
    char text[48];
    std::snprintf(text, sizeof text, "head %zu %.3f", h, static_cast<double>(heads[h]));
    addTo(line, text);
  }
  return line.empty() ? line : "layer " + std::to_string(layer) + ": " + line;
}

}  // namespace

SoftAlphas readSoftAlphas(const Model& model) {
  SoftAlphas alphas;
  for (int layer = 0; layer < model.layers(); ++layer)
    alphas.push_back(model.softAlphas(layer));
  return alphas;
}

Result<SoftAlphas> readSoftAlphas(const std::filesystem::path& checkpoint) {
  return guarded(checkpoint.string(), [&] {
    ModelSource source;
    source.weights = checkpoint;
    source.device = "cpu";
    source.partial = true;  // what else of it fits is not asked here
    return readSoftAlphas(*loadModel(source).model);
  });
}

std::vector<std::string> softAlphaLines(const SoftAlphas& alphas) {
  std::vector<std::string> lines;
  for (std::size_t layer = 0; layer < alphas.size(); ++layer)
    if (std::string line = softAlphaLine(layer, alphas[layer]); !line.empty())
      lines.push_back(std::move(line));
  return lines;
}

}  // namespace headlight
