// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/ResultFlags.h"

#include "core/base/Translation.h"

namespace headlight::cli {

void declareCsv(CLI::App& command, std::string& path, const char* help) {
  command.add_option("--csv", path, help)->type_name("FILE");
}

void declareJson(CLI::App& command, bool& json) {
  command.add_flag("--json", json, tr("Print the result as one JSON object"));
}

}  // namespace headlight::cli
