// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/RolloutFlags.h"

#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"

namespace headlight::cli {

void RolloutFlags::declare(CLI::App& app, RolloutOptions& target, const char* group) {
  app.add_option("--fusion", fusion, tr("Rollout: fuse heads by mean, max or min; default mean"))
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--discard", target.discardRatio,
                 tr("Rollout: share of the lowest entries to drop, in [0, 1); default 0"))
      ->type_name("NUM")
      ->group(group);
}

void RolloutFlags::apply(RolloutOptions& target) const {
  if (!(target.discardRatio >= 0 && target.discardRatio < 1))
    refuseUsage("--discard", tr("must be at least 0 and below 1"));
  const auto known = headFusionFromName(fusion);
  if (!known) refuseUsage("--fusion", fusion + tr(" is not a known fusion; give mean, max or min"));
  target.fusion = *known;
}

}  // namespace headlight::cli
