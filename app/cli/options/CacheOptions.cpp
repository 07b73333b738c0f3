// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/CacheOptions.h"

#include "app/cli/terminal/Command.h"
#include "core/base/Translation.h"

namespace headlight::cli {

void CacheOptions::declare(CLI::App& command) {
  command.add_flag("--keep", keep,
                   tr("Save the result with its model, masks, images and date, also for the "
                      "window; saved results are shown immediately"));
  command.add_flag("--anew", anew, tr("With --keep: measure again even if a saved result exists"));
}

void CacheOptions::check() const {
  if (anew && !keep)
    refuseUsage("--anew", tr("needs --keep; without it nothing is read from saved results"));
}

CachePolicy CacheOptions::keeping() const {
  if (!keep) return {};
  return {std::make_shared<const ResultCache>(ResultCache::defaultFolder()),
          anew ? CachePolicy::Use::Measured : CachePolicy::Use::KeptOrMeasured};
}

void sayMeasured(const std::string& measured, Terminal& terminal) {
  if (!measured.empty() && !terminal.json()) terminal.print(measuredText(measured));
}

Json measuredJson(const std::string& measured) {
  return measured.empty() ? Json(nullptr) : Json(measured);
}

}  // namespace headlight::cli
