// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/InputReport.h"

#include <vector>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/config/SequenceExperiment.h"
#include "core/models/Registry.h"
#include "core/workbench/evaluation/DatasetContents.h"
#include "core/workbench/loading/ModelInfo.h"
#include "core/workbench/loading/ModelsInFolder.h"
#include "core/workbench/runs/RunsInFolder.h"
#include "core/workbench/session/Datasets.h"

namespace headlight::cli {
namespace {

constexpr std::size_t kMostModels = 200;
constexpr std::size_t kMostFiles = 200'000;  // of a folder, before it is called too large
constexpr std::size_t kShownClasses = 12;

struct Report {
  std::string what;  // behind the kind, on its line
  std::vector<std::string> lines;
  Json json = Json::object();
};

std::string imageCount(std::int64_t count) {
  return countText(count, tr("image"), tr("images"));
}

Report reportImage(const Input& input) {
  const Image image = valueOrThrow(readImageAt(input.address()));
  Report report;
  report.what = std::to_string(image.width) + " x " + std::to_string(image.height) + tr(" pixels");
  report.json = {{"width", image.width}, {"height", image.height}};
  return report;
}

Json datasetContentsJson(const DatasetContents& contents) {
  Json classes = Json::array();
  for (const ClassContents& one : contents.classes)
    classes.push_back({{"name", one.name}, {"images", one.images}});
  for (std::size_t i = 0; i < contents.classes.size(); ++i)
    if (contents.boxes)
      classes[i]["boxes"] = contents.classes[i].objects;
    else
      classes[i]["pixels"] = contents.classes[i].pixels;
  Json json{{"images", contents.images},
            {"counted", contents.counted},
            {"unreadable", contents.unread},
            {"without_objects", contents.empty},
            {"classes", std::move(classes)}};
  if (contents.boxes)
    json["boxes"] = {{"small", contents.bySize[0]},
                     {"medium", contents.bySize[1]},
                     {"large", contents.bySize[2]},
                     {"crowds", contents.crowds}};
  else
    json["pixels"] = {{"all", contents.pixels}, {"unknown", contents.unknownPixels}};
  if (const auto& sizes = contents.sizes)
    json["sizes"] = {{"smallest", {sizes->smallest.width, sizes->smallest.height}},
                     {"middle", {sizes->middle.width, sizes->middle.height}},
                     {"largest", {sizes->largest.width, sizes->largest.height}}};
  return json;
}

/// Of a split with boxes or segments.
void addContents(const Dataset& split, const std::string& key, const std::string& title,
                 const std::stop_token& stop, Report& report) {
  const auto contents = valueOrThrow(datasetContents(split, kCountedImages, stop));
  if (!contents) return;
  report.json["contents"][key] = datasetContentsJson(*contents);
  for (const std::string& line : describeContents(*contents))
    report.lines.push_back(title + ": " + line);
}

Report reportDataset(const Input& input, const std::stop_token& stop) {
  DatasetSpec spec;
  spec.kind = input.datasetKind;
  spec.path = input.path;
  const auto train = valueOrThrow(openDataset(spec, Split::Train));
  const auto validation = valueOrThrow(openDataset(spec, Split::Validation));
  const auto& classes = train->classNames();
  Report report;
  report.what = spec.kind + tr(": training ") + imageCount(train->size()) + tr(", validation ") +
                imageCount(validation->size());
  report.lines.push_back(
      countText(static_cast<std::int64_t>(classes.size()), tr("class"), tr("classes")) + ": " +
      joined(classes, kShownClasses));
  const auto notes = describeSplits(*train, *validation);
  report.lines.insert(report.lines.end(), notes.begin(), notes.end());
  report.json = {{"dataset", spec.kind},
                 {"train", train->size()},
                 {"validation", validation->size()},
                 {"classes", classes},
                 {"notes", notes}};
  addContents(*train, "train", tr("training"), stop, report);
  addContents(*validation, "validation", tr("validation"), stop, report);
  return report;
}

Report reportFolder(const Input& input, const std::stop_token& stop) {
  const auto images = valueOrThrow(
      guarded(input.path.string(), [&] { return imageFilesIn(input.path, kMostFiles, stop); }));
  const auto models = findModelsIn(input.path, kMostModels, stop);
  const auto runs = static_cast<std::int64_t>(countRunsIn(input.path, stop));
  Report report;
  report.what = imageCount(static_cast<std::int64_t>(images.images.size()));
  if (!models.empty())
    report.lines.push_back(
        countText(static_cast<std::int64_t>(models.size()), tr("model"), tr("models")) +
        tr("; headlight-cli models --folder lists them"));
  if (runs > 0)
    report.lines.push_back(countText(runs, tr("training run"), tr("training runs")) +
                           tr("; headlight-cli runs lists them"));
  const bool holdsImages = !images.images.empty();
  if (const std::string passed = images.text(); holdsImages && !passed.empty())
    report.lines.push_back(passed);
  if (const auto why = whyNoDataset(input.path, /*asked=*/true);
      why && (holdsImages || report.lines.empty()))
    report.lines.push_back(tr("is no dataset: ") + why->text());
  report.json = {{"images", images.images.size()}, {"models", models.size()}, {"runs", runs}};
  return report;
}

Report reportConfig(const Input& input) {
  const Experiment experiment = valueOrThrow(loadExperiment(input));
  Report report;
  report.what = tr("model ") + experiment.model.backbone;
  report.lines.push_back(tr("headlight-cli summary shows its model, train trains it"));
  report.json = {{"model", experiment.model.backbone}};
  return report;
}

Report reportOfKind(const Input& input, const std::stop_token& stop) {
  switch (input.kind) {
    case InputKind::Dataset:
      return reportDataset(input, stop);
    case InputKind::Folder:
      return reportFolder(input, stop);
    case InputKind::Config:
      return reportConfig(input);
    default:
      return input.isImage() ? reportImage(input) : Report{};
  }
}

}  // namespace

bool isNoCheckpoint(const Input& input) {
  if (input.kind == InputKind::Unknown) return input.problem.has_value();
  return !input.holdsTensors() && input.kind != InputKind::Weights &&
         input.kind != InputKind::SequenceWeights && input.kind != InputKind::HubFolder;
}

void printInput(const Input& input, Terminal& terminal, const std::stop_token& stop) {
  if (input.problem) throw Failure(*input.problem);
  Report report = reportOfKind(input, stop);
  if (terminal.json()) {
    report.json["file"] = input.address();
    report.json["kind"] = toText(input.kind);
    return terminal.printJson(report.json);
  }
  terminal.print(input.address() + ": " + tr(toText(input.kind)) +
                 (report.what.empty() ? "" : ", " + report.what));
  for (const std::string& line : report.lines)
    terminal.print("  " + line);
}

}  // namespace headlight::cli
