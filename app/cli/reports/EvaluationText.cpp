// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/EvaluationText.h"

#include <cstdio>

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
                "%lld images  loss %.4f  top-1 %.2f %%  top-5 %.2f %%  %.1f images/s",
                static_cast<long long>(result.images), result.loss, 100 * result.top1,
                100 * result.top5, result.imagesPerSecond);
  return line;
}

void sayClassMatch(const std::string& text, Terminal& terminal) {
  if (!text.empty() && !terminal.json()) terminal.print("classes " + text);
}

Json classMatchJson(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json castlingJson(const CastlingReport& report) {
  Json nonzeros = Json::array(), perImage = Json::array();  // NaN (no branch) becomes null
  for (const auto& layer : report.layers) {
    nonzeros.push_back(layer.nonzeros);
    perImage.push_back(layer.perImage);
  }
  return {{"with", evaluationJson(report.with)},
          {"castled", evaluationJson(report.castled)},
          {"nonzeros", nonzeros},
          {"nonzeros_per_image", perImage},
          {"free", report.free},
          {"class_match", classMatchJson(report.classMatch)},
          {"verdict", report.verdict}};
}

void printCastling(const CastlingReport& report, Terminal& terminal) {
  sayClassMatch(report.classMatch, terminal);
  terminal.print("with the auxiliary branch  " + evaluationText(report.with));
  terminal.print("castled                    " + evaluationText(report.castled));
  for (std::size_t l = 0; l < report.layers.size(); ++l)
    terminal.print(nonzerosText(report, l));
  terminal.print("castling is " + report.verdict);
}

}  // namespace headlight::cli
