// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/EvaluationText.h"

#include <cstdio>

#include "core/base/Translation.h"

namespace headlight::cli {

Json evaluationJson(const EvaluationResult& result) {
  Json json{{"images", result.images}, {"loss", result.loss}};
  for (const NamedScore& score : result.scores())
    json[score.key] = score.value;
  json["images_per_second"] = result.imagesPerSecond;
  json["skipped"] = result.skipped;
  return json;
}

std::string evaluationText(const EvaluationResult& result) {
  char line[100];
  std::snprintf(line, sizeof line, tr("%lld images  loss %.4f  "),
                static_cast<long long>(result.images), result.loss);
  std::string text = line;
  for (const NamedScore& score : result.scores()) {
    std::snprintf(line, sizeof line, "%s %.2f %%  ", score.name, 100 * score.value);
    text += line;
  }
  std::snprintf(line, sizeof line, tr("%.1f images/s"), result.imagesPerSecond);
  return text + line;
}

void sayClassMatch(const std::string& text, Terminal& terminal) {
  if (!text.empty() && !terminal.json()) terminal.print(tr("classes ") + text);
}

Json classMatchJson(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json branchReportJson(const BranchReport& report) {
  Json nonzeros = Json::array(), perImage = Json::array();  // NaN (no branch) becomes null
  for (const auto& layer : report.layers) {
    nonzeros.push_back(layer.nonzeros);
    perImage.push_back(layer.perImage);
  }
  return {{"with", evaluationJson(report.with)},
          {"castled", evaluationJson(report.withoutBranch)},
          {"nonzeros", nonzeros},
          {"nonzeros_per_image", perImage},
          {"free", report.free},
          {"class_match", classMatchJson(report.classMatch)},
          {"verdict", report.verdict}};
}

void printBranchReport(const BranchReport& report, Terminal& terminal) {
  sayClassMatch(report.classMatch, terminal);
  terminal.print(tr("with the auxiliary branch  ") + evaluationText(report.with));
  terminal.print(tr("without the branch         ") + evaluationText(report.withoutBranch));
  for (std::size_t l = 0; l < report.layers.size(); ++l)
    terminal.print(nonzerosText(report, l));
  terminal.print(tr("dropping the branch is ") + report.verdict);
}

}  // namespace headlight::cli
