// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/MeasuredImages.h"

#include "app/cli/options/Inputs.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ExitCodes.h"
#include "core/base/Translation.h"

namespace headlight::cli {

void MeasuredImages::declare(CLI::App& command) {
  ImageSources::declare(command, tr("Measure each of these images or image folders; or, without a "
                                    "model, a map file (FILE) or one image of it (FILE[2])"));
}

void MeasuredImages::check() {
  ImageSources::check();
  keep.check();
  if (keep.keep && !images.empty())
    refuseUsage("--keep", tr("saves averages over a dataset; leave out --image"));
}

bool MeasuredImages::severalMaps(const InferenceSession& session) const {
  return maps && !maps->image && session.info().images > 1;
}

int MeasuredImages::forEach(
    const std::vector<std::filesystem::path>& images, bool strict, InferenceSession& session,
    Terminal& terminal,
    const std::function<void(const std::filesystem::path&, const Image&)>& use) const {
  if (!maps) return forEachImage(images, strict, terminal, use);
  forEachMapImage(*maps, session, use);
  return kExitOk;
}

Json imageResultsJson(const ModelInfo& info, const MaskScheme& masks, const Json& results,
                      const std::string& output) {
  return {{"model", modelJson(info, masks)},
          {"results", results},
          {"output", output.empty() ? Json(nullptr) : Json(output)}};
}

}  // namespace headlight::cli
