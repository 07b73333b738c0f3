// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/EvaluationText.h"

#include <cstdio>

#include "core/base/Translation.h"

namespace headlight::cli {

Json evaluationJson(const EvaluationResult& result) {
  return {{"images", result.images},
          {"loss", result.loss},
          {"top1", result.top1},
          {"top5", result.top5},
          {"images_per_second", result.imagesPerSecond},
          {"skipped", result.skipped}};
}

std::string evaluationText(const EvaluationResult& result) {
  char line[200];
  std::snprintf(line, sizeof line,
                tr("%lld images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %.1f images/s"),
                static_cast<long long>(result.images), result.loss, 100 * result.top1,
                100 * result.top5, result.imagesPerSecond);
  return line;
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
