// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// evaluate on boxes: a detector, or a file of what one found, compared with COCO's annotations.

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

#include "app/cli/options/DataOptions.h"
#include "app/cli/options/ModelOptions.h"
#include "app/cli/terminal/Terminal.h"
#include "core/workbench/detection/BoxReport.h"

namespace headlight::cli {

struct BoxEvaluation {
  std::string results;      ///< found boxes that are there already; empty: the model finds them
  std::string imageFolder;  ///< empty: beside the annotations
  std::string output;       ///< where found boxes go; empty: nowhere
  std::int64_t samples = 0;
  bool classes = false;  ///< a line for each class

  /// --boxes, --image-folder, --output.
  void declare(CLI::App& command);
  /// Whether these options or the data, a JSON file, ask for it.
  bool isAsked(const DataOptions& data) const;
  /// Measures and reports. Throws Failure.
  void run(const ModelOptions& model, const DataOptions& data, Terminal& terminal,
           std::stop_token stop) const;

 private:
  void check(const ModelOptions& model, const DataOptions& data) const;
  BoxReport measure(const ModelOptions& model, const DataOptions& data, Terminal& terminal,
                    std::stop_token stop) const;
};

}  // namespace headlight::cli
