// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workbench/bench/BenchTable.h"

#include <charconv>
#include <cstdio>

#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight {
namespace {

BenchCell decimalCell(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return {text, true};
}

/// Nothing where a part has no time in that pass.
BenchCell partCell(double milliseconds) {
  return milliseconds > 0 ? decimalCell(milliseconds, 2) : BenchCell{"", true};
}

BenchCell percentCell(double part, double whole) {
  return part > 0 && whole > 0 ? decimalCell(100 * part / whole, 1) : BenchCell{"", true};
}

std::string plainNumber(double value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, 9).ptr};
}

/// Of JSON objects with the same keys.
std::string csvOf(const Json& rows) {
  std::string csv, line;
  if (rows.empty()) return csv;
  for (const auto& [key, value] : rows.front().items())
    line += (line.empty() ? "" : ",") + key;
  csv = line + "\n";
  for (const Json& row : rows) {
    line.clear();
    bool first = true;
    for (const auto& [key, value] : row.items()) {
      if (!first) line += ",";
      first = false;
      if (value.is_number_float())
        line += plainNumber(value.get<double>());
      else
        line += value.is_string() ? csvQuoted(value.get<std::string>()) : value.dump();
    }
    csv += line + "\n";
  }
  return csv;
}

double passMilliseconds(const PartReport& report, ModelPass pass, ModelPart part) {
  return 1e3 * report.times.at(pass, part);
}

double passMilliseconds(const PartReport& report, ModelPass pass) {
  return 1e3 * report.times.sum(pass);
}

double stepSum(const PartReport& report) {
  return passMilliseconds(report, ModelPass::Forward) +
         passMilliseconds(report, ModelPass::Backward) +
         passMilliseconds(report, ModelPass::Update);
}

Json partJson(const PartReport& report, ModelPart part) {
  return {{"part", modelPartName(part)},
          {"inference_ms", passMilliseconds(report, ModelPass::Inference, part)},
          {"forward_ms", passMilliseconds(report, ModelPass::Forward, part)},
          {"backward_ms", passMilliseconds(report, ModelPass::Backward, part)},
          {"update_ms", passMilliseconds(report, ModelPass::Update, part)},
          {"step_ms", report.stepMsOf(part)}};
}

}  // namespace

double imagesPerSecond(const BenchRow& row) {
  return row.forwardMs > 0 ? 1e3 * static_cast<double>(row.batch) / row.forwardMs : 0;
}

double trainedImagesPerSecond(const BenchRow& row) {
  const double both = row.forwardMs + row.backwardMs;
  return row.backwardMs > 0 ? 1e3 * static_cast<double>(row.batch) / both : 0;
}

BenchTable benchTable(const std::vector<BenchRow>& rows) {
  BenchTable table{
      {tr("Model"), tr("Masks"), tr("Precision"), tr("Batch"), tr("Forward, ms"),
       tr("Backward, ms"), tr("Images/s"), tr("Images/s in training"), tr("Peak memory, MB")},
      {}};
  for (const BenchRow& row : rows)
    table.rows.push_back({{row.name},
                          {row.kernel},
                          {row.precision},
                          decimalCell(static_cast<double>(row.batch), 0),
                          decimalCell(row.forwardMs, 2),
                          partCell(row.backwardMs),
                          decimalCell(imagesPerSecond(row), 2),
                          partCell(trainedImagesPerSecond(row)),
                          decimalCell(static_cast<double>(row.peakBytes) / 1e6, 1)});
  return table;
}

BenchTable partTable(const PartReport& report) {
  BenchTable table{{tr("Part"), tr("Inference, ms"), "%", tr("Forward, ms"), tr("Backward, ms"),
                    tr("Update, ms"), tr("Step, ms"), "%"},
                   {}};
  const double inference = passMilliseconds(report, ModelPass::Inference), step = stepSum(report);
  for (const ModelPart part : kModelParts)
    table.rows.push_back({{modelPartTitle(part)},
                          partCell(report.inferenceMsOf(part)),
                          percentCell(report.inferenceMsOf(part), inference),
                          partCell(passMilliseconds(report, ModelPass::Forward, part)),
                          partCell(passMilliseconds(report, ModelPass::Backward, part)),
                          partCell(passMilliseconds(report, ModelPass::Update, part)),
                          partCell(report.stepMsOf(part)),
                          percentCell(report.stepMsOf(part), step)});
  table.rows.push_back({{tr("sum")},
                        partCell(inference),
                        percentCell(inference, inference),
                        partCell(passMilliseconds(report, ModelPass::Forward)),
                        partCell(passMilliseconds(report, ModelPass::Backward)),
                        partCell(passMilliseconds(report, ModelPass::Update)),
                        partCell(step),
                        percentCell(step, step)});
  return table;
}

std::string attentionText(const PartReport& report) {
  char text[160];
  std::snprintf(text, sizeof text,
                tr("Attention (projections, scores and values): %.1f %% of inference, %.1f %% of a "
                   "training step"),
                100 * report.attentionInInference(), 100 * report.attentionInStep());
  return text;
}

Json benchJson(const BenchRow& row) {
  return {{"what", row.what},
          {"name", row.name},
          {"kernel", row.kernel},
          {"tokens", row.tokens},
          {"batch", row.batch},
          {"forward_ms", row.forwardMs},
          {"backward_ms", row.backwardMs},
          {"peak_bytes", row.peakBytes},
          {"device", row.device},
          {"precision", row.precision},
          {"images_per_second", imagesPerSecond(row)},
          {"training_images_per_second", trainedImagesPerSecond(row)}};
}

Json partsJson(const PartReport& report) {
  Json parts = Json::array();
  for (const ModelPart part : kModelParts) {
    Json row = partJson(report, part);
    row["title"] = modelPartTitle(part);
    row["counts"] = modelPartHelp(part);
    parts.push_back(row);
  }
  return {{"what", "parts"},
          {"name", report.name},
          {"masks", report.masks},
          {"kernels", report.kernels},
          {"tokens", report.tokens},
          {"batch", report.batch},
          {"device", report.device},
          {"precision", report.precision},
          {"parts", parts},
          {"inference_ms", report.inferenceMs},
          {"step_ms", report.stepMs},
          {"attention_in_inference", report.attentionInInference()},
          {"attention_in_step", report.attentionInStep()}};
}

std::string benchCsv(const std::vector<BenchRow>& rows) {
  Json all = Json::array();
  for (const BenchRow& row : rows)
    all.push_back(benchJson(row));
  return csvOf(all);
}

std::string partsCsv(const std::vector<PartReport>& reports) {
  Json all = Json::array();
  for (const PartReport& report : reports)
    for (const ModelPart part : kModelParts) {
      Json row = partJson(report, part);
      row["name"] = report.name;
      row["batch"] = report.batch;
      row["precision"] = report.precision;
      row["device"] = report.device;
      all.push_back(row);
    }
  return csvOf(all);
}

}  // namespace headlight
