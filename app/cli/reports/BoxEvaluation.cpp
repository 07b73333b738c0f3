// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/BoxEvaluation.h"

#include <filesystem>

#include "app/cli/reports/BoxText.h"
#include "app/cli/reports/EvaluationText.h"
#include "app/cli/terminal/Command.h"
#include "app/cli/terminal/ProgressBar.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/workbench/detection/DetectorEvaluation.h"

namespace headlight::cli {

void BoxEvaluation::declare(CLI::App& command) {
  command
      .add_option("--boxes", results,
                  tr("Instead of a model: compare these found boxes (COCO's results JSON) with the "
                     "annotations of --data (COCO's JSON), and print average precision (AP)"))
      ->type_name("FILE");
  command
      .add_option("--image-folder", imageFolder,
                  tr("For a detector and --data annotations.json: the folder of the images; "
                     "default: found beside the annotations"))
      ->type_name("FOLDER");
  command
      .add_option("-o,--output", output,
                  tr("For a detector and --data annotations.json: also write the found boxes, with "
                     "scores, as COCO's results JSON; - for standard output"))
      ->type_name("FILE");
}

bool BoxEvaluation::isAsked(const DataOptions& data) const {
  return !results.empty() || !imageFolder.empty() || !output.empty() ||
         lowered(std::filesystem::path(data.folder).extension().string()) == ".json";
}

void BoxEvaluation::check(const ModelOptions& model, const DataOptions& data) const {
  const std::string flag = !results.empty()       ? "--boxes"
                           : !imageFolder.empty() ? "--image-folder"
                                                  : "--output";
  if (data.folder.empty())
    refuseUsage(flag, tr("needs the annotations (COCO's JSON): --data annotations.json"));
  if (results.empty()) return model.require();
  if (!model.source.model.empty() || !model.source.weights.empty())
    refuseUsage("--boxes", tr("takes the place of a model; leave out --model and --weights"));
  if (!imageFolder.empty() || !output.empty() || samples > 0 || data.matching.isChosen())
    refuseUsage("--boxes", tr("reads no images and no model; leave out --image-folder, --output, "
                              "--samples, --match and --class-map"));
}

BoxReport BoxEvaluation::measure(const ModelOptions& model, const DataOptions& data,
                                 Terminal& terminal, std::stop_token stop) const {
  check(model, data);
  if (!results.empty()) return valueOrThrow(evaluateBoxFiles(data.folder, results));
  prepareOutput("--output", output, terminal);
  const auto session = model.open(terminal);
  ProgressBar bar(terminal);
  const DetectorRequest request{
      data.folder,   imageFolder, samples,
      data.matching, output,      [&](const std::string& text) {
                                  sayClassMatch(text, terminal); }};
  return valueOrThrow(
      evaluateDetector(*session, model.masksFor(session->info()), request, bar.callback(), stop));
}

void BoxEvaluation::run(const ModelOptions& model, const DataOptions& data, Terminal& terminal,
                        std::stop_token stop) const {
  const BoxReport report = measure(model, data, terminal, stop);
  for (const std::string& note : report.notes)
    terminal.warning(note);
  if (terminal.json()) return terminal.printJson(boxReportJson(report));
  printBoxReport(report, terminal);
  if (classes) printBoxClasses(report, terminal);
}

}  // namespace headlight::cli
